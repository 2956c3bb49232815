import { createHash } from 'node:crypto'
import { signWebhook } from '../../contract/signature.ts'
import { type Check, failure, unproven } from '../format/expectations/check.ts'
import { placed } from '../judge/placed-check.ts'
import type { CheckResult } from '../result/result.ts'
import { opaqueId } from '../signing/event-maker.ts'
import { type Courier, type Delivery, inWords, type Sent, standingOf } from './delivery.ts'
import { sortedText } from './forgeries.ts'
import { checksOf, inTime, judgeValid, type ValidRow, validSteps } from './judge-valid.ts'
import { courseStep, type ReceiverScenario, type ReceiverStep, receiverScenario, stepOf } from './receiver-scenario.ts'

/** Signs a body in some other way. */
type OtherWay = (body: Buffer, secret: string) => string

/** What receivers are often written for instead, in words that end "when its signature is". */
const OTHER_WAYS: readonly (readonly [words: string, sign: OtherWay])[] = [
  ['sent with the prefix v1=, as calls have it', (body, secret) => `v1=${signWebhook(secret, body)}`],
  ['sent with the prefix sha256=', (body, secret) => `sha256=${signWebhook(secret, body)}`],
  ['sent in upper case', (body, secret) => signWebhook(secret, body).toUpperCase()],
  ['sent in base64', (body, secret) => Buffer.from(signWebhook(secret, body), 'hex').toString('base64')],
  ['made over its JSON with sorted keys', (body, secret) => signWebhook(secret, sortedText(body))],
  ['made over its JSON with a space after each colon and comma', (body, secret) => signWebhook(secret, spaced(body))],
  ['made over the hash of its body', (body, secret) => signWebhook(secret, hashOf(body))],
  ['made with the secret and a newline at its end', (body, secret) => signWebhook(`${secret}\n`, body)],
  ['made with an empty secret', (body) => signWebhook('', body)],
]

/** What a refused receiver would have taken instead, as a sentence; null if that is not known. */
async function explainRefusal(courier: Courier, status: number): Promise<string | null> {
  if (status === 404 || status === 405) return `it answers ${status}: is this the address that takes deliveries?`
  for (const [words, sign] of OTHER_WAYS) {
    const valid = courier.valid()
    const sent = await courier.deliver({ ...valid, signatures: [sign(valid.body, courier.secret)] })
    if (standingOf(sent, courier) === 'taken') return `it accepts an event whose signature is ${words}`
  }
  return null
}

function spaced(body: Buffer): Buffer {
  return Buffer.from(body.toString('utf8').replaceAll('":', '": ').replaceAll(',"', ', "'), 'utf8')
}

function hashOf(body: Buffer): Buffer {
  return Buffer.from(createHash('sha256').update(body).digest('hex'), 'utf8')
}

/** The most deliveries that the service may have under way at once. */
export const AT_ONCE = 8

const FIRST_ROW: ValidRow = {
  step: 'first',
  shows: 'RECV-01',
  cause:
    'the receiver has another secret, or expects another signature; "npx partner-sandbox verify webhook" explains one',
}

const SHOWN_BY_THE_FIRST = ['RECV-01', 'RECV-02', 'RECV-21']

const FIRST_STEP: ReceiverStep = {
  checks: SHOWN_BY_THE_FIRST.map((requirement) => ({ step: 'first', requirement })),
  async run(courier) {
    const [own, ...found] = await judgeValid(courier, FIRST_ROW)
    if (!own) return found
    const status = courier.sent.at(-1)?.status ?? null
    const why = own.verdict === 'fail' && is4xx(status) ? await explainRefusal(courier, status) : null
    // The check reports what was found against the other two; the rest follows from the answer that came.
    return [why === null ? own : { ...own, note: why }, ...found, ...following(own, found)]
  },
}

function is4xx(status: number | null): status is number {
  return status !== null && status >= 400 && status < 500
}

function following(own: CheckResult, found: readonly CheckResult[]): CheckResult[] {
  const { note: _, ...rest } = own
  const reported = new Set([own, ...found].map(({ requirement }) => requirement))
  const verdict = own.verdict === 'pass' ? 'pass' : 'inconclusive'
  return SHOWN_BY_THE_FIRST.filter((id) => !reported.has(id)).map((requirement) => ({ ...rest, requirement, verdict }))
}

