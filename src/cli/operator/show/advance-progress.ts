import { escapeLine, shorten } from '../../../conformance/reporters/escape.ts'
import { isRecord, type Row } from '../../output/records.ts'
import type { Session } from '../../session.ts'

/** Elsewhere than on a terminal a line is only written now and then. */
const LINE_EVERY_MS = 5_000
/** Some terminals do not say how wide they are. */
const USUAL_COLUMNS = 80

/**
 * Shows how far a jump of a clock has come: on a terminal one line that is written over and over, elsewhere a line now and
 * then.
 */
export function advanceProgress(session: Session): { show(clock: Row): void; finish(): void } {
  const { errIsTerminal, wall } = session
  let isDrawn = false
  let shownMs = wall.monotonicMs()
  return {
    show({ advancing }) {
      if (!isRecord(advancing)) return
      const line = escapeLine(lineOf(advancing))
      if (errIsTerminal) {
        session.err(`\r\u001b[K${shorten(line, (session.columns || USUAL_COLUMNS) - 1)}`)
        isDrawn = true
      } else if (wall.monotonicMs() - shownMs >= LINE_EVERY_MS) {
        session.err(`${line}\n`)
        shownMs = wall.monotonicMs()
      }
    },
    finish() {
      if (isDrawn) session.err('\r\u001b[K')
      isDrawn = false
    },
  }
}

function lineOf({ from, to, now, things_done }: Row): string {
  const share = shareOf(Date.parse(String(from)), Date.parse(String(to)), Date.parse(String(now)))
  return `${String(now)}${share}, ${Number(things_done).toLocaleString('en-US')} things done`
}

/** How much of the way it has come, where that is known. */
function shareOf(fromMs: number, toMs: number, nowMs: number): string {
  const share = (nowMs - fromMs) / (toMs - fromMs)
  return Number.isFinite(share) ? ` (${Math.floor(share * 100)}%)` : ''
}
