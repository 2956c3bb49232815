import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { CHECKS } from '../../sandbox/app/checks.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import { presentOrder } from '../../sandbox/sales/present.ts'
import { type Call, headerValues } from '../../sandbox/wire/call.ts'
import { jsonObjectOf } from '../../sandbox/wire/json-body.ts'
import type { Answer, Route } from '../../sandbox/wire/route.ts'
import { validated } from '../../sandbox/wire/validation.ts'
import {
  answering,
  answeringWhere,
  codeOf,
  crashing,
  fieldsOf,
  refilling,
  refusal,
  refusalsOf,
  without,
} from './answers.ts'
import { type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { recordAgain } from './orders.ts'
import { refusingTooLate } from './routes.ts'

/** Mistakes in how calls are refused, and in how the server reports its own failures. */
export const errorDefects: readonly Defect[] = [
  defect('error-without-message', ['ERR-01'], {
    summary: 'A refusal has a code and no message.',
    ...refilling(isRefusal, (fields) => without(fields, 'message')),
  }),
  defect('errors-as-html', ['ERR-01'], { summary: 'Refusals are HTML pages.', ...answeringWhere(isRefusal, asHtml) }),
  defect('malformed-refunds-have-no-code', ['ERR-01'], {
    summary: 'A malformed refund is refused without a code, as JSON with a message.',
    ...refilling(refusalsOf('refunds.create', 'validation_error'), (fields) => without(fields, 'code')),
  }),
  defect('content-type-ignored', ['ERR-02'], {
    summary: 'JSON is accepted under any content type.',
    ...readingAsJson(),
  }),
  defect('query-with-a-zero-byte-crashes', ['ERR-02'], {
    summary: 'A zero byte in a query is answered 500.',
    ...crashing((_, call) => call.credential !== null && call.rawQuery.includes('%00')),
  }),
  defect('body-too-large-crashes', ['ERR-02'], {
    summary: 'An oversized body is answered 500.',
    ...crashing((answer) => answer.status === 413),
  }),
  defect('query-escape-broken-crashes', ['ERR-02'], {
    summary: 'Broken percent-encoding in the query is answered 500.',
    ...crashing((_, call) => call.refusedBy === 'query'),
  }),
  defect('path-escape-broken-crashes', ['ERR-02'], {
    summary: 'Broken percent-encoding in the path is answered 500.',
    ...crashing((answer, call) => answer.status === 400 && !isDecodable(call.path)),
  }),
  defect('route-unknown-is-html', ['ERR-02'], {
    summary: 'An unknown route is refused with the HTML page of a framework.',
    ...answeringWhere((answer, call) => call.endpoint === null && answer.status === 404, asHtml),
  }),
  malformedCrashes('cursor', 'A cursor that cannot be decoded', 'orders.list', 'cursor'),
  malformedCrashes('after-id', 'An after_id that names no event', 'events.list', 'after_id'),
  defect('retry-after-missing', ['ERR-03'], {
    summary: 'A 429 does not say how long to wait.',
    ...answeringWhere(isRateLimited, (answer) => ({ ...answer, headers: {} })),
  }),
  defect('rate-limited-order-is-recorded', ['ERR-03'], {
    summary: 'An order beyond the limit is refused with 429 after it has been recorded.',
    ...refusingTooLate('orders.create', 'rate-limit', CHECKS['rate-limit']),
  }),
  defect('retry-after-zero', ['ERR-03'], {
    summary: 'Retry-After says 0, and calls are refused for longer.',
    ...answeringWhere(isRateLimited, (answer) => ({
      ...answer,
      headers: { ...answer.headers, [HEADERS.retryAfter]: '0' },
    })),
  }),
  defect('failure-with-lost-connection', ['ERR-04'], {
    summary: 'The message of a 500 says where its database is.',
    ...refilling(isFailure, (fields) => ({ ...fields, message: 'database connection lost at 10.0.0.7:5432' })),
  }),
  defect('failure-with-an-exception-in-a-header', ['ERR-04'], {
    summary: 'A header of a 500 names the exception.',
    ...answeringWhere(isFailure, (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'x-error': 'NullPointerException' },
    })),
  }),
  defect('failure-is-cached', ['ERR-04'], {
    summary: 'A read that has failed once fails for ever.',
    ...remembering(
      (call) => (call.method === 'GET' ? call.target : null),
      (_, failed) => failed,
    ),
  }),
  defect('failure-is-kept-for-its-key', ['ERR-04'], {
    summary: 'The 500 of an order is kept for its Idempotency-Key, and comes back with every retry.',
    ...remembering(keyOf, (_, failed) => failed),
  }),
  defect('failure-recorded-the-order-already', ['ERR-04'], {
    summary: 'An order that was answered 500 is recorded all the same, and its retry records another one.',
    ...remembering(keyOf, recordedTwice),
  }),
  defect('other-versions-are-served', ['VER-01'], {
    summary: 'The paths answer under another version, and under none.',
    ...answeringWhere(
      (answer, call) => call.endpoint === null && answer.status === 404 && call.target.startsWith('/api/partner/'),
      () => ({ status: 200, headers: {}, body: '{"available":false}' }),
    ),
  }),
  defect('version-segment-not-served', ['VER-01'], {
    summary: 'Nothing is served under /api/partner/v1.',
    ...answeringWhere(
      (_, call) => call.endpoint !== null,
      () => refusal(404, 'not_found', 'there is nothing here'),
    ),
  }),
  defect('rate-limited-is-text', ['WIRE-01'], {
    summary: 'A 429 has the Content-Type text/plain.',
    ...answeringWhere(isRateLimited, (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-type': 'text/plain; charset=utf-8' },
    })),
  }),
]

