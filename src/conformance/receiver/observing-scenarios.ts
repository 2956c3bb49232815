import { randomBytes } from 'node:crypto'
import type { LoadedScenario } from '../format/scenario.ts'
import { type Courier, inWords, type Sent, standingOf } from '../signing/delivery.ts'
import { courseStep, receiverScenario } from './receiver-scenario.ts'
import { ofLength } from './sound-scenarios.ts'

/** What the document leaves to a receiver: reported, and never held against it. */
export const OBSERVING_SCENARIOS: readonly LoadedScenario[] = [
  observing('observed/get', 'What a GET of the address is answered', 'RECV-28', async (courier) => {
    const sent = await courier.deliver({ body: Buffer.alloc(0), signatures: [], method: 'GET' })
    return { value: answerOf(sent), sent }
  }),
  observing('observed/status', 'Which status says that a delivery was taken', 'RECV-29', async (courier) => {
    const sent = await courier.deliver(courier.sound())
    const isOther = standingOf(sent, courier) === 'taken' && sent.status !== 200
    return { value: isOther ? `${sent.status} (${NOT_200})` : answerOf(sent), sent }
  }),
  observing(
    'observed/two-headers',
    'How two signatures are handled if one of them is right',
    'RECV-30',
    async (courier) => {
      const [first, second] = await Promise.all([pair(courier, true), pair(courier, false)])
      return { value: `the right one first: ${answerOf(first)}; last: ${answerOf(second)}`, sent: second }
    },
  ),
  observing('observed/very-large', 'Whether an event of 256 KiB is taken', 'RECV-31', async (courier) => {
    const sent = await courier.deliver(courier.sound(ofLength(256)))
    return { value: answerOf(sent), sent }
  }),
]

const NOT_200 = 'the document says 200; our sandbox takes any 2xx, a stricter service may not'

function pair(courier: Courier, isFirst: boolean): Promise<Sent> {
  const sound = courier.sound()
  const wrong = randomBytes(32).toString('hex')
  return courier.deliver({
    ...sound,
    signatures: isFirst ? [...sound.signatures, wrong] : [wrong, ...sound.signatures],
  })
}

function answerOf({ status }: Sent): string {
  return status === null ? 'no answer' : String(status)
}

function observing(
  id: string,
  title: string,
  requirement: string,
  look: (courier: Courier) => Promise<{ value: string; sent: Sent }>,
): LoadedScenario {
  const step = id.slice(id.indexOf('/') + 1).replaceAll('-', '_')
  return receiverScenario(id, title, [
    courseStep(requirement, [step], 2, async (courier) => {
      const { value, sent } = await look(courier)
      courier.observe(requirement, value)
      const seen = { expected: 'left to the receiver', actual: inWords(sent), exchange: sent.exchange }
      return [{ step, requirement, verdict: 'observed', ...seen }]
    }),
  ])
}
