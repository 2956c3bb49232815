import { escapeLine, shorten } from '../../conformance/reporters/escape.ts'
import type { SelftestProgress } from '../../selftest/run-selftest.ts'
import type { Session } from '../operator/session.ts'

/**
 * Shows a self-test as it goes: on a terminal one line that is written over and over, elsewhere a line now and then;
 * everywhere a line for each problem as it is found.
 */
export function selftestProgress(session: Session): { show(progress: SelftestProgress): void; finish(): void } {
  const rewrite = session.errIsTerminal ? '\r\u001b[K' : ''
  return {
    show({ done, of, name, problem }) {
      if (problem !== null) session.err(`${rewrite}${escapeLine(problem)}\n`)
      const line = `${done}/${of} ${escapeLine(name)}`
      if (session.errIsTerminal) session.err(rewrite + shorten(line, session.columns - 1))
      else if (done % 25 === 0 || done === of) session.err(`${done}/${of}\n`)
    },
    finish() {
      session.err(rewrite)
    },
  }
}
