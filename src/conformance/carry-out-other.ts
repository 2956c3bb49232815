import { parseDuration } from '../clock/duration.ts'
import { sleep } from '../clock/wall-clock.ts'
import { ENDPOINTS } from '../contract/endpoints.ts'
import { isAccepted } from './answer.ts'
import { sendBurst } from './burst.ts'
import { attemptOf, concluded } from './carry-out-call.ts'
import { type Attempt, converse, sign, type Turn, turnOf } from './conversation.ts'
import { noteCreated } from './created.ts'
import { expectationInWords } from './describe.ts'
import { draft, type StepOutcome, stopOf } from './drafts.ts'
import { eventHas, eventValue, type HistoryEvent } from './history.ts'
import { judge, type Subject } from './judge.ts'
import { unproven } from './judgement.ts'
import { observe } from './observe.ts'
import { argumentsOf, canOperate, operate } from './operator.ts'
import { isOperatorAction } from './operator-actions.ts'
import { filled } from './references.ts'
import type { BurstStep, Step, Template } from './scenario.ts'
import type { Session } from './session.ts'
import { NotRun, Unproven } from './signals.ts'
import type { SignedRequest } from './signer.ts'
import { expectationsOf, showsOf } from './steps.ts'
import { recheckClock } from './target-clock.ts'

/** How often a burst of reads is tried until enough of it was in flight at once. */
const BURST_TRIES = 5

/** Sends several calls at once. */
export async function carryOutBurst(
  session: Session,
  step: Step,
  name: string,
  burst: BurstStep,
): Promise<StepOutcome> {
  const wanted = burst.overlap ?? 2
  const mayRepeat = burst.call.op === undefined || ENDPOINTS[burst.call.op].effect === 'read'
  let result = await sendLanes(session, step, burst)
  for (let tries = 1; mayRepeat && result.overlapped < wanted && tries < BURST_TRIES; tries++)
    result = await sendLanes(session, step, burst)
  session.records.set(name, { kind: 'turns', turns: result.turns })
  return reported(session, step, name, { kind: 'burst', ...result, wanted }, result.turns[0]?.exchange.id ?? null)
}

async function sendLanes(
  session: Session,
  step: Step,
  burst: BurstStep,
): Promise<{ turns: Turn[]; overlapped: number }> {
  const { campaign } = session
  const lanes = await lanesOf(session, step, burst)
  for (const _lane of lanes) await campaign.budget.request(campaign.signal)
  const sentAtMs = campaign.wall.nowMs()
  const { outcomes, overlapped } = await sendBurst(
    campaign.senderOptions,
    lanes.map(({ signed }) => signed.wire),
  )
  const turns = lanes.flatMap(({ attempt, signed }, index) => {
    const outcome = outcomes[index]
    return outcome ? [turnOf(session, attempt, signed, outcome, sentAtMs)] : []
  })
  for (const turn of turns) noteCreated(campaign, turn)
  return { turns, overlapped }
}

async function lanesOf(
  session: Session,
  step: Step,
  { lanes, share = [] }: BurstStep,
): Promise<{ attempt: Attempt; signed: SignedRequest }[]> {
  const { attempt: first } = await attemptOf(session, step)
  const firstSigned = sign(session, first)
  if (share.includes('request')) return Array.from({ length: lanes }, () => ({ attempt: first, signed: firstSigned }))
  const made = [{ attempt: first, signed: firstSigned }]
  while (made.length < lanes) {
    const attempt = share.includes('body') ? first : (await attemptOf(session, step)).attempt
    const plan = { ...attempt.plan }
    const key = share.includes('idempotency_key')
      ? first.plan.idempotencyKey
      : plan.idempotencyKey && session.campaign.uuid()
    if (key !== undefined) plan.idempotencyKey = key
    const lane = { ...attempt, plan }
    made.push({
      attempt: lane,
      signed: share.includes('nonce') ? sign(session, lane, firstSigned.nonce) : sign(session, lane),
    })
  }
  return made
}

