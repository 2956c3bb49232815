import { ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import { presentOrder } from '../../sandbox/sales/present.ts'
import { type Call, headerValues } from '../../sandbox/wire/call.ts'
import type { Answer } from '../../sandbox/wire/route.ts'
import { answering, answeringWhere, type Fields, fieldsOf, refilling } from './answers.ts'
import { type Defect, defect, type Tampered } from './defect.ts'
import { recordAgain } from './orders.ts'

const PYTHON_TRACEBACK =
  'Traceback (most recent call last):\n  File "/app/orders.py", line 71, in record\nKeyError: \'buyer\''

/** Mistakes in how the server reports its own failures, and in what comes after them. */
export const failureDefects: readonly Defect[] = [
  defect('failure-with-stack-trace', ['ERR-04'], {
    summary: 'A 500 has the stack trace in a field of its own.',
    ...withFields((fields) => ({
      ...fields,
      stack:
        'Error: the write failed\n    at commit (/srv/partner/orders.js:128:11)\n    at serve (/srv/partner/http.js:40:5)',
    })),
  }),
  leaking('python-traceback', 'is a traceback of Python', PYTHON_TRACEBACK),
  leaking('sql', 'is the statement that failed', 'could not execute: INSERT INTO orders (public_id) VALUES ($1)'),
  leaking('message-of-the-database', 'is what the database said', 'duplicate key value violates unique constraint'),
  leaking('path', 'names a file of the machine', 'cannot open /var/lib/partner/orders.db'),
  leaking('name-of-the-exception', 'is that of the exception', 'TypeError: Cannot read properties of undefined'),
  leaking('address-inside', 'names the internal machine that did not answer', 'connect ECONNREFUSED 10.0.3.17:5432'),
  defect('failure-under-another-code', ['ERR-04'], {
    summary: 'A 500 has the code server_error.',
    ...withFields((fields) => ({ ...fields, code: 'server_error' })),
  }),
  defect('failure-without-message', ['ERR-04'], { summary: 'A 500 has an empty message.', ...saying('') }),
  defect('failure-is-503', ['ERR-04'], {
    summary: 'A failure inside is answered 503.',
    ...answeringWhere(isFailure, (answer) => ({ ...answer, status: 503 })),
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
]

function isFailure(answer: Answer): boolean {
  return answer.status === 500
}

function withFields(change: (fields: Fields) => Fields): Tampered {
  return refilling(isFailure, change)
}

function saying(message: string): Tampered {
  return withFields((fields) => ({ ...fields, message }))
}

function leaking(what: string, words: string, message: string): Defect {
  return defect(`failure-with-${what}`, ['ERR-04'], { summary: `The message of a 500 ${words}.`, ...saying(message) })
}

const failures = new WeakMap<World, Map<string, Answer>>()

/** Another answer to a call that failed before; `nameOf` says which calls are the same, null for one not to remember. */
function remembering(
  nameOf: (call: Call) => string | null,
  change: (answer: Answer, failed: Answer, call: Call) => Answer,
): Tampered {
  return answering((answer, call) => {
    const name = call.credential === null ? null : nameOf(call)
    if (name === null) return answer
    const world = call.world as World
    const known = failures.get(world) ?? new Map<string, Answer>()
    failures.set(world, known)
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
