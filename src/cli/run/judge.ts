import { formatDuration } from '../../clock/duration.ts'
import { shellQuote } from '../../conformance/reporters/curl.ts'
import type { Target } from '../../conformance/target.ts'
import type { Session } from '../operator/session.ts'
import { wantsColour } from '../output/colour.ts'
import { openReports } from '../report/open-reports.ts'
import type { OpenedTarget } from './conform-target.ts'
import type { ConformOptions } from './options.ts'
import type { WantedReport } from './reporter-arguments.ts'
import { type Outcome, type Prepared, runOnce } from './run-once.ts'

/** A run that is about to begin. */
export interface Occasion {
  opened: OpenedTarget
  reports: readonly WantedReport[]
  prepared: Prepared
  options: ConformOptions
  signal: AbortSignal
  session: Session
}

/** One run against a target that is open, with the reports that were asked for. */
export function judge({ opened, reports, prepared, options, signal, session }: Occasion): Promise<Outcome> {
  const words = {
    colour: wantsColour(session.env, session.outIsTerminal),
    invocation: opened.invocation + againWords(options),
    keepsNothing: opened.own,
    verbose: options.verbose ?? false,
    signing: { program: session.program, secretEnv: secretVariables(opened.target, session.env) },
  }
  const writing = openReports(reports, words, session)
  const isOutputFree = reports.every(({ file }) => file !== null)
  return runOnce(prepared, options, { opened, writing, signal, session, isOutputFree })
}

/** The environment variable that holds each secret: a reproduction names it, and never the secret. */
function secretVariables({ credentials }: Target, env: Session['env']): Record<string, string> {
  const names = Object.keys(env)
  return Object.fromEntries(
    credentials.flatMap(({ keyId, secret }) => {
      const name = names.find((one) => env[one] === secret)
      return name === undefined ? [] : [[keyId, name]]
    }),
  )
}

/** Reports tell how to run a scenario again, from wherever it was read and by whatever brought it about. */
function againWords({ scenarios = [], maxWait, ask }: ConformOptions): string {
  const words = [
    ...(scenarios.length === 0 ? [] : ['--scenarios', ...scenarios.map(shellQuote)]),
    ...(maxWait === undefined ? [] : ['--max-wait', formatDuration(maxWait)]),
    ...(ask ? ['--ask'] : []),
  ]
  return words.map((word) => ` ${word}`).join('')
}
