import type { CheckResult, RedactedExchange, RunResult } from '../../../src/conformance/result/result.ts'
import { sampleRun, worked } from './sample-run.ts'

export type Made = Partial<CheckResult> & { call?: Partial<RedactedExchange> }

/** A run of these scenarios: each check with the call that it is about. */
export function runOf(scenarios: Readonly<Record<string, readonly Made[]>>): RunResult {
  const run = sampleRun()
  const [pattern] = run.exchanges as [RedactedExchange]
  const exchanges: RedactedExchange[] = []
  return worked({
    ...run,
    scenarios: Object.entries(scenarios).map(([id, checks], number) => ({
      id,
      title: `Title of ${id}`,
      file: `scenarios/${id}.yaml`,
      verdict: 'fail',
      durationMs: 10,
      checks: checks.map(({ call, ...check }, at) => {
        const exchange = { ...pattern, id: `s${number + 1}e${at + 1}`, scenario: id, ...call }
        exchanges.push(exchange)
        const made = { step: `step_${at}`, requirement: 'NONCE-01', verdict: 'fail' as const, expected: '', actual: '' }
        return { ...made, exchange: exchange.id, ...check }
      }),
    })),
    exchanges,
  })
}
