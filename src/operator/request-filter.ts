import { parseInstant } from '../clock/instant.ts'
import type { QueryOf } from '../operator-api/operations.ts'
import type { LoggedCall } from '../sandbox/app/request-log.ts'
import type { Redactor } from '../sandbox/worlds/redact.ts'
import { codeOf, keyIdOf } from './present-request.ts'
import { problem } from './problem.ts'

/** Which calls of a log are wanted; what is left out does not matter. */
export type RequestFilter = Omit<QueryOf<'requests.list'>, 'limit'>

type Test = (entry: LoggedCall) => boolean

/**
 * Tells whether a logged call is wanted.
 *
 * @throws Problem where the status is neither one nor a class of them.
 */
export function fits(filter: RequestFilter, redact: Redactor): Test {
  const tests = [...plainTests(filter), ...(filter.q === undefined ? [] : [holds(filter.q, redact)])]
  return (entry) => tests.every((test) => test(entry))
}

function plainTests({
  status,
  code,
  key_id,
  credential,
  endpoint,
  method,
  since,
  until,
  refused,
  cursor,
}: RequestFilter) {
  const tests: (Test | undefined)[] = [
    cursor === undefined ? undefined : (entry) => entry.position < cursor,
    status === undefined ? undefined : hasStatus(status),
    endpoint === undefined ? undefined : ({ call }) => call.endpoint === endpoint,
    method === undefined ? undefined : ({ call }) => call.method === method.toUpperCase(),
    credential === undefined ? undefined : ({ call }) => call.credential?.name === credential,
    key_id === undefined ? undefined : ({ call }) => keyIdOf(call) === key_id,
    since === undefined ? undefined : ({ call }) => call.receivedAtMs >= instantOf(since),
    until === undefined ? undefined : ({ call }) => call.receivedAtMs < instantOf(until),
    refused === undefined ? undefined : ({ call }) => (call.refusedBy !== null) === (refused === 'true'),
    code === undefined ? undefined : ({ answer }) => codeOf(answer) === code,
  ]
  return tests.filter((test) => test !== undefined)
}

function instantOf(text: string): number {
  return parseInstant(text) as number
}

function hasStatus(wanted: string): Test {
  if (!/^[1-5](?:[0-9]{2}|xx)$/i.test(wanted)) {
    throw problem('bad-status-filter')
  }
  return ({ answer }) =>
    wanted.toLowerCase().endsWith('xx') ? String(answer.status)[0] === wanted[0] : String(answer.status) === wanted
}

/**
 * Looks for a text without regard to case, in what the log would show: a search for a secret must not find where it was
 * sent. What does not hold the text as it was sent is not redacted at all, which is most of a log.
 */
function holds(wanted: string, redact: Redactor): Test {
  const needle = wanted.toLowerCase()
  const mayBeRedaction = /[[\]]/.test(needle) || '[redacted]'.includes(needle)
  return (entry) => {
    const texts = textsOf(entry)
    if (!mayBeRedaction && !texts.some((text) => text.toLowerCase().includes(needle))) return false
    const bytes = Buffer.from(redact.bytes(entry.call.body)).toString('utf8')
    return [...textsOf(entry, bytes)].some((text) => redact.text(text).toLowerCase().includes(needle))
  }
}

function textsOf({ call, answer }: LoggedCall, body = Buffer.from(call.body).toString('utf8')): string[] {
  return [call.id, call.target, ...call.rawHeaders, body, answer.body]
}
