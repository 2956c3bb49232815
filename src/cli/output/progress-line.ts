import { callEvery } from '../../clock/wall-clock.ts'
import { shorten } from '../../conformance/reports/escape.ts'
import type { Session } from '../session.ts'

const CLEARED = '\r\u001b[K'

interface Drawing {
  /** Characters that it may have on a terminal. */
  width?: number
  /** Elsewhere than on a terminal a line stays, and only one is written in that time; none unless given. */
  everyMs?: number
}

/** A line on standard error that is written over and over, to show that something goes on. Its text must be safe for a terminal. */
export function progressLine(
  { errIsTerminal, err, wall }: Session,
  { width = Number.POSITIVE_INFINITY, everyMs = Number.POSITIVE_INFINITY }: Drawing = {},
): { isDue(): boolean; draw(line: string): void; clear(): void } {
  let isDrawn = false
  let writtenMs = wall.monotonicMs()
  // On a terminal always.
  const isDue = (): boolean => errIsTerminal || wall.monotonicMs() - writtenMs >= everyMs
  return {
    isDue,
    draw(line) {
      if (!isDue()) return
      isDrawn = errIsTerminal
      writtenMs = wall.monotonicMs()
      err(errIsTerminal ? CLEARED + shorten(line, width) : `${line}\n`)
    },
    clear() {
      if (isDrawn) err(CLEARED)
      isDrawn = false
    },
  }
}

/** Waits for what shows no progress of its own. From the second second on, a terminal says for how long. */
export async function waitAloud<Result>(session: Session, what: string, work: Promise<Result>): Promise<Result> {
  let seconds = 0
  let line: ReturnType<typeof progressLine> | undefined
  const alarm = callEvery(1_000, () => {
    line ??= progressLine(session)
    line.draw(`${what}: ${++seconds} s`)
  })
  try {
    return await work
  } finally {
    alarm.cancel()
    line?.clear()
  }
}
