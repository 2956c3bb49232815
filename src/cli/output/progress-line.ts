import { shorten } from '../../conformance/reports/escape.ts'
import type { Session } from '../session.ts'

const CLEARED = '\r\u001b[K'

/** Where a line is drawn, and how. */
interface Drawing {
  /** Characters that it may have on a terminal. */
  width?: number
  /** Elsewhere than on a terminal a line stays, and only one is written in that time; none unless given. */
  everyMs?: number
}

/** A line on standard error that is written over and over, to show that something goes on. Its text must be safe for a terminal. */
export function progressLine(
  { errIsTerminal, err, wall }: Session,
  { width = Number.POSITIVE_INFINITY, everyMs = Number.POSITIVE_INFINITY }: Drawing,
): { draw(line: string): void; clear(): void } {
  let isDrawn = false
  let writtenMs = wall.monotonicMs()
  return {
    draw(line) {
      if (errIsTerminal) {
        isDrawn = true
        err(CLEARED + shorten(line, width))
      } else if (wall.monotonicMs() - writtenMs >= everyMs) {
        writtenMs = wall.monotonicMs()
        err(`${line}\n`)
      }
    },
    clear() {
      if (isDrawn) err(CLEARED)
      isDrawn = false
    },
  }
}