/** Repeats a call until what is expected comes, or the time is over. */
export async function carryOutUntil(session: Session, step: Step, name: string): Promise<StepOutcome> {
  const { campaign } = session
  const { attempt, twin } = await attemptOf(session, step)
  const everyMs = durationOf(step.until?.every) ?? (campaign.loopback ? 40 : 1_000)
  const untilMs = campaign.wall.monotonicMs() + (durationOf(step.until?.within) ?? 10_000)
  for (;;) {
    const turn = await converse(session, attempt)
    const held = expectationsOf(step).every(
      (expectation) => judge(session, expectation, { kind: 'turn', turn }).verdict === 'pass',
    )
    if (held || campaign.wall.monotonicMs() + everyMs > untilMs || campaign.signal?.aborted) {
      session.records.set(name, { kind: 'turns', turns: [turn] })
      return concluded(session, step, name, { turn, doubt: null }, twin)
    }
    await sleep(everyMs, campaign.signal)
  }
}

export async function carryOutMark(session: Session, step: Step, name: string): Promise<StepOutcome> {
  const reader = session.desk.cast.pick(step.as)
  const { known } = await session.desk.events.of(reader).refresh(session)
  const mark = { kind: 'mark', position: known, reader: reader.name } as const
  session.records.set(name, mark)
  session.latestMark = mark
  return { drafts: [], stop: null }
}

/** The document gives the history no time limit, so a target across a network gets plenty. */
const EVENTS_WITHIN_MS = { loopback: 5_000, elsewhere: 30_000 } as const
const QUIET_FOR_MS = 2_000
/** Left for a second event of the same kind to turn up, where the number is what counts. */
const SETTLE_MS = 1_500

/** Waits for events, or for their absence, and judges what the history then holds. */
export async function carryOutHistory(session: Session, step: Step, name: string): Promise<StepOutcome> {
  const { campaign } = session
  const read = historyReader(session, step)
  const startedMs = campaign.wall.monotonicMs()
  const spentMs = (): number => campaign.wall.monotonicMs() - startedMs
  let found = await read()
  if (step.events) {
    let pauseMs = campaign.loopback ? 25 : 500
    const withinMs = durationOf(step.events.within) ?? usualWaitMs(session)
    while (
      !holds(session, step, found.events) &&
      somethingHappened(session) &&
      !isHopeless(step, found.events) &&
      spentMs() < withinMs &&
      !campaign.signal?.aborted
    ) {
      await sleep(pauseMs, campaign.signal)
      pauseMs = Math.min(pauseMs * 1.5, 1_000)
      found = await read()
    }
    if (holds(session, step, found.events) && countsExactly(step)) {
      await sleep(Math.min(SETTLE_MS, patienceMs(session, SETTLE_MS)), campaign.signal)
      found = await read()
    }
  } else {
    const forMs = durationOf(step.quiet?.for) ?? QUIET_FOR_MS
    while (spentMs() < patienceMs(session, forMs) && !campaign.signal?.aborted)
      await sleep(Math.min(50, forMs), campaign.signal)
    found = await read()
  }
  session.records.set(name, { kind: 'events', ...found })
  return reported(session, step, name, { kind: 'events', events: found.events }, found.exchange)
}

/** How long an event may take: a fixed time, or on loopback a multiple of what this history has been seen to take. */
function usualWaitMs({ campaign }: Session): number {
  if (!campaign.loopback) return EVENTS_WITHIN_MS.elsewhere
  const { historyLagMs } = campaign.learnt
  return historyLagMs === null
    ? EVENTS_WITHIN_MS.loopback
    : Math.min(EVENTS_WITHIN_MS.loopback, Math.max(1_000, 20 * historyLagMs))
}

/** Several times as long as this history has ever been seen to lag, once that is known. */
function patienceMs(session: Session, atMostMs: number): number {
  const { historyLagMs } = session.campaign.learnt
  return historyLagMs === null ? atMostMs : Math.min(atMostMs, Math.max(100, 5 * historyLagMs))
}

function historyReader(
  session: Session,
  step: Step,
): () => Promise<{ events: readonly HistoryEvent[]; exchange: string | null }> {
  const wish = step.events ?? step.quiet
  const reader = session.desk.cast.pick(step.as)
  const history = session.desk.events.of(reader)
  const type = step.events?.type ?? step.quiet?.events
  const where = filled(session, (wish?.where ?? {}) as Template) as Record<string, unknown>
  const marked = wish?.since === undefined ? session.latestMark : session.records.get(wish.since)
  const position = marked?.kind === 'mark' && marked.reader === reader.name ? marked.position : 0
  return async () => {
    const { exchange } = await history.refresh(session)
    const events = history
      .since(position)
      .filter((event) => (type === undefined || event.type === type) && eventHas(event, where))
    return { events, exchange }
  }
}