/** The first delivery decides whether anything else is worth sending. */
export const FIRST: ReceiverScenario = receiverScenario(
  'events/first',
  'A valid delivery is accepted, in time and where it was sent',
  [FIRST_STEP],
)

/** Eight at once, and eight more if that failed; the run continues in parallel only if it went well. */
export const AT_THE_SAME_TIME: ReceiverScenario = receiverScenario(
  'timing/at-the-same-time',
  'Deliveries that come at the same time are all accepted, in time',
  [
    courseStep('RECV-19', numbered(AT_ONCE), async (courier) => {
      const first = await allAtOnce(courier)
      const isFine = first.every((sent) => standingOf(sent, courier) === 'taken')
      const last = isFine ? first : await allAtOnce(courier)
      return last.map((sent, at) => togetherCheck(courier, `delivery_${at + 1}`, sent, isFine))
    }),
  ],
)

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `delivery_${at + 1}`)
}

function allAtOnce(courier: Courier): Promise<Sent[]> {
  return Promise.all(numbered(AT_ONCE).map(() => courier.deliver(courier.valid())))
}

function togetherCheck(courier: Courier, step: string, sent: Sent, isFine: boolean): CheckResult {
  const expected = `${inTime(courier)}, each of ${AT_ONCE}`
  return placed(step, 'RECV-19', expected, sent.exchange, togetherJudgment(courier, sent, isFine))
}

function togetherJudgment(courier: Courier, sent: Sent, isFine: boolean): Check {
  const actual = inWords(sent)
  if (standingOf(sent, courier) !== 'taken')
    return failure(actual, 'deliveries are accepted one after the other, or block each other')
  return isFine ? { verdict: 'pass', actual } : unproven(actual, 'not all went well the first time')
}

const REPEATS = ['at_once', 'later', 'at_the_same_time', 'at_the_same_time_too']

const REPEATED = receiverScenario('events/repeated', 'An event that comes again is accepted again', [
  courseStep('RECV-13', REPEATS, async (courier) => {
    const [one, other] = [courier.valid(), courier.valid()]
    const cause =
      'a repeat is an error here, so the service goes on repeating; answer it as the first one and do nothing'
    const again = (step: string, delivery: Delivery) => judgeValid(courier, { step, shows: 'RECV-13', cause }, delivery)
    await courier.deliver(one)
    const atOnce = await again('at_once', one)
    const together = await Promise.all([again('at_the_same_time', other), again('at_the_same_time_too', other)])
    return [atOnce, await again('later', one), ...together].flat()
  }),
])

/** The life of an order backwards, so that no event finds what it follows from. */
const BACKWARDS = [
  'order.settled',
  'order.transfer_completed',
  'order.transfer_started',
  'order.recorded',
  'order.refunded',
]

function outOfOrder(): ReceiverScenario {
  const publicId = opaqueId('order')
  const cause = 'an event is refused because one before it is missing; the order of deliveries is not promised'
  const wishes = Object.fromEntries(BACKWARDS.map((type) => [stepOf(type), { type, publicId }]))
  const steps = validSteps('RECV-17', cause, wishes)
  return receiverScenario('events/out-of-order', 'Events are accepted in any order', steps)
}

const KEPT_ALIVE = 3

const KEEP_ALIVE = receiverScenario(
  'headers/keep-alive',
  'Deliveries that share a connection are each accepted',
  [
    courseStep('RECV-25', numbered(KEPT_ALIVE), async (courier) => {
      const checks: CheckResult[] = []
      for (const step of numbered(KEPT_ALIVE)) checks.push(...(await keptAlive(courier, step)))
      return checks
    }),
  ],
  { alone: true },
)

/** The receiver may close a connection between two deliveries: the second try opens its own. */
async function keptAlive(courier: Courier, step: string): Promise<CheckResult[]> {
  const cause = 'something of the delivery before is left on the connection'
  const first = await courier.deliver(courier.valid({ connection: 'keep-alive' }))
  const isClosed = first.broken?.reason === 'reset'
  const counted = isClosed ? await courier.deliver(courier.valid()) : first
  return checksOf(courier, { step, shows: 'RECV-25', cause }, [counted])
}

/** Made for each run: its order is one that no other run has. */
export function courseScenarios(): ReceiverScenario[] {
  return [REPEATED, outOfOrder(), KEEP_ALIVE]
}
