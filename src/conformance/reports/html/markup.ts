import { escapeXmlText } from '../escape.ts'

/** Text that has become HTML, by way of `html` and nothing else. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What may stand in a template; a string or a number is text and is escaped. */
export type Part = Markup | string | number | null | undefined | false | readonly Part[]

/**
 * A piece of a page. Every value but another piece is escaped, in text and in quoted attributes alike, and what could act
 * without being seen is shown as an escape.
 *
 * @example html`<b>${'<script>'}</b>`.text // '<b>&lt;script&gt;</b>'
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((text, piece, at) => text + written(parts[at - 1] ?? null) + piece))
}

function written(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Markup) return part.text
  return typeof part === 'object' ? part.map(written).join('') : escapeXmlText(String(part))
}

/**
 * A number with its noun.
 *
 * @example countOf(2, 'check') // '2 checks'
 */
export function countOf(count: number, noun: string, many = `${noun}s`): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? noun : many}`
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** An instant as a reader in any country takes it; what is not an instant is left as it is. */
export function instant(iso: string): Markup {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(iso)) return html`${iso}`
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`
}

/**
 * A length of time in the unit that fits.
 *
 * @example duration(11_046) // '11.0 s'
 */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  return ms < 120_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`
}
