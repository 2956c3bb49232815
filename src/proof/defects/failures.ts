import { HEADERS } from '../../contract/headers.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import { presentOrder } from '../../sandbox/sales/present.ts'
import type { Answer } from '../../sandbox/wire/answer.ts'
import { type Call, headerValues } from '../../sandbox/wire/call.ts'
import { answering, answeringWhere, type Fields, fieldsOf, refilling, refusal } from './answers.ts'
import { type Defect, defect, type Tampered } from './defect.ts'
import { recordAgain } from './order-records.ts'

/** Mistakes in how failures of the server itself are told, and in what comes after them. */
export const failureDefects: readonly Defect[] = [
  defect('failure-with-stack-trace', ['ERR-04'], {
    summary: 'A 500 has the stack trace in a field of its own.',
    ...telling((fields) => ({
      ...fields,
      stack:
        'Error: the write failed\n    at commit (/srv/partner/orders.js:128:11)\n    at serve (/srv/partner/http.js:40:5)',
    })),
  }),
  defect('failure-with-python-traceback', ['ERR-04'], {
    summary: 'The message of a 500 is a traceback of Python.',
    ...saying('Traceback (most recent call last):\n  File "/app/orders.py", line 71, in record\nKeyError: \'buyer\''),
  }),
  defect('failure-with-sql', ['ERR-04'], {
    summary: 'The message of a 500 is the statement that failed.',
    ...saying('could not execute: INSERT INTO orders (public_id, domain) VALUES ($1, $2)'),
  }),
  defect('failure-with-message-of-the-database', ['ERR-04'], {
    summary: 'The message of a 500 is what the database said.',
    ...saying('duplicate key value violates unique constraint "orders_domain_key"'),
  }),
  defect('failure-with-path', ['ERR-04'], {
    summary: 'The message of a 500 names a file of the machine.',
    ...saying('cannot open /var/lib/partner/orders.db'),
  }),
  defect('failure-with-name-of-the-exception', ['ERR-04'], {
    summary: 'The message of a 500 is that of the exception.',
    ...saying("TypeError: Cannot read properties of undefined (reading 'price')"),
  }),
  defect('failure-with-address-inside', ['ERR-04'], {
    summary: 'The message of a 500 tells which machine inside did not answer.',
    ...saying('connect ECONNREFUSED 10.0.3.17:5432'),
  }),
  defect('failure-under-another-code', ['ERR-04'], {
    summary: 'A 500 has the code server_error.',
    ...telling((fields) => ({ ...fields, code: 'server_error' })),
  }),
  defect('failure-without-message', ['ERR-04'], { summary: 'A 500 has an empty message.', ...saying('') }),
  defect('failure-is-503', ['ERR-04'], {
    summary: 'A failure inside is answered 503.',
    ...answeringWhere(isFailure, (answer) => ({ ...answer, status: 503 })),
  }),
  defect('failure-is-a-page', ['ERR-04'], {
    summary: 'A failure inside is answered with the HTML page of a proxy.',
    ...answeringWhere(isFailure, (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-type': 'text/html; charset=utf-8' },
      body: '<html><head><title>500 Internal Server Error</title></head><body>nginx</body></html>',
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
  defect('failure-spends-its-key', ['ERR-04'], {
    summary: 'The Idempotency-Key of an order that failed is refused as used.',
    ...remembering(keyOf, (answer) => ({
      ...refusal(409, 'conflict', 'the Idempotency-Key has been used'),
      headers: answer.headers,
    })),
  }),
  defect('failure-recorded-the-order-already', ['ERR-04'], {
    summary: 'An order that was answered 500 is recorded all the same, and its retry records another one.',
    ...remembering(keyOf, recordedTwice),
  }),
]

function isFailure(answer: Answer): boolean {
  return answer.status === 500
}

function telling(change: (fields: Fields) => Fields): Tampered {
  return refilling(isFailure, change)
}

function saying(message: string): Tampered {
  return telling((fields) => ({ ...fields, message }))
}

const failures = new WeakMap<World, Map<string, Answer>>()

/** Another answer to what failed before, as the same thing is told by `nameOf`; null for what is not remembered. */
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
  return call.endpoint === 'orders.create' ? (headerValues(call, HEADERS.idempotencyKey)[0] ?? null) : null
}

function recordedTwice(answer: Answer, _failed: Answer, call: Call): Answer {
  const world = call.world as World
  const first = answer.status < 300 ? findOrder(world, String(fieldsOf(answer)['public_id'])) : null
  if (!first) return answer
  return { ...answer, body: JSON.stringify(presentOrder(world, recordAgain(world, first.publicId))) }
}
