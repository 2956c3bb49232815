import type { RunResult } from '../../conformance/result.ts'

const BEFORE = / before this was (?:reached|over)$/

/**
 * Why a run ended before its time, where it was the target's doing.
 *
 * @example whyInterrupted(result) // 'the target had given no answer to 6 sound calls in a row'
 */
export function whyInterrupted({ scenarios }: RunResult): string | null {
  const notes = scenarios.flatMap(({ checks }) =>
    checks.flatMap(({ reason, note }) => (reason === 'interrupted' ? [(note ?? '').replace(BEFORE, '')] : [])),
  )
  return notes.find((note) => note.startsWith('the target ')) ?? null
}
