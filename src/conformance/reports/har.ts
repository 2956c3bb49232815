import type { RedactedExchange, RunResult } from '../result/result.ts'
import { archiveEntry, archiveText } from './archive.ts'
import { escapeLine } from './escape.ts'
import { headerOf, originOf } from './exchange.ts'
import { grouped } from './grouped.ts'
import type { ReportedCheck } from './report-model.ts'
import type { Reporter } from './reporter.ts'

/**
 * Every exchange of a run as HTTP Archive 1.2. Members of ours have the scenario, the checks that an exchange decided and
 * their requirements, and what was signed. Secrets and signatures were taken out before; bodies may have been cut.
 */
export const har: Reporter = {
  wants: 'every-exchange',
  render({ run, checks: all }) {
    const checks = grouped(all, ({ check }) => check.exchange ?? '')
    const comment = `${run.verdict}: ${escapeLine(run.target.url)}; run ${run.identity.runId}; secrets and signatures taken out`
    const entries = run.exchanges.map((exchange) => entryOf(run, exchange, checks.get(exchange.id) ?? []))
    return archiveText({ name: run.tool.name, version: run.tool.version }, comment, entries)
  },
}

/** An exchange of a run, as its archive has it. */
export type RunEntry = ReturnType<typeof entryOf>

function entryOf({ target }: RunResult, exchange: RedactedExchange, checks: readonly ReportedCheck[]) {
  const { id, scenario, speaker, status, broken, sentAt } = exchange
  const failure = status === null ? (broken ?? 'no answer') : ''
  const delivery = speaker === 'target' ? 'a delivery: the target asked and the runner answered' : ''
  const comment = [delivery, failure].filter((text) => text !== '').join('; ')
  const { response, ...entry } = archiveEntry({
    ...exchange,
    ...{ startedAt: sentAt, url: absoluteUrl(exchange, target.url), comment },
  })
  return {
    ...entry,
    response: { ...response, ...(failure !== '' && { _error: failure }) },
    ...{ _exchange: id, _scenario: scenario, _speaker: speaker ?? 'runner' },
    _canonicalString: exchange.canonicalString,
    _requirement: [...new Set(checks.map(({ check }) => check.requirement))],
    _checks: checks.map(({ scenario: of, check }) => {
      const { step, requirement, verdict, expected, actual, known } = check
      return { scenario: of.id, step, requirement, verdict, expected, actual, known }
    }),
  }
}

/** The origin of a delivery is the receiver that it came to. */
function absoluteUrl({ origin, target, requestHeaders, speaker }: RedactedExchange, targetUrl: string): string {
  if (target.includes('://')) return target
  const host = speaker === 'target' ? headerOf(requestHeaders, 'host') : undefined
  if (host !== undefined) return `http://${host}${target}`
  return (origin ?? originOf(targetUrl)) + target
}
