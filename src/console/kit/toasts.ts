import { SandboxRefusal, SandboxUnreachable } from '../../operator-api/refusals.ts'
import type { Asked } from '../api/command-line.ts'
import { Signal } from '../browser/signal.ts'

/** What is said of something that was done. A text alone is good news; `noted` is neither good nor bad. */
export type ToastText = string | { readonly text: string; readonly kind: Toast['kind'] }

/** What members of a body are called on screen. @example { price_cents: 'Price' } */
export type Labels = Readonly<Record<string, string>>

export interface Toast {
  readonly id: number
  readonly kind: 'done' | 'noted' | 'failed'
  readonly text: string
  /** The code of the operator API, where it gave one. */
  readonly code?: string | undefined
  /** What was asked of the operator API, to be copied as a command. */
  readonly asked: readonly Asked[]
  /** What was done: bad news of it goes when that is done again. */
  readonly of?: object | undefined
  /** No answer came: this error goes when the sandbox answers again. */
  readonly isUnanswered?: boolean
}

/** Long enough to read it and to reach its button. */
export const SHOWN_MS: Readonly<Record<Toast['kind'], number>> = { done: 10_000, noted: 15_000, failed: 30_000 }

/** Short messages about what was just done, and about what was refused. */
export class Toasts {
  readonly shown = new Signal<readonly Toast[]>([])
  #made = 0

  done(said: ToastText, asked: readonly Asked[] = [], of?: object): void {
    this.#add({ asked, of, ...(typeof said === 'string' ? { kind: 'done', text: said } : said) })
  }

  /**
   * What an operation was refused with, in the words of the operator API.
   *
   * @param about which of several things refused it.
   * @param of what failed, for `settle`.
   */
  failed(error: unknown, { about, of, labels = {} }: { about?: string; of?: object; labels?: Labels } = {}): void {
    const { text, ...rest } = underLabels(wordsOf(error), labels)
    const isUnanswered = error instanceof SandboxUnreachable
    const said = about === undefined ? text : `${about}: ${text}`
    this.#add({ kind: 'failed', asked: [], text: said, of, isUnanswered, ...rest })
  }

  /** Takes back what was not good news of something that has been done again. */
  settle(of: object): void {
    this.#keep((toast) => toast.of !== of || toast.kind === 'done')
  }

  /** Takes back that the sandbox does not answer. */
  answered(): void {
    this.#keep(({ isUnanswered }) => isUnanswered !== true)
  }

  close(id: number): void {
    this.#keep((toast) => toast.id !== id)
  }

  #keep(isKept: (toast: Toast) => boolean): void {
    const kept = this.shown.value.filter(isKept)
    if (kept.length < this.shown.value.length) this.shown.set(kept)
  }

  #add(toast: Omit<Toast, 'id'>): void {
    this.#made += 1
    // The same again takes the place of the first.
    const others = this.shown.value.filter(({ kind, text }) => kind !== toast.kind || text !== toast.text)
    this.shown.set([...others.slice(-3), { ...toast, id: this.#made }])
  }
}

/**
 * What is wrong with a field, by its name on screen. Its code says no more than that, and is left out.
 *
 * @example underLabels({ text: 'by must be a duration', code: 'validation_error' }, { by: 'Advance by' }) // { text: '“Advance by” must be a duration' }
 */
function underLabels(words: ErrorWords, labels: Labels): ErrorWords {
  const named = words.text.split('; ').map((part) => {
    const member = part.slice(0, part.indexOf(' '))
    const label = labels[member]
    return label === undefined ? part : `“${label}”${part.slice(member.length)}`
  })
  const text = named.join('; ')
  return text === words.text ? words : { text }
}

interface ErrorWords {
  readonly text: string
  readonly code?: string
}

/** An error as a person reads it. */
export function wordsOf(error: unknown): ErrorWords {
  if (error instanceof SandboxRefusal) {
    const { code } = error.members
    return { text: error.detail, ...(typeof code === 'string' && { code }) }
  }
  if (error instanceof SandboxUnreachable) return { text: error.message }
  return { text: error instanceof Error ? error.message : String(error) }
}
