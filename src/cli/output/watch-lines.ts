import { checksWith } from '../../conformance/reporters/digest.ts'
import { escapeLine, shorten } from '../../conformance/reporters/escape.ts'
import type { CheckVerdict, RunResult } from '../../conformance/result.ts'

const MAX_CHARACTERS = 200

/** What came of one run of many: what is wrong, and the counts. */
export function watchLines(result: RunResult): string {
  const wrong = checksWith(result, ['fail', 'harness_error', 'inconclusive', 'drift'])
  const lines = wrong.map(({ scenario, check }) => {
    const what = `${check.requirement} ${scenario.id} > ${check.step}: ${check.actual}, expected: ${check.expected}`
    return `${WORDS[check.verdict] ?? check.verdict}  ${shorten(escapeLine(what), MAX_CHARACTERS)}`
  })
  const ran = result.scenarios.filter(({ checks }) => checks.some(({ reason }) => reason !== 'filtered'))
  const [only] = ran
  const what = ran.length === 1 && only ? escapeLine(only.id) : `${ran.length} scenarios`
  return `${[...lines, `${what}: ${countsOf(ran)} (${Math.round(result.durationMs)} ms)`].join('\n')}\n`
}

const WORDS: Readonly<Partial<Record<CheckVerdict, string>>> = {
  fail: 'FAIL',
  harness_error: 'ERROR',
  inconclusive: 'NOT PROVED',
  drift: 'DRIFT',
}

function countsOf(scenarios: RunResult['scenarios']): string {
  const counts = new Map<string, number>()
  for (const { verdict } of scenarios.flatMap(({ checks }) => checks))
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
  return [...counts].map(([verdict, count]) => `${count} ${verdict.replaceAll('_', ' ')}`).join(', ') || 'no checks'
}
