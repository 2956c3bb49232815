import { createInterface } from 'node:readline'
import type { Run } from '../../conformance/context/run.ts'
import { escapeLine } from '../../conformance/reports/escape.ts'
import { CliError, type Session } from '../session.ts'

const CHOICES = 'done, cannot, or skip (asks nothing more)'

/** Asks the person at the terminal to do what the target's operator cannot do. There is no time limit; Ctrl-C ends the run. */
export function askingPerson(session: Session, signal: AbortSignal): NonNullable<Run['ask']> {
  const { askLine } = session
  if (!askLine) throw new CliError('--ask needs a person at a terminal; without one, leave it out')
  let skipsAll = false
  return async (request, scenario) => {
    if (skipsAll) return false
    const wish = request.charAt(0).toLowerCase() + request.slice(1)
    session.err(`${CLEARED}${escapeLine(scenario)} asks you to ${escapeLine(wish)}\n`)
    for (;;) {
      const answer = (await askLine(`${CHOICES}: `, signal))?.trim().toLowerCase() ?? null
      if (answer === null || signal.aborted) return false
      if (answer === 'done' || answer === 'd') return true
      if (answer === 'cannot' || answer === 'c') return false
      if (answer !== 'skip' && answer !== 's') continue
      skipsAll = true
      return false
    }
  }
}

/** Takes the line of the progress away. */
const CLEARED = '\r\u001b[K'

/** Asks the person at the terminal for one line; null where the input ends, or the signal aborts. */
export function askLine(question: string, signal?: AbortSignal): Promise<string | null> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  // The terminal gives Ctrl-C to the reader of a line; the run needs it too.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const close = () => lines.close()
  signal?.addEventListener('abort', close)
  return new Promise<string | null>((resolve) => {
    lines.once('close', () => resolve(null))
    if (signal?.aborted) return close()
    lines.question(question, resolve)
  }).finally(() => {
    signal?.removeEventListener('abort', close)
    close()
  })
}