/** A server that passes a parameter to its database as it comes. */
function malformedCrashes(id: string, words: string, endpoint: EndpointId, parameter: string): Defect {
  return defect(`${id}-malformed-crashes`, ['ERR-02'], {
    summary: `${words} is answered 500.`,
    ...crashing(
      (answer, call) =>
        call.endpoint === endpoint && answer.status === 400 && call.query.some(([name]) => name === parameter),
    ),
  })
}

/** A server that takes any content type for that of JSON. */
function readingAsJson(): Tampered {
  const reading = ({ body, prepare, ...correct }: Route): Route => {
    const asRead = (input: object) => {
      const { call } = input as { call: Call }
      const isTyped = headerValues(call, 'content-type').length > 0
      const read = jsonObjectOf(isTyped ? { ...call, rawHeaders: ['content-type', 'application/json'] } : call)
      return { ...input, body: body && validated(body, read, 'body') } as never
    }
    const prepared = prepare && { prepare: (input: object) => prepare(asRead(input)) }
    return { ...correct, ...prepared, handle: (input) => correct.handle(asRead(input as object)) }
  }
  const withBody = ENDPOINT_IDS.filter((id) => ENDPOINTS[id].bodies.length > 0)
  return { hooks: { routes: Object.fromEntries(withBody.map((id) => [id, reading])) } }
}

function isRefusal(answer: Answer): boolean {
  return answer.status >= 400
}

function isRateLimited(answer: Answer): boolean {
  return codeOf(answer) === 'rate_limited'
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function asHtml(answer: Answer): Answer {
  const body = `<!DOCTYPE html><title>Error ${answer.status}</title><h1>Error ${answer.status}</h1>`
  return { ...answer, headers: { ...answer.headers, 'content-type': 'text/html; charset=utf-8' }, body }
}

function isFailure(answer: Answer): boolean {
  return answer.status === 500
}

const failures = perWorld(() => new Map<string, Answer>())

/** Another answer to a call that failed before; `nameOf` says which calls are the same, null for one not to remember. */
function remembering(
  nameOf: (call: Call) => string | null,
  change: (answer: Answer, failed: Answer, call: Call) => Answer,
): Tampered {
  return answering((answer, call) => {
    const name = call.credential === null ? null : nameOf(call)
    if (name === null) return answer
    const known = failures(call.world as World)
    const failed = known.get(name)
    if (isFailure(answer)) known.set(name, answer)
    return failed === undefined ? answer : change(answer, failed, call)
  })
}

function keyOf(call: Call): string | null {
  const endpoint: Endpoint | null = call.endpoint && ENDPOINTS[call.endpoint]
  return endpoint?.idempotencyKey ? (headerValues(call, HEADERS.idempotencyKey)[0] ?? null) : null
}

function recordedTwice(answer: Answer, _failed: Answer, call: Call): Answer {
  const world = call.world as World
  const first = answer.status < 300 ? findOrder(world, String(fieldsOf(answer)['public_id'])) : null
  if (!first) return answer
  return { ...answer, body: JSON.stringify(presentOrder(world, recordAgain(world, first.publicId))) }
}
