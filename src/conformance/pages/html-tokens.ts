/**
 * HTML is read by hand: a parser of the whole standard would be the largest dependency of the package, and forms and their words take
 * one pass without a tree, in time that hostile markup cannot blow up.
 */

/** A piece of HTML, as far as forms and their words go. */
export type HtmlToken =
  | { kind: 'open'; name: string; attributes: ReadonlyMap<string, string> }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string }

/** Elements whose content is not markup: it runs to their own end tag. */
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title', 'noscript', 'iframe', 'template', 'xmp'])
/** Those of them whose content is text that people read. */
const READABLE = new Set(['textarea', 'title'])

const NAME = /[a-zA-Z][^\s/>]*/y
const ATTRIBUTE = /[\s/]*([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']*)))?/y

/**
 * Cuts any input into tags and text, in one pass from left to right: what is not a tag is text.
 *
 * @example [...htmlTokens('<p>Hi')].map(({ kind }) => kind) // ['open', 'text']
 */
export function* htmlTokens(html: string): Generator<HtmlToken> {
  let at = 0
  while (at < html.length) {
    const next = html.indexOf('<', at)
    if (next === -1) return yield* textToken(html.slice(at))
    if (next > at) yield* textToken(html.slice(at, next))
    const past = markupEnd(html, next)
    if (past !== null) {
      at = past
      continue
    }
    const tag = tagAt(html, next)
    if (!tag) {
      yield* textToken('<')
      at = next + 1
      continue
    }
    yield tag.token
    at = tag.end
    const { token } = tag
    if (token.kind !== 'open' || !RAW_TEXT.has(token.name)) continue
    const end = rawTextEnd(html, at, token.name)
    if (READABLE.has(token.name)) yield* textToken(html.slice(at, end))
    at = end
  }
}

function* textToken(text: string): Generator<HtmlToken> {
  if (text !== '') yield { kind: 'text', text: decodeEntities(text) }
}

/** Where a comment, doctype or processing instruction ends; null if there is none. */
function markupEnd(html: string, at: number): number | null {
  const closer = html.startsWith('<!--', at) ? '-->' : /^<[!?]/.test(html.slice(at, at + 2)) ? '>' : null
  if (closer === null) return null
  const end = html.indexOf(closer, at + 2)
  return end === -1 ? html.length : end + closer.length
}

function tagAt(html: string, at: number): { token: HtmlToken; end: number } | null {
  const closes = html[at + 1] === '/'
  NAME.lastIndex = at + (closes ? 2 : 1)
  const name = NAME.exec(html)?.[0].toLowerCase()
  if (name === undefined) return null
  const attributes = new Map<string, string>()
  let end = NAME.lastIndex
  for (;;) {
    ATTRIBUTE.lastIndex = end
    const match = ATTRIBUTE.exec(html)
    if (!match || ATTRIBUTE.lastIndex === end) break
    end = ATTRIBUTE.lastIndex
    const key = (match[1] ?? '').toLowerCase()
    if (!attributes.has(key)) attributes.set(key, decodeEntities(match[2] ?? match[3] ?? match[4] ?? ''))
  }
  const closed = html.indexOf('>', end)
  const token: HtmlToken = closes ? { kind: 'close', name } : { kind: 'open', name, attributes }
  return { token, end: closed === -1 ? html.length : closed + 1 }
}

function rawTextEnd(html: string, from: number, name: string): number {
  const closer = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  closer.lastIndex = from
  return closer.exec(html)?.index ?? html.length
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  euro: '€',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  middot: '·',
  rarr: '→',
  larr: '←',
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)
  })
}
