import { expect, it } from 'vitest'
import { inWords } from '../../../src/cli/record/acts-in-words.ts'
import { OPERATIONS } from '../../../src/operator-api/operations.ts'

const WORLD = '/v1/worlds/{w}'

it('says in words whatever an operator can do to a world', () => {
  const acts = Object.values(OPERATIONS).filter(({ method, path }) => method !== 'GET' && path.startsWith(WORLD))
  expect(acts.length).toBeGreaterThan(20)
  for (const { method, path } of acts) {
    const words = inWords({ operation: `${method} ${path.slice(WORLD.length)}`, params: {}, body: {} })
    expect(words ?? 'the operator').toMatch(/^the operator/)
    expect(words ?? '').not.toMatch(/something|undefined|[{}/]/)
  }
})

it('tells which thing it was, and what a fault did', () => {
  const act = { params: { name: 'a.test' }, body: {} }
  expect(inWords({ ...act, operation: 'PATCH /domains/{name}' })).toBe('the operator changed a listing (a.test)')
  const hold = { operation: 'POST /orders/{public_id}/hold', params: { public_id: 'ord_1' }, body: {} }
  expect(inWords(hold)).toBe("the operator's hold of an order that no recorded call made (ord_1)")
  const fault = { operation: 'POST /faults', params: {}, body: { effect: { drop: 'after-commit' } } }
  expect(inWords(fault)).toBe('the operator had connections closed in place of an answer')
})
