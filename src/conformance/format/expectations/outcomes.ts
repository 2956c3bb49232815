import { ERROR_CODES, ERRORS, isErrorCode } from '../../../contract/errors.ts'
import { anything, byType, oneOf, type Schema, withExamples } from '../../../contract/schema.ts'
import { type Answer, isAccepted } from '../../http/exchange.ts'
import { among, said, some } from '../values.ts'
import { type Check, failure, KEPT_429, missing, unproven } from './check.ts'
import { type AnswerSeen, type Beside, kind, noRoles } from './kind.ts'

/** A code as a text: what an answer has is compared with it. */
export const CODES: readonly string[] = ERROR_CODES

/** Only `true`, if the schema already says that it is a boolean. */
const TRUE: Schema<true> = { json: { const: true } }

const STATUS: Schema<number> = { json: { type: 'integer' } }

type Refused = true | string | readonly string[]

/** What a call or a page has to come to. The first of these that an expectation has decides; without any, plain acceptance. */
export const OUTCOMES = {
  refused: kind<Refused>({
    schema: withExamples(
      byType('Any 4xx; with codes, that code and the status the document gives it.', {
        string: among(CODES),
        array: some(oneOf(CODES)),
        boolean: TRUE,
      }) as Schema<Refused>,
      'price_mismatch',
      ['conflict', 'rate_limited'],
      true,
    ),
    roles: noRoles,
    judge: { outcome: { answer: refusal, page: (seen) => seen.refusal() } },
    words: (wanted, { status }) => [refusalInWords(wanted, status)],
    compares: false,
  }),

  status: kind<number | readonly number[]>({
    schema: withExamples(
      byType('The status; in a list, 0 is a connection that was closed without an answer.', {
        integer: anything<number>(),
        array: some(STATUS),
      }),
      409,
      [200, 201],
    ),
    roles: noRoles,
    judge: {
      outcome: {
        answer: statusOf,
        page: ({ answer, words }, wanted) =>
          [wanted].flat().includes(answer.status) ? { verdict: 'pass', actual: words } : failure(words),
      },
    },
    words: (wanted) => [`status ${String(wanted)}`],
    compares: false,
  }),

  authenticated: kind<boolean>({
    schema: withExamples(said('Not refused for its signature: accepted, or refused for what it asks for.'), true),
    roles: noRoles,
    judge: {
      outcome: {
        answer: ({ answer, words: actual, isPlainRefusal }) => {
          if (isAccepted(answer)) return { verdict: 'pass', actual: String(answer.status) }
          if (answer.status === 429) return unproven(actual, KEPT_429)
          return isPlainRefusal() ? { verdict: 'pass', actual } : failure(actual)
        },
      },
    },
    words: () => ['not refused for its signature'],
    compares: false,
  }),

  accepted: kind<boolean>({
    schema: withExamples(said('Any 2xx.'), true),
    roles: noRoles,
    judge: {
      outcome: {
        answer({ answer, words: actual, isKeptFrom }, wanted) {
          if (isAccepted(answer)) return { verdict: 'pass', actual: String(answer.status) }
          if (isKeptFrom) return unproven(actual, KEPT_429)
          return wanted
            ? failure(actual)
            : unproven(actual, 'the call was not accepted, so its content cannot be judged')
        },
        page({ words: actual, isOpen }, wanted) {
          if (isOpen) return { verdict: 'pass', actual }
          return wanted ? failure(actual) : unproven(actual, 'the page did not open, so its content cannot be judged')
        },
      },
    },
    words: () => ['accepted (any 2xx)'],
    compares: false,
  }),
}

/** Whether all of the statuses that are allowed are those of a failure. */
export function isFailure(status: number | readonly number[]): boolean {
  return [status].flat().every((one) => one >= 500)
}

function statusOf(seen: AnswerSeen, wanted: number | readonly number[]): Check {
  const { answer } = seen
  if (isFailure(wanted) && isAccepted(answer))
    return unproven(
      `answered ${answer.status}`,
      'the target did not fail, so nothing is shown about its failures',
      'Check that fail_next of the target file makes the next call fail.',
    )
  if ([wanted].flat().includes(answer.status)) return { verdict: 'pass', actual: String(answer.status) }
  return seen.isKeptFrom ? unproven(seen.words, KEPT_429) : failure(seen.words)
}

/** A 4xx, the documented code, and its status where one is given. */
function refusal(seen: AnswerSeen, wanted: Refused, beside: Beside): Check {
  const { answer, words: actual } = seen
  if (isAccepted(answer)) return { ...failure(`accepted with ${answer.status}`), certain: true }
  if (answer.status === 429 && ![wanted].flat().includes('rate_limited')) return unproven(actual, KEPT_429)
  if (answer.status >= 500) return failure(actual, 'a refusal is a 4xx')
  if (answer.status < 400) return failure(actual, 'neither an acceptance nor a refusal')
  if (wanted === true) return withStatus(answer, beside.status, null, actual)
  const found = seen.find('error.code', answer)
  if (!found.found)
    return found.documented
      ? failure(actual, 'a refusal carries one of the documented codes')
      : missing(found, 'error.code')
  const code = String(found.value)
  if ([wanted].flat().includes(code)) return withStatus(answer, beside.status, code, actual)
  return tolerated(seen, beside, code) ?? failure(actual)
}

function withStatus(answer: Answer, said: Beside['status'], code: string | null, actual: string): Check {
  const allowed = allowedStatuses(said, code)
  if (allowed === null || allowed.includes(answer.status)) return { verdict: 'pass', actual }
  return failure(actual, `the status must be ${allowed.join(' or ')}`)
}

/** Null: the document gives this code no status. */
function allowedStatuses(said: Beside['status'], code: string | null): readonly number[] | null {
  if (said !== undefined) return [said].flat()
  if (code === null || !isErrorCode(code)) return null
  const { status } = ERRORS[code]
  return status === null ? null : [status]
}

/** Another sentence of the document names this code for the same condition: allowed, and said so. */
function tolerated(seen: AnswerSeen, { tolerate, shows = [] }: Beside, code: string): Check | null {
  const why = seen.conflict([shows].flat(), code)
  if (why === undefined && !tolerate?.includes(code)) return null
  const allowed = allowedStatuses(undefined, code)
  if (allowed !== null && !allowed.includes(seen.answer.status))
    return failure(seen.words, `the status of ${code} must be ${allowed.join(' or ')}`)
  return { verdict: 'tolerated', actual: seen.words, note: why ?? 'another sentence of the document allows this code' }
}

function refusalInWords(wanted: Refused, status: Beside['status']): string {
  if (wanted === true) return status === undefined ? 'refused (any 4xx)' : `refused with ${String(status)}`
  const codes = [wanted].flat()
  return `refused: ${codes.map((code) => [allowedStatuses(status, code)?.join(' or '), code].filter(Boolean).join(' ')).join(', or ')}`
}
