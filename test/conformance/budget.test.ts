import { expect, it } from 'vitest'
import type { WallClock } from '../../src/clock/wall-clock.ts'
import { createBudget, type Target } from '../../src/conformance/target/target.ts'
import { fakeTarget, judge, scenario, targetOf } from '../support/referee.ts'

const LIMITS: Target['budget'] = { orders: 1, quotes: 1, requests: 10, perSecond: null }

/** How long each of some requests waits that are asked for at one moment. */
async function waitsOf(budget: Target['budget'], requests: number): Promise<number[]> {
  const waits: number[] = []
  const meter = createBudget(budget, { monotonicMs: () => 1_000 } as WallClock, (ms) => {
    waits.push(ms)
    return Promise.resolve()
  })
  for (let sent = 0; sent < requests; sent++) await meter.request()
  return waits
}

it('lets as many requests pass at once as ten seconds have room for, each further one when one of them leaves', async () => {
  expect(await waitsOf({ ...LIMITS, inTenSeconds: 2 }, 5)).toEqual([10_000, 10_000, 20_000])
})

it('spaces requests where a second has a limit, and holds nothing back without one', async () => {
  expect(await waitsOf({ ...LIMITS, perSecond: 4 }, 3)).toEqual([250, 500])
  expect(await waitsOf(LIMITS, 3)).toEqual([])
})

it('takes back what a scenario has set aside and not made', async () => {
  const target = targetOf(await fakeTarget(), { budget: { orders: 1, quotes: 0, requests: 100 } })
  const reading = (id: string) => ({
    ...scenario({
      proves: ['AUTH-01'],
      effects: { orders: 1 },
      steps: [
        {
          call: { op: 'availability', query: { domain: 'a.example' } },
          expect: { accepted: true, shows: 'AUTH-01' },
        },
      ],
    }),
    id,
  })
  const { scenarios } = await judge(target, [reading('test/a'), reading('test/b')], { concurrency: 1 })
  expect(scenarios.map(({ verdict }) => verdict)).toEqual(['pass', 'pass'])
})
