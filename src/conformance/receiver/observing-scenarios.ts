import { randomBytes } from 'node:crypto'
import type { CheckResult } from '../result/result.ts'
import type { Bench } from './bench.ts'
import { inWords, type Sent, standingOf } from './delivery.ts'
import { largeEvent } from './large-event.ts'
import { checkOf, type ReceiverScenario } from './scenario.ts'

/** What the document leaves to a receiver: told, and never held against it. */
export const OBSERVING_SCENARIOS: readonly ReceiverScenario[] = [
  observing('observed/get', 'What a GET of the address is answered', 'RECV-28', async (bench) => {
    const sent = await bench.deliver({ body: Buffer.alloc(0), signatures: [], method: 'GET' })
    return { value: answerOf(sent), sent }
  }),
  observing('observed/status', 'Which status says that a delivery was taken', 'RECV-29', async (bench) => {
    const sent = await bench.deliver(bench.sound(bench.event('order.recorded')))
    const value =
      standingOf(sent, bench.deadlineMs) === 'taken' && sent.status !== 200
        ? `${sent.status} (${NOT_200})`
        : answerOf(sent)
    return { value, sent }
  }),
  observing(
    'observed/two-headers',
    'What is done with two signatures of which one is right',
    'RECV-30',
    async (bench) => {
      const [first, second] = await Promise.all([pair(bench, true), pair(bench, false)])
      return { value: `the right one first: ${answerOf(first)}; last: ${answerOf(second)}`, sent: second }
    },
  ),
  observing('observed/very-large', 'Whether an event of 256 KiB is taken', 'RECV-31', async (bench) => {
    const sent = await bench.deliver(bench.sound(largeEvent(bench, VERY_LARGE_BYTES)))
    return { value: answerOf(sent), sent }
  }),
]

const VERY_LARGE_BYTES = 256 * 1024

const NOT_200 = 'the document says 200; our sandbox takes any 2xx, a stricter service may not'

function pair(bench: Bench, isFirst: boolean): Promise<Sent> {
  const sound = bench.sound(bench.event('order.recorded'))
  const wrong = randomBytes(32).toString('hex')
  return bench.deliver({ ...sound, signatures: isFirst ? [...sound.signatures, wrong] : [wrong, ...sound.signatures] })
}

function answerOf({ status }: Sent): string {
  return status === null ? 'no answer' : String(status)
}

function observing(
  id: string,
  title: string,
  requirement: string,
  look: (bench: Bench) => Promise<{ value: string; sent: Sent }>,
): ReceiverScenario {
  const step = id.slice(id.indexOf('/') + 1).replaceAll('-', '_')
  return {
    id,
    title,
    checks: [{ step, requirement }],
    deliveriesAtMost: 2,
    turn: 'together',
    async run(bench): Promise<CheckResult[]> {
      const { value, sent } = await look(bench)
      bench.observe(requirement, value)
      const actual = inWords(sent)
      return [
        checkOf(step, requirement, sent.exchange.id, { verdict: 'observed', expected: 'left to the receiver', actual }),
      ]
    },
  }
}
