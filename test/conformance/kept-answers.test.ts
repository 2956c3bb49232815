import { expect, it } from 'vitest'
import { keptAnswer, MOST_BYTES_KEPT } from '../../src/conformance/context/kept-answers.ts'
import type { RunCall } from '../../src/conformance/format/expectations/kind.ts'
import { readRun } from '../../src/conformance/format/expectations/run-facts.ts'
import { judgeRunRule } from '../../src/conformance/format/expectations/run-rules.ts'
import { callsOfRun } from './calls-of-run.ts'

const MEGABYTE = 1024 * 1024
const memoryOf = (leftBytes: number) => ({ leftBytes, bodies: new Map() })

function answerOf(length: number, fill = 0, op: 'events.list' | 'orders.list' = 'orders.list') {
  return { op, status: 200, headers: [], body: new Uint8Array(length).fill(fill), json: {} }
}

it('the body of an answer that came before takes no room, and is that of the first one', () => {
  const memory = memoryOf(MOST_BYTES_KEPT)
  const [first, again] = [answerOf(MEGABYTE), answerOf(MEGABYTE)]
  expect(keptAnswer(memory, first, false)).toEqual(first)
  expect(keptAnswer(memory, again, false)?.body).toBe(first.body)
  expect(memory.leftBytes).toBe(MOST_BYTES_KEPT - MEGABYTE)
})

it('long bodies leave room for short ones, and a short answer to a write is always kept', () => {
  const memory = memoryOf(MOST_BYTES_KEPT)
  const kept = Array.from({ length: 30 }, (_, number) => keptAnswer(memory, answerOf(MEGABYTE, number), false))
  const isWhole = kept.map((answer) => answer?.leftOutBytes === undefined)
  expect(isWhole).toEqual([...Array(14).fill(false), ...Array(16).fill(true)])
  expect(kept[0]).toMatchObject({ status: 200, json: undefined, leftOutBytes: MEGABYTE })
  expect(keptAnswer(memory, answerOf(100), false)?.leftOutBytes).toBeUndefined()
  expect(keptAnswer(memoryOf(0), answerOf(100), false)?.leftOutBytes).toBe(100)
  expect(keptAnswer(memoryOf(0), answerOf(100), true)?.leftOutBytes).toBeUndefined()
})

it('of long bodies the latest stay, at the cost of the operation with the most, and who asked keeps the whole answer', () => {
  const memory = memoryOf(MOST_BYTES_KEPT)
  const [asked, ...more] = Array.from({ length: 17 }, (_, number) => answerOf(MEGABYTE, number))
  if (!asked) throw new Error('there is a first one')
  const first = keptAnswer(memory, asked, false)
  const later = more.slice(0, 15).map((answer) => keptAnswer(memory, answer, false))
  const events = keptAnswer(memory, answerOf(MEGABYTE, 99, 'events.list'), false)
  const others = more.slice(15).map((answer) => keptAnswer(memory, answer, false))
  expect([first, later[0]].map((answer) => answer?.leftOutBytes)).toEqual([MEGABYTE, MEGABYTE])
  expect([...later.slice(1), events, ...others].every((answer) => answer?.leftOutBytes === undefined)).toBe(true)
  expect(asked.body).toHaveLength(MEGABYTE)
})

/** What the rule that no page has an order twice comes to, where the answers of these calls were not kept. */
function checkWithout(...leftOut: readonly number[]) {
  const page = { op: 'orders.list' as const, json: { orders: [{ public_id: 'ord_1' }, { public_id: 'ord_2' }] } }
  const calls = callsOfRun(page, page, page).map(
    (call, index): RunCall =>
      leftOut.includes(index) && call.answer
        ? { ...call, answer: { ...call.answer, json: undefined, leftOutBytes: 10 } }
        : call,
  )
  const find = () => ({ found: false, why: 'absent', detail: '' }) as never
  const seen = { facts: readRun(calls, find), find, fill: () => '', fillForbidden: () => '' }
  return judgeRunRule(seen as never, { rule: 'repeats_no_row', of: ['orders.list'] })
}

it('a rule says how many calls it has looked at, and shows nothing where it saw none of the later ones', () => {
  expect(checkWithout()).toBeNull()
  expect(checkWithout(1)).toEqual({ verdict: 'pass', actual: '2 of 3 calls of orders.list' })
  expect(checkWithout(1, 2)).toMatchObject({ verdict: 'inconclusive', actual: '1 of 3 calls of orders.list' })
  expect(checkWithout(0, 1, 2)).toMatchObject({ verdict: 'inconclusive', actual: '0 of 3 calls of orders.list' })
})