function holds(session: Session, step: Step, events: readonly HistoryEvent[]): boolean {
  const expectations = expectationsOf(step)
  if (expectations.length === 0) return events.length > 0
  return expectations.every((expectation) => judge(session, expectation, { kind: 'events', events }).verdict === 'pass')
}

/** There are too many already, and a history never shrinks. */
function isHopeless(step: Step, events: readonly HistoryEvent[]): boolean {
  return expectationsOf(step).some(({ count, at_most: atMost, distinct }) => {
    const limit = typeof count === 'number' ? count : atMost
    const size =
      distinct === undefined
        ? events.length
        : new Set(events.map((event) => JSON.stringify(eventValue(event, distinct)))).size
    return limit !== undefined && size > limit
  })
}

function countsExactly(step: Step): boolean {
  return expectationsOf(step).some(
    ({ count, distinct, at_most: atMost }) =>
      distinct !== undefined || atMost !== undefined || typeof count === 'number',
  )
}

/** Reports a step that has no twin. */
function reported(session: Session, step: Step, name: string, subject: Subject, exchange: string | null): StepOutcome {
  const outcome: StepOutcome = { drafts: [], stop: null }
  const given = expectationsOf(step)
  const expectations = given.length > 0 || subject.kind === 'burst' ? given : [{}]
  for (const wish of expectations) {
    const expectation = step.quiet && wish.count === undefined ? { ...wish, count: 0 } : wish
    const first = judge(session, expectation, subject)
    const judgement =
      step.events && first.verdict === 'fail' && !somethingHappened(session)
        ? unproven(first.actual, NOTHING_HAPPENED)
        : first
    const ids = showsOf(expectation)
    if (ids.length === 0) outcome.stop ??= stopOf(name, judgement)
    for (const id of ids)
      outcome.drafts.push(draft(name, id, expectationInWords(session, expectation), exchange, judgement))
  }
  const seen = observe(session, step, name, subject, exchange)
  session.observations.push(...seen.observations)
  outcome.drafts.push(...seen.drafts)
  return outcome
}

const NOTHING_HAPPENED = 'no write of this scenario was accepted, so there is nothing to be told of'

/** Whether anything was done in this scenario that an event could tell of. */
function somethingHappened(session: Session): boolean {
  return [...session.records.values()].some((record) => {
    if (record.kind === 'operated') return true
    return (
      record.kind === 'turns' &&
      record.turns.some(({ attempt, answer }) => attempt.plan.method !== 'GET' && isAccepted(answer))
    )
  })
}

/** Has the operator act, or takes the next best way that the step allows. */
export async function carryOutOperator(session: Session, step: Step, name: string): Promise<StepOutcome> {
  const [[action, template] = []] = Object.entries(step.operator ?? {})
  if (action === undefined || !isOperatorAction(action)) throw new RangeError(`${action} is no operator action`)
  const values = argumentsOf(action, filled(session, template as Template))
  const { campaign } = session
  if (canOperate(campaign.target, action)) {
    const outcome = await operate(session, action, values)
    if (!outcome.done) return { drafts: [], stop: { verdict: 'inconclusive', note: `step ${name}: ${outcome.why}` } }
    session.records.set(name, { kind: 'operated' })
  } else await otherwise(session, step)
  if (action === 'skew_clock') campaign.learnt.skewMs = Number(values.seconds) * 1_000
  if (action === 'advance_clock') {
    campaign.learnt.advancedMs += Number(values.seconds) * 1_000
    await recheckClock(session, session.desk.cast.main, Number(values.seconds) * 1_000)
  }
  return { drafts: [], stop: null }
}

async function otherwise(session: Session, step: Step): Promise<void> {
  const { campaign } = session
  for (const rung of step.else ?? ['not_run' as const]) {
    if (rung === 'not_run') break
    if ('wait' in rung) {
      const ms = durationOf(rung.wait) ?? 0
      if (ms > campaign.maxWaitMs) continue
      campaign.onWait(session.scenario, 'nobody can move the clock of the target', ms)
      await sleep(ms, campaign.signal)
      // Time that really passed is in nobody's clock offset.
      campaign.learnt.advancedMs -= ms
      return
    }
    if (!campaign.ask) continue
    if (await campaign.ask(rung.ask)) return
    throw new Unproven('the person who was asked did not do it')
  }
  throw new NotRun('needs-operator', 'there is no operator, and no other way was open')
}

function durationOf(text: string | undefined): number | null {
  return text === undefined ? null : parseDuration(text)
}
