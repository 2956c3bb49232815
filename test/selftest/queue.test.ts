import { expect, test } from 'vitest'
import { createQueue } from '../../src/proof/self-test/run-selftest.ts'

/** Work that ends when it is told to, and says how much was under way at most. */
function gatedWork() {
  const gates: (() => void)[] = []
  const seen = { underWay: 0, most: 0 }
  return {
    gates,
    seen,
    async work(): Promise<number> {
      seen.most = Math.max(seen.most, ++seen.underWay)
      await new Promise<void>((resolve) => gates.push(resolve))
      return seen.underWay--
    },
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('a queue of two starts the third when one of the first two has ended', async () => {
  const { gates, seen, work } = gatedWork()
  const inTurn = createQueue(2)
  const all = [inTurn(work), inTurn(work), inTurn(work)]
  await settle()
  expect(gates.length).toBe(2)
  gates[0]?.()
  await all[0]
  await settle()
  expect(gates.length).toBe(3)
  for (const gate of gates) gate()
  await Promise.all(all)
  expect(seen.most).toBe(2)
})

test('work that fails gives its place on', async () => {
  const inTurn = createQueue(1)
  const failing = inTurn(() => Promise.reject(new Error('no')))
  const next = inTurn(() => Promise.resolve('yes'))
  await expect(failing).rejects.toThrow('no')
  await expect(next).resolves.toBe('yes')
})
