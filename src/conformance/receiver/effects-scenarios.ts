import type { CheckResult } from '../result/result.ts'
import type { Bench } from './bench.ts'
import type { Delivery } from './delivery.ts'
import { forgedFrom, underAnotherSecret } from './forgeries.ts'
import { type EffectsUnknown, settledCount } from './probe-effects.ts'
import { checkOf, type ReceiverScenario } from './scenario.ts'

/** What only the partner's own count of events can show. */
export const EFFECTS_REQUIREMENTS = ['RECV-26', 'RECV-27'] as const

/** What a receiver does with what it has answered, seen through `--effects-url`. */
export const EFFECTS_SCENARIOS: readonly ReceiverScenario[] = [
  {
    id: 'effects/once',
    title: 'An event that comes several times is dealt with once',
    checks: [
      { step: 'one_after_the_other', requirement: 'RECV-26' },
      { step: 'at_the_same_time', requirement: 'RECV-26' },
    ],
    deliveriesAtMost: 8,
    turn: 'alone',
    async run(bench) {
      const again = async (delivery: Delivery) => [await bench.deliver(delivery), await bench.deliver(delivery)]
      const together = (delivery: Delivery) => Promise.all([1, 2, 3].map(() => bench.deliver(delivery)))
      return [
        await countAfter(bench, 'one_after_the_other', 'RECV-26', 1, again),
        await countAfter(bench, 'at_the_same_time', 'RECV-26', 1, together),
      ]
    },
  },
  {
    id: 'effects/refused',
    title: 'What was refused is not dealt with',
    checks: [{ step: 'forged', requirement: 'RECV-27' }],
    deliveriesAtMost: 2,
    turn: 'alone',
    run: async (bench) => [
      await countAfter(bench, 'forged', 'RECV-27', 1, async (twin, forged) => {
        await bench.deliver(forged)
        // Counted, it also shows that the count moves at all.
        return [await bench.deliver(twin)]
      }),
    ],
  },
]

/** Counts, delivers, and counts again. */
async function countAfter(
  bench: Bench,
  step: string,
  requirement: string,
  wanted: number,
  deliver: (sound: Delivery, forged: Delivery) => Promise<{ status: number | null; exchange: { id: string } }[]>,
): Promise<CheckResult> {
  const expected = `the count of events grows by ${wanted}`
  const inconclusive = (actual: string, note: string): CheckResult =>
    checkOf(step, requirement, null, { verdict: 'inconclusive', expected, actual, note })
  const before = await count(bench, 0)
  if (typeof before !== 'number') return inconclusive(`no count: ${before.why}`, 'see --effects-url')
  const event = bench.event('order.recorded')
  const sound = bench.sound(event)
  const otherEvent = bench.event('order.recorded')
  const forged = forgedFrom(bench, bench.sound(otherEvent), otherEvent, underAnotherSecret)
  const sent = await deliver(sound, forged)
  const exchange = sent.at(-1)?.exchange.id ?? null
  const after = await count(bench, before + wanted)
  if (typeof after !== 'number') return inconclusive(`no count: ${after.why}`, 'see --effects-url')
  const actual = `it grew by ${after - before} (from ${before} to ${after})`
  if (after - before === wanted) return checkOf(step, requirement, exchange, { verdict: 'pass', expected, actual })
  if (after - before > wanted) {
    return checkOf(step, requirement, exchange, { verdict: 'fail', expected, actual, note: CAUSES[requirement] })
  }
  return inconclusive(actual, 'the count does not follow what is delivered, so it shows nothing')
}

const CAUSES: Readonly<Record<string, string>> = {
  'RECV-26':
    'event ids are not remembered, or looked up and written down in two steps that another delivery comes between',
  'RECV-27': 'the event is dealt with before its signature is looked at',
}

function count(bench: Bench, hoped: number): Promise<number | EffectsUnknown> {
  const { effects, wall, signal } = bench
  return effects ? settledCount(effects, wall, hoped, signal) : Promise.resolve({ why: 'nobody said where to ask' })
}
