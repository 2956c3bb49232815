import { formatDuration } from '../../clock/duration.ts'
import type { CheckResult } from '../result/result.ts'
import type { Bench } from './bench.ts'
import { type Delivery, inWords, type Sent, standingOf } from './delivery.ts'
import { DELIVERIES_TO_EXPLAIN, explainRefusal } from './explain-refusal.ts'
import { checksOf, judgeSound, type SoundStep } from './judge-sound.ts'
import { checkOf, type ReceiverScenario } from './scenario.ts'
import { sound } from './sound-scenarios.ts'

/** So many the service may have under way at once. */
const AT_ONCE = 8

const FIRST_STEP: SoundStep = {
  step: 'first',
  shows: 'RECV-01',
  make: (bench) => bench.sound(bench.event('order.recorded')),
  cause: 'the receiver has another secret, or expects another signature; "partner-sandbox verify webhook" explains one',
}

/** The first delivery decides whether anything else is worth sending. */
export const FIRST: ReceiverScenario = {
  id: 'events/first',
  title: 'A sound delivery is taken, in time and where it was sent',
  checks: ['RECV-01', 'RECV-02', 'RECV-21'].map((requirement) => ({ step: 'first', requirement })),
  deliveriesAtMost: 2 + DELIVERIES_TO_EXPLAIN,
  turn: 'alone',
  async run(bench) {
    const found = await judgeSound(bench, FIRST_STEP)
    const [own] = found
    if (!own) return found
    const { status } = bench.sent.at(-1) ?? { status: null }
    const why = own.verdict === 'fail' && is4xx(status) ? await explainRefusal(bench, status) : null
    if (why !== null) own.note = why
    // What was found against the other two is said; the rest follows from the answer that came.
    return [...found, ...missing(found, own)]
  },
}

function is4xx(status: number | null): status is number {
  return status !== null && status >= 400 && status < 500
}

function missing(found: readonly CheckResult[], own: CheckResult): CheckResult[] {
  const isTaken = own.verdict === 'pass'
  return ['RECV-02', 'RECV-21']
    .filter((requirement) => !found.some((check) => check.requirement === requirement))
    .map((requirement) => {
      const { note: _, ...rest } = own
      return { ...rest, requirement, verdict: isTaken ? 'pass' : 'inconclusive' }
    })
}

/** Eight at once, and eight more where that went wrong; the run goes on side by side only where it went well. */
export const AT_THE_SAME_TIME: ReceiverScenario = {
  id: 'timing/at-the-same-time',
  title: 'Deliveries that come at the same time are all taken, in time',
  checks: Array.from({ length: AT_ONCE }, (_, at) => ({ step: `delivery_${at + 1}`, requirement: 'RECV-19' })),
  deliveriesAtMost: AT_ONCE * 2,
  turn: 'alone',
  async run(bench) {
    bench.lanes.limit = AT_ONCE
    const first = await allAtOnce(bench)
    const isFine = first.every((sent) => standingOf(sent, bench.deadlineMs) === 'taken')
    const last = isFine ? first : await allAtOnce(bench)
    if (last.some((sent) => standingOf(sent, bench.deadlineMs) !== 'taken')) bench.lanes.limit = 1
    return last.map((sent, at) => togetherCheck(bench, `delivery_${at + 1}`, sent, isFine))
  },
}

function allAtOnce(bench: Bench): Promise<Sent[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, () => bench.deliver(bench.sound(bench.event('order.recorded')))))
}

function togetherCheck(bench: Bench, step: string, sent: Sent, isFine: boolean): CheckResult {
  const expected = `a 2xx within ${formatDuration(bench.deadlineMs)}, each of ${AT_ONCE}`
  const said = { expected, actual: inWords(sent) }
  const check = (rest: Pick<CheckResult, 'verdict'> & { note?: string }) =>
    checkOf(step, 'RECV-19', sent.exchange.id, { ...said, ...rest })
  if (standingOf(sent, bench.deadlineMs) !== 'taken')
    return check({ verdict: 'fail', note: "deliveries are taken one after the other, or get in each other's way" })
  return isFine
    ? check({ verdict: 'pass' })
    : check({ verdict: 'inconclusive', note: 'not all went well the first time' })
}

