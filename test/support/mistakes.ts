import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./mistaken_signer.py', import.meta.url))

export interface MistakenCall {
  name: string
  method: string
  target: string
  body: string
}

export interface MistakenCase {
  /** Index of the call. */
  call: number
  mistakes: string[]
  signature: string
}

/** What a separate signer, written in another language, signed wrongly. */
export interface Corpus {
  signer: { keyId: string; secret: string; others: { secret: string; whose: string }[] }
  timestamp: string
  nonce: string
  host: string
  calls: MistakenCall[]
  /** The right signature of each call. */
  right: string[]
  cases: MistakenCase[]
  webhook: { secret: string; body: string; target: string; cases: Omit<MistakenCase, 'call'>[] }
}

/**
 * Has every mistake made, alone and in pairs. It needs Python.
 *
 * @param around whose key signs, when and to where; the program has its own where left out.
 */
export function makeMistakes(around: Record<string, unknown> = {}): Corpus {
  const { status, stdout, stderr, error } = spawnSync('python3', [PROGRAM], {
    encoding: 'utf8',
    input: JSON.stringify(around),
    maxBuffer: 64 * 1024 * 1024,
  })
  if (error || status !== 0) throw error ?? new Error(stderr)
  return JSON.parse(stdout) as Corpus
}

/** The names of mistakes, in an order that does not depend on who names them. */
export function namesOf(ids: Iterable<string>): string {
  return [...ids].sort().join(' + ')
}
