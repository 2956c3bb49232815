import { sleep } from '../../clock/wall-clock.ts'
import { eventHas, eventValue, type HistoryEvent } from '../context/event-history.ts'
import type { Session } from '../context/scenario-run.ts'
import { durationOf } from '../format/duration-of.ts'
import type { Expectation, Step, Template } from '../format/scenario.ts'
import { expectationsOf } from '../format/step-names.ts'
import { firstPauseMs, longerPauseMs } from '../http/pauses.ts'
import { judge } from '../judge/judge.ts'
import type { StepOutcome } from '../judge/pending-checks.ts'
import { filled } from '../judge/references.ts'
import { longestWaitMs } from '../target/longest-wait.ts'
import { hookReader } from './received-deliveries.ts'
import { reported, somethingHappened } from './report-step.ts'

export async function carryOutMark(session: Session, step: Step, name: string): Promise<StepOutcome> {
  const reader = session.desk.cast.pick(step.as)
  const { known } = await session.desk.events.of(reader).refresh(session)
  const mark = { kind: 'mark', position: known, reader: reader.name } as const
  session.records.set(name, mark)
  session.latestMark = mark
  return { drafts: [], stop: null }
}

const QUIET_FOR_MS = 2_000
/** Left for a second event of the same kind to turn up, where the number is what counts. */
const SETTLE_MS = 1_500

/** Waits for events, or for their absence, and judges what the history then holds. */
export async function carryOutHistory(session: Session, step: Step, name: string): Promise<StepOutcome> {
  const { campaign } = session
  const isOfHooks = step.receive !== undefined || step.quiet?.hook !== undefined
  const read = isOfHooks ? hookReader(session, step) : historyReader(session, step)
  const lagMs = (): number | null => (isOfHooks ? campaign.learnt.hookLagMs : campaign.learnt.historyLagMs)
  const startedMs = campaign.wall.monotonicMs()
  const spentMs = (): number => campaign.wall.monotonicMs() - startedMs
  // Who delivers one after the other is not late as long as something comes.
  const idleMs = (): number => campaign.wall.monotonicMs() - Math.max(startedMs, latestDelivery(session, step))
  let found = await read()
  let waitedMs: number | undefined
  const waits = step.events ?? step.receive
  if (waits) {
    let pauseMs = firstPauseMs(campaign.loopback)
    const withinMs = longestWaitMs(campaign, step)
    while (
      !holds(session, step, found.events) &&
      somethingHappened(session) &&
      !isHopeless(session, step, found.events) &&
      idleMs() < withinMs &&
      spentMs() < MOST_PATIENCE * withinMs &&
      !campaign.signal?.aborted
    ) {
      await sleep(pauseMs, campaign.signal)
      pauseMs = longerPauseMs(pauseMs)
      found = await read()
    }
    if (idleMs() >= withinMs) waitedMs = withinMs
    if (holds(session, step, found.events) && countsExactly(step)) {
      await sleep(Math.min(SETTLE_MS, settleMs(lagMs(), SETTLE_MS)), campaign.signal)
      found = await read()
    }
  } else {
    const forMs = durationOf(step.quiet?.for) ?? QUIET_FOR_MS
    while (spentMs() < settleMs(lagMs(), forMs) && !campaign.signal?.aborted)
      await sleep(Math.min(50, forMs), campaign.signal)
    found = await read()
  }
  session.records.set(name, { kind: 'events', ...found })
  const waited = { name: isOfHooks ? 'deliveries' : 'events', ...(waitedMs === undefined ? {} : { waitedMs }) } as const
  return reported(session, step, name, { kind: 'events', events: found.events, ...waited }, found.exchange)
}

/** However much else is delivered meanwhile, nothing is waited for longer than so many times its patience. */
const MOST_PATIENCE = 6

function latestDelivery(session: Session, { receive }: Step): number {
  const arrived = receive ? [...session.hooks.values()].map(({ deliveries }) => deliveries.at(-1)?.arrivedMs ?? 0) : []
  return Math.max(0, ...arrived)
}

/** For what is not to come: several times as long as this history, or the deliveries, have ever been seen to lag, once that is known. */
function settleMs(seenMs: number | null, atMostMs: number): number {
  return seenMs === null ? atMostMs : Math.min(atMostMs, Math.max(100, 5 * seenMs))
}

/** Reads what there is so far. */
export type EventReader = () => Promise<{ events: readonly HistoryEvent[]; exchange: string | null }>

function historyReader(session: Session, step: Step): EventReader {
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
      .filter((event) => (type === undefined ? isShown(event) : event.type === type) && eventHas(event, where))
    return { events, exchange }
  }
}

/** The document speaks of a transfer.* family in the history without showing it: nobody can say what it holds, or how many there are. */
function isShown({ type }: HistoryEvent): boolean {
  return !type.startsWith('transfer.')
}

function holds(session: Session, step: Step, events: readonly HistoryEvent[]): boolean {
  const expectations = expectationsOf(step)
  if (expectations.length === 0) return events.length > 0
  return expectations.every((expectation) => judge(session, expectation, { kind: 'events', events }).verdict === 'pass')
}

/** No waiting mends it: there are too many already, or one is wrong in something that never changes. */
function isHopeless(session: Session, step: Step, events: readonly HistoryEvent[]): boolean {
  return expectationsOf(step).some(
    (expectation) => isTooMany(expectation, events) || isWrongForGood(session, expectation, events),
  )
}

function isTooMany({ count, at_most: atMost, distinct }: Expectation, events: readonly HistoryEvent[]): boolean {
  const limit = typeof count === 'number' ? count : atMost
  const size =
    distinct === undefined
      ? events.length
      : new Set(events.map((event) => JSON.stringify(eventValue(event, distinct)))).size
  return limit !== undefined && size > limit
}

/** What becomes of a delivery is not settled when it comes; all else about it, and about an event, is. */
const NOT_SETTLED = /^delivery\.(answered|attempts|given_up|given_up_after_ms|counted_as_failed|in_history)$/

function isWrongForGood(session: Session, expectation: Expectation, events: readonly HistoryEvent[]): boolean {
  const settled = Object.entries(expectation.every ?? {}).filter(([path]) => !NOT_SETTLED.test(path))
  if (settled.length === 0 || events.length === 0) return false
  return judge(session, { every: Object.fromEntries(settled) }, { kind: 'events', events }).verdict === 'fail'
}

function countsExactly(step: Step): boolean {
  return expectationsOf(step).some(
    ({ count, distinct, at_most: atMost }) =>
      distinct !== undefined || atMost !== undefined || typeof count === 'number',
  )
}