const REPEATED: ReceiverScenario = {
  id: 'events/repeated',
  title: 'An event that comes again is taken again',
  checks: ['at_once', 'later', 'at_the_same_time', 'at_the_same_time_too'].map((step) => ({
    step,
    requirement: 'RECV-13',
  })),
  deliveriesAtMost: 10,
  turn: 'together',
  async run(bench) {
    const one = bench.sound(bench.event('order.recorded'))
    const other = bench.sound(bench.event('order.recorded'))
    await bench.deliver(one)
    const again = (step: string, delivery: Delivery) => judgeSound(bench, repeatStep(step, delivery))
    const atOnce = await again('at_once', one)
    const together = await Promise.all([again('at_the_same_time', other), again('at_the_same_time_too', other)])
    return [atOnce, await again('later', one), ...together].flat()
  },
}

function repeatStep(step: string, delivery: Delivery): SoundStep {
  return {
    step,
    shows: 'RECV-13',
    make: () => delivery,
    cause: 'a repeat is an error here, so the service goes on repeating; answer it as the first one and do nothing',
  }
}

/** The life of an order backwards, so that no event finds what it follows from. */
const BACKWARDS = ['order.settled', 'order.transfer_completed', 'order.transfer_started', 'order.recorded'] as const

const OUT_OF_ORDER: ReceiverScenario = {
  id: 'events/out-of-order',
  title: 'Events are taken in whatever order they come',
  checks: [...BACKWARDS, 'order.refunded'].map((type) => ({ step: type.replaceAll('.', '_'), requirement: 'RECV-17' })),
  deliveriesAtMost: 10,
  turn: 'together',
  async run(bench) {
    const publicId = bench.maker.orderId()
    const checks: CheckResult[] = []
    for (const type of [...BACKWARDS, 'order.refunded']) {
      checks.push(...(await judgeSound(bench, orderStep(type, publicId))))
    }
    return checks
  },
}

function orderStep(type: string, publicId: string): SoundStep {
  return {
    step: type.replaceAll('.', '_'),
    shows: 'RECV-17',
    make: (bench) => bench.sound(bench.event(type, { publicId })),
    cause: 'an event is refused because one before it is missing; the order of deliveries is not promised',
  }
}

const KEPT_ALIVE = 3

const KEEP_ALIVE: ReceiverScenario = {
  id: 'headers/keep-alive',
  title: 'Deliveries that share a connection are each taken',
  checks: Array.from({ length: KEPT_ALIVE }, (_, at) => ({ step: `delivery_${at + 1}`, requirement: 'RECV-25' })),
  deliveriesAtMost: KEPT_ALIVE * 2,
  turn: 'alone',
  async run(bench) {
    const checks: CheckResult[] = []
    for (const { step } of this.checks) checks.push(...(await keptAlive(bench, step)))
    return checks
  },
}

/** A connection that was closed between two deliveries was nobody's promise: the second try has one of its own. */
async function keptAlive(bench: Bench, step: string): Promise<CheckResult[]> {
  const wanted: SoundStep = {
    step,
    shows: 'RECV-25',
    make: () => ({ ...bench.sound(bench.event('order.recorded')), connection: 'keep-alive' }),
    cause: 'something of the delivery before is left on the connection',
  }
  const first = await bench.deliver(wanted.make(bench))
  const isClosed = first.exchange.outcome.kind === 'broken' && first.exchange.outcome.reason === 'reset'
  const counted = isClosed ? await bench.deliver({ ...wanted.make(bench), connection: 'close' }) : first
  return checksOf(bench, wanted, [counted])
}

/** @param own payloads of the partner's own, each as often as they gave it. */
export function ownEventsScenario(own: readonly { type: string; data: Record<string, unknown> }[]): ReceiverScenario[] {
  if (own.length === 0) return []
  const steps = own.map(
    ({ type, data }, at): SoundStep => ({
      step: `event_${at + 1}`,
      shows: 'RECV-01',
      make: (bench) => bench.sound(bench.event(type, { data })),
      cause: `the ${type} that --events gave is not taken`,
    }),
  )
  return [sound('events/own', "The events of the partner's own file are taken", steps)]
}

export const COURSE_SCENARIOS: readonly ReceiverScenario[] = [REPEATED, OUT_OF_ORDER, KEEP_ALIVE]
