import { SandboxRefusal, SandboxUnreachable } from '../../operator-api/refusals.ts'
import type { Asked } from '../api/command-line.ts'
import { callAfter } from '../browser/clock.ts'
import { Signal } from '../browser/signal.ts'

/** What is said of something that was done. A text alone is good news; `noted` is neither good nor bad. */
export type Said = string | { readonly text: string; readonly kind: Toast['kind'] }

export interface Toast {
  readonly id: number
  readonly kind: 'done' | 'noted' | 'failed'
  readonly text: string
  /** The code of the operator API, where it gave one. */
  readonly code?: string | undefined
  /** What was asked of the operator API, to be copied as a command. */
  readonly asked: readonly Asked[]
}

/** Long enough to read it and to reach its button. */
const SHOWN_MS = 10_000

/** Short messages about what was just done, and about what was refused. */
export class Toasts {
  readonly shown = new Signal<readonly Toast[]>([])
  #made = 0

  done(said: Said, asked: readonly Asked[] = []): void {
    this.#add({ asked, ...(typeof said === 'string' ? { kind: 'done', text: said } : said) })
  }

  /**
   * What an operation was refused with, in the words of the operator API. It stays until it is closed.
   *
   * @param about which of several things refused it.
   */
  failed(error: unknown, about?: string): void {
    const { text, ...rest } = wordsOf(error)
    this.#add({ kind: 'failed', asked: [], text: about === undefined ? text : `${about}: ${text}`, ...rest })
  }

  close(id: number): void {
    this.shown.set(this.shown.value.filter((toast) => toast.id !== id))
  }

  #add(toast: Omit<Toast, 'id'>): void {
    this.#made += 1
    const id = this.#made
    this.shown.set([...this.shown.value.slice(-3), { ...toast, id }])
    if (toast.kind !== 'failed') callAfter(SHOWN_MS, () => this.close(id))
  }
}

/** An error as a person reads it. */
export function wordsOf(error: unknown): { text: string; code?: string } {
  if (error instanceof SandboxRefusal) {
    const { code } = error.members
    return { text: error.detail, ...(typeof code === 'string' && { code }) }
  }
  if (error instanceof SandboxUnreachable) return { text: error.message }
  return { text: error instanceof Error ? error.message : String(error) }
}
