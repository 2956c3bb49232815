import { isUtf8 } from 'node:buffer'
import { HEADERS } from '../../contract/headers.ts'
import { checkRateLimit } from '../../sandbox/app/authenticate/check-rate-limit.ts'
import type { Answer } from '../../sandbox/wire/answer.ts'
import { type Call, headerValues } from '../../sandbox/wire/call.ts'
import { jsonObjectOf } from '../../sandbox/wire/json-body.ts'
import type { Route } from '../../sandbox/wire/route.ts'
import { validated } from '../../sandbox/wire/validation.ts'
import { answeringWhere, BARE_500, codeOf, refusingWith, withFields, without } from './answers.ts'
import type { Defect } from './defect.ts'

/** Mistakes in how calls are refused. */
export const errorDefects: readonly Defect[] = [
  {
    id: 'error-without-message',
    breaks: ['ERR-01'],
    summary: 'A refusal has a code and no message.',
    ...answeringWhere(isRefusal, (answer) => withFields(answer, (fields) => without(fields, 'message'))),
  },
  {
    id: 'error-without-code',
    breaks: ['ERR-01'],
    summary: 'A refusal has a message and no code.',
    ...answeringWhere(isRefusal, (answer) => withFields(answer, (fields) => without(fields, 'code'))),
  },
  {
    id: 'error-codes-in-upper-case',
    breaks: ['ERR-01'],
    summary: 'The codes of refusals are in upper case.',
    ...answeringWhere(isRefusal, (answer) =>
      withFields(answer, (fields) => ({ ...fields, code: String(fields['code']).toUpperCase() })),
    ),
  },
  {
    id: 'order-not-found-has-a-code-of-its-own',
    breaks: ['ERR-01', 'ORD-10'],
    summary: 'An unknown order is refused with the code order_not_found.',
    ...answeringWhere(
      (answer, call) => answer.status === 404 && call.endpoint === 'orders.detail',
      (answer) => withFields(answer, (fields) => ({ ...fields, code: 'order_not_found' })),
    ),
  },
  {
    id: 'other-versions-are-served',
    breaks: ['VER-01'],
    summary: 'The paths answer under another version, and under none.',
    ...answeringWhere(
      (answer, call) => call.endpoint === null && answer.status === 404 && call.target.startsWith('/api/partner/'),
      () => ({ status: 200, headers: {}, body: '{"available":false}' }),
    ),
  },
  {
    id: 'version-segment-not-served',
    breaks: ['VER-01'],
    summary: 'Nothing is served under /api/partner/v1.',
    ...answeringWhere(
      (_, call) => call.endpoint !== null,
      () => ({
        status: 404,
        headers: {},
        body: JSON.stringify({ code: 'not_found', message: 'there is nothing here' }),
      }),
    ),
  },
  {
    id: 'secret-in-every-answer',
    breaks: ['CRED-03'],
    summary: 'Every answer shows the secret of its caller, for debugging.',
    ...answeringWhere(
      (_, call) => call.credential !== null,
      (answer, call) => withFields(answer, (fields) => ({ ...fields, debug: call.credential?.secret })),
    ),
  },
  {
    id: 'secret-in-refused-signatures',
    breaks: ['CRED-03'],
    summary: 'A refused signature is explained with the secret that it should have been made with.',
    ...answeringWhere(
      (_, call) => call.refusedBy === 'signature',
      (answer, call) => withFields(answer, (fields) => ({ ...fields, message: `expected ${call.credential?.secret}` })),
    ),
  },
  {
    id: 'errors-as-html',
    breaks: ['ERR-01'],
    summary: 'Refusals are HTML pages.',
    ...answeringWhere(isRefusal, asHtml),
  },
  {
    id: 'json-broken-crashes',
    breaks: ['ERR-02'],
    summary: 'A body that is no JSON is answered 500.',
    ...refusingWith((_, call) => isServed(call) && call.body.length > 0 && parsed(call.body) === undefined, BARE_500),
  },
  {
    id: 'json-other-than-object-crashes',
    breaks: ['ERR-02'],
    summary: 'A body of JSON that is no object is answered 500.',
    ...refusingWith((_, call) => isServed(call) && call.body.length > 0 && isNoObject(parsed(call.body)), BARE_500),
  },
  {
    id: 'body-not-utf-8-crashes',
    breaks: ['ERR-02'],
    summary: 'A body that is no UTF-8 is answered 500.',
    ...refusingWith((_, call) => isServed(call) && !isUtf8(call.body), BARE_500),
  },
  {
    id: 'content-type-ignored',
    breaks: ['ERR-02'],
    summary: 'JSON is accepted under any content type.',
    hooks: { routes: { 'quotes.create': withAnyContentType, 'orders.create': withAnyContentType } },
  },
  {
    id: 'content-type-wrong-crashes',
    breaks: ['ERR-02'],
    summary: 'A wrong content type is answered 500.',
    ...refusingWith((answer) => answer.status === 415, BARE_500),
  },
  {
    id: 'body-too-large-crashes',
    breaks: ['ERR-02'],
    summary: 'An oversized body is answered 500.',
    ...refusingWith((answer) => answer.status === 413, BARE_500),
  },
  {
    id: 'query-escape-broken-crashes',
    breaks: ['ERR-02'],
    summary: 'Broken percent-encoding in the query is answered 500.',
    ...refusingWith((_, call) => call.refusedBy === 'query', BARE_500),
  },
  {
    id: 'path-escape-broken-crashes',
    breaks: ['ERR-02'],
    summary: 'Broken percent-encoding in the path is answered 500.',
    ...refusingWith((answer, call) => answer.status === 400 && !isDecodable(call.path), BARE_500),
  },
  {
    id: 'route-unknown-is-html',
    breaks: ['ERR-02'],
    summary: 'An unknown route is refused with the HTML page of a framework.',
    ...answeringWhere((answer, call) => call.endpoint === null && answer.status === 404, asHtml),
  },
  {
    id: 'route-unknown-crashes',
    breaks: ['ERR-02'],
    summary: 'An unknown route or verb is answered 500.',
    ...refusingWith((answer, call) => call.endpoint === null && answer.status === 404, BARE_500),
  },
  {
    id: 'retry-after-missing',
    breaks: ['ERR-03'],
    summary: 'A 429 does not say how long to wait.',
    ...answeringWhere(isRateLimited, (answer) => ({ ...answer, headers: {} })),
  },
  {
    id: 'retry-after-in-milliseconds',
    breaks: ['ERR-03'],
    summary: 'Retry-After is in milliseconds.',
    ...retryAfter((seconds) => String(seconds * 1_000)),
  },
  {
    id: 'retry-after-as-date',
    breaks: ['ERR-03'],
    summary: 'Retry-After is a date.',
    ...retryAfter((seconds, call) => new Date(call.receivedAtMs + seconds * 1_000).toUTCString()),
  },
  {
    id: 'retry-after-zero',
    breaks: ['ERR-03'],
    summary: 'Retry-After says 0, and calls are refused for longer.',
    ...retryAfter(() => '0'),
  },
  {
    id: 'rate-limited-is-503',
    breaks: ['ERR-03'],
    summary: 'Too many calls are refused with status 503.',
    rules: (sound) => ({ ...sound, statuses: { rate_limited: 503 } }),
  },
  {
    id: 'rate-limit-holds-for-reads-only',
    breaks: ['ERR-03'],
    summary: 'Writes are never limited.',
    hooks: {
      checks: {
        'rate-limit'(call) {
          if (call.method === 'GET') checkRateLimit(call)
        },
      },
    },
  },
]

function isRefusal(answer: Answer): boolean {
  return answer.status >= 400
}

function isRateLimited(answer: Answer): boolean {
  return codeOf(answer) === 'rate_limited'
}

/** Whether a call has passed authentication and has somewhere to go. */
function isServed(call: Call): boolean {
  return call.endpoint !== null && call.credential !== null && call.refusedBy === null
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

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

function isNoObject(value: unknown): boolean {
  return value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value))
}

function retryAfter(write: (seconds: number, call: Call) => string): Pick<Defect, 'hooks'> {
  return answeringWhere(isRateLimited, (answer, call) => ({
    ...answer,
    headers: { ...answer.headers, [HEADERS.retryAfter]: write(Number(answer.headers[HEADERS.retryAfter]), call) },
  }))
}

const JSON_TYPE = ['content-type', 'application/json']

function withAnyContentType({ body, ...sound }: Route): Route {
  return {
    ...sound,
    handle(input) {
      const call = (input as { call: Call }).call
      const types = headerValues(call, 'content-type').length
      const read = jsonObjectOf({ ...call, rawHeaders: types > 0 ? JSON_TYPE : call.rawHeaders })
      return sound.handle({ ...(input as object), body: body && validated(body, read, 'body') } as never)
    },
  }
}
