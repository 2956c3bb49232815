import { expect, test } from 'vitest'
import { ConcurrencyLimit } from '../../src/conformance/http/throttle.ts'

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

test('a limit of two starts the third when one of the first two has ended', async () => {
  const { gates, seen, work } = gatedWork()
  const limit = new ConcurrencyLimit(2)
  const all = [limit.within(work), limit.within(work), limit.within(work)]
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
  const limit = new ConcurrencyLimit(1)
  const failing = limit.within(() => Promise.reject(new Error('no')))
  const next = limit.within(() => Promise.resolve('yes'))
  await expect(failing).rejects.toThrow('no')
  await expect(next).resolves.toBe('yes')
})
