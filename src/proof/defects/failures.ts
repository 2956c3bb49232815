import { ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import { presentOrder } from '../../sandbox/sales/present.ts'
import { type Call, headerValues } from '../../sandbox/wire/call.ts'
import type { Answer } from '../../sandbox/wire/route.ts'
import { answering, type Fields, fieldsOf, refilling } from './answers.ts'
import { type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { recordAgain } from './orders.ts'

const LOST_CONNECTION = 'database connection lost at 10.0.0.7:5432'

/** Mistakes in how the server reports its own failures, and in what comes after them. */
export const failureDefects: readonly Defect[] = [
  leaking('lost-connection', 'says where its database is', LOST_CONNECTION),
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
