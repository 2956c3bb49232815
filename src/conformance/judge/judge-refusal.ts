import { ERRORS, isErrorCode } from '../../contract/errors.ts'
import type { ScenarioRun } from '../context/run.ts'
import type { Expectation } from '../format/scenario.ts'
import { showsOf } from '../format/step-facts.ts'
import type { Answer } from '../http/exchange.ts'
import { answerInWords, type Check, failure, KEPT_429, missing, unproven } from './check.ts'
import { findValue } from './references.ts'

/** Judges an answer to a call that has to be refused: a 4xx, the documented code, and its status where one is given. */
export function judgeRefusal(scenarioRun: ScenarioRun, expectation: Expectation, answer: Answer): Check {
  const actual = answerInWords(scenarioRun, answer)
  if (answer.status >= 200 && answer.status < 300)
    return { ...failure(`accepted with ${answer.status}`), certain: true }
  const wanted = expectation.refused
  const wants429 = wanted === 'rate_limited' || (Array.isArray(wanted) && wanted.includes('rate_limited'))
  if (answer.status === 429 && !wants429) return unproven(actual, KEPT_429)
  if (answer.status >= 500) return failure(actual, 'a refusal is a 4xx')
  if (answer.status < 400) return failure(actual, 'neither an acceptance nor a refusal')
  if (wanted === true) return statusJudgment(expectation, answer, null, actual)
  const codes = typeof wanted === 'string' ? [wanted] : (wanted ?? [])
  const found = findValue(scenarioRun, answer, 'error.code')
  if (!found.found)
    return found.documented
      ? failure(actual, 'a refusal carries one of the documented codes')
      : missing(found, 'error.code')
  const code = String(found.value)
  if (codes.includes(code)) return statusJudgment(expectation, answer, code, actual)
  return toleratedJudgment(scenarioRun, expectation, answer, code, actual) ?? failure(actual)
}

function statusJudgment(expectation: Expectation, answer: Answer, code: string | null, actual: string): Check {
  const allowed = allowedStatuses(expectation, code)
  if (allowed === null || allowed.includes(answer.status)) return { verdict: 'pass', actual }
  return failure(actual, `the status must be ${allowed.join(' or ')}`)
}

/** Null: the document gives this code no status. */
function allowedStatuses(expectation: Expectation, code: string | null): readonly number[] | null {
  if (expectation.status !== undefined)
    return typeof expectation.status === 'number' ? [expectation.status] : expectation.status
  if (code === null || !isErrorCode(code)) return null
  const { status } = ERRORS[code]
  return status === null ? null : [status]
}

/** Another sentence of the document names this code for the same condition: allowed, and said so. */
function toleratedJudgment(
  scenarioRun: ScenarioRun,
  expectation: Expectation,
  answer: Answer,
  code: string,
  actual: string,
): Check | null {
  const rows = scenarioRun.run.registry.conflicts.filter(({ requirement }) =>
    showsOf(expectation).includes(requirement),
  )
  const row = rows.find(({ tolerates }) => tolerates.includes(code))
  if (!row && !expectation.tolerate?.includes(code)) return null
  const allowed = allowedStatuses({}, code)
  if (allowed !== null && !allowed.includes(answer.status))
    return failure(actual, `the status of ${code} must be ${allowed.join(' or ')}`)
  return { verdict: 'tolerated', actual, note: row?.why ?? 'another sentence of the document allows this code' }
}

/** What a refusal has to be, in one line. */
export function describeRefusal(expectation: Expectation): string {
  if (expectation.refused === true)
    return expectation.status === undefined ? 'refused (any 4xx)' : `refused with ${String(expectation.status)}`
  const codes = typeof expectation.refused === 'string' ? [expectation.refused] : (expectation.refused ?? [])
  return `refused: ${codes.map((code) => [allowedStatuses(expectation, code)?.join(' or '), code].filter(Boolean).join(' ')).join(', or ')}`
}
