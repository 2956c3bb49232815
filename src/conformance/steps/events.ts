import { parseDuration } from '../../clock/duration.ts'
import { sleep } from '../../clock/wall-clock.ts'
import type { OtherSecret } from '../../contract/diagnosis/key-mistakes.ts'
import { isEventType } from '../../contract/event-types.ts'
import { eventHas, eventValue } from '../context/event-history.ts'
import { besideHistory, receivedEvents } from '../context/hooks.ts'
import type { HistoryEvent, ScenarioRun } from '../context/run.ts'
import { noteLeak, record } from '../context/send-call.ts'
import type { Expectation } from '../format/expectations/expectation.ts'
import type { NamedScenario, NamedStep, Step } from '../format/scenario.ts'
import { expectationsOf, producedBy } from '../format/step-facts.ts'
import { referencesIn, type Template } from '../format/values.ts'
import type { Reply } from '../http/exchange.ts'
import { atPath } from '../http/json-body.ts'
import { FIRST_LOOK_MS, longerPauseMs } from '../http/throttle.ts'
import { judge } from '../judge/judge.ts'
import type { StepOutcome } from '../judge/placed-check.ts'
import { filled, filledText } from '../judge/references.ts'
import { heldBackMs, longestWaitMs } from '../target/target.ts'
import { type Delivery, type Hook, validSecrets } from '../webhooks/receiver.ts'
import { reported, slowestAnswerMs, somethingHappened } from './report-step.ts'

/** Makes a hook answer otherwise from here on. */
export async function runHook(scenarioRun: ScenarioRun, { hook }: Step): Promise<StepOutcome> {
  const wish = hook as NonNullable<Step['hook']>
  const where = filled(scenarioRun, (wish.where ?? {}) as Template) as Record<string, unknown>
  hookCalled(scenarioRun, wish.name ?? 'main').behave({
    answer: answerOf(scenarioRun, wish.answer),
    times: wish.times ?? null,
    fits: (json) =>
      (wish.type === undefined || atPath(json, 'type') === wish.type) &&
      eventHas({ id: '', type: '', json, position: 0 }, where),
  })
  return { checks: [], stop: null }
}

function answerOf(
  scenarioRun: ScenarioRun,
  answer: NonNullable<Step['hook']>['answer'],
): Parameters<Hook['behave']>[0]['answer'] {
  if (typeof answer === 'number') return { status: answer, afterMs: 0 }
  if (answer === 'hang_up') return { status: null, afterMs: 0 }
  if ('redirect' in answer) return { status: 307, afterMs: 0, location: filledText(scenarioRun, answer.redirect) }
  return { status: answer.status ?? 200, afterMs: heldBackMs(scenarioRun.run.target, answer) }
}

/** Reads the deliveries at the hook of a step, or at all hooks of the run, as others read the history. */
function hookReader(scenarioRun: ScenarioRun, step: Step): Watch['read'] {
  const { hook: name = 'main', type, after, since, ...wish } = step.events ?? {}
  const where = filled(scenarioRun, (wish.where ?? {}) as Template) as Record<string, unknown>
  const sinceMs = after === undefined ? Number.NEGATIVE_INFINITY : (scenarioRun.finishedAtMs.get(after) ?? 0)
  const suspects = apiKeysOf(scenarioRun)
  const reader = scenarioRun.run.credentials.pick(step.as)
  const { receiver } = scenarioRun.run
  const isOfRun = since !== undefined
  return async () => {
    const hooks = isOfRun ? (receiver?.hooks() ?? []) : [hookCalled(scenarioRun, name)]
    const ofRun = isOfRun ? secretsOf(hooks) : []
    const received = hooks.flatMap((hook) => {
      for (const delivery of hook.deliveries) noteDeliveryLag(scenarioRun, delivery)
      // Which secret signs what is sent again after a replacement is open, and over a whole run there are replacements. Nearly all
      // have one of this hook.
      const ofHook = isOfRun ? [...secretsOf([hook]), ...ofRun] : null
      // Two partners may have registered one address, each under a secret of its own.
      const own = hook.registrations.filter(({ partner }) => partner === reader.partner)
      const secretsAt = (atMs: number): string[] =>
        ofHook ?? validSecrets(own.length > 0 ? own : hook.registrations, atMs)
      return receivedEvents(hook, secretsAt, suspects)
    })
    // A target may send other things to the webhooks of a run, such as a first call that tries one.
    const wanted = received.filter(
      ({ event, from }) =>
        from.arrivedMs > sinceMs &&
        (type === undefined ? !isOfRun || isEventType(event.type) : event.type === type) &&
        eventHas(event, where),
    )
    const isCompared = JSON.stringify(step.expect ?? '').includes('delivery.in_history')
    // The history is of interest as soon as there is something to compare with it.
    const history = wanted.length > 0 && isCompared ? scenarioRun.run.historyOf(reader) : null
    await history?.refresh(scenarioRun)
    const events = wanted.map((one) => (history ? besideHistory(one, history.since(0)) : one.event))
    const exchangeOf = (at: number): string | null => {
      const one = wanted.at(at)
      return one ? recordDelivery(scenarioRun, one.from) : null
    }
    return { events, exchange: exchangeOf(-1), exchangeOf }
  }
}

/** Every secret that this run has registered, or tried to. */
function secretsOf(hooks: readonly Hook[]): string[] {
  return hooks.flatMap(({ secret, registrations }) => [secret, ...registrations.map((one) => one.secret)])
}

/** @throws RangeError if the scenario opened no such hook. */
function hookCalled(scenarioRun: ScenarioRun, name: string): Hook {
  const hook = scenarioRun.hooks.get(name)
  if (!hook) throw new RangeError(`no such hook: ${name}`)
  return hook
}

/** Keys of API calls, which some take for the webhook secret. */
function apiKeysOf({ run }: ScenarioRun): OtherSecret[] {
  return run.target.credentials.flatMap(({ name, secret, keyId }) => [
    { whose: `the API secret of ${name}`, secret },
    { whose: `the key id of ${name}`, secret: keyId },
  ])
}

/** How long an order's first event took to arrive, at most. The time of what happens to an order later is unknown. */
function noteDeliveryLag({ run }: ScenarioRun, { json, atMs }: Delivery): void {
  const { pace } = run
  if (atPath(json, 'type') !== 'order.recorded') return
  const id = String(atPath(json, 'data.order.public_id'))
  const recordedAtMs = pace.recordedAtMs.get(id)
  if (recordedAtMs === undefined || pace.deliveredOrders.has(id)) return
  pace.deliveredOrders.add(id)
  pace.hookLagMs = Math.max(pace.hookLagMs ?? 0, atMs - recordedAtMs)
}

/** Puts a delivery into the log of the run, once, as an exchange in which the target asks and we answer. */
function recordDelivery(scenarioRun: ScenarioRun, delivery: Delivery): string {
  if (delivery.exchange !== undefined) return delivery.exchange
  const { method, target, headers, body, atMs } = delivery
  const request = { method, target, headers, body }
  const { id } = record(scenarioRun, {
    sentAtMs: atMs,
    request,
    canonicalString: null,
    ...replyTo(delivery),
    speaker: 'target',
  })
  noteLeak(scenarioRun.run, { headers, body }, id)
  delivery.exchange = id
  return id
}

function replyTo({ ending }: Delivery): Reply {
  if (ending?.kind === 'answered') {
    const { status, afterMs } = ending
    const answer = { op: null, status, headers: [], body: new Uint8Array(), json: undefined }
    return { answer, broken: null, tookMs: afterMs }
  }
  const tookMs = ending?.afterMs ?? 0
  const how = ending === null ? 'it still waits' : ending.kind === 'hung-up' ? 'we hung up' : 'the target gave up'
  return { answer: null, broken: { reason: 'reset', message: `a delivery without an answer: ${how}` }, tookMs }
}

/** The steps that count events of a history from where it ends after this step; null is the beginning of the scenario. */
export function stepsCountingFrom({ steps }: NamedScenario, after: string | null): NamedStep[] {
  return steps.filter(({ events }) => events && events.hook === undefined && (events.after ?? null) === after)
}

/**
 * Notes where the histories end that later steps count from here.
 *
 * @param after the step that is over; null when the scenario begins.
 */
export async function noteHistoryEnds(scenarioRun: ScenarioRun, after: string | null): Promise<void> {
  const { scenario, run, historyEnds } = scenarioRun
  const counting = stepsCountingFrom(scenario, after)
  for (const step of counting) {
    const key = historyEnd(scenarioRun, step)
    if (historyEnds.has(key)) continue
    const history = run.historyOf(run.credentials.pick(step.as))
    const ofThisEnd = counting.filter((other) => historyEnd(scenarioRun, other) === key)
    // Events that name what this scenario has made cannot have happened before, so that it does not matter where the history ended.
    // Of a domain, an earlier sale may have left some.
    const isNeeded = ofThisEnd.some(
      ({ events: other }) =>
        other?.since === undefined &&
        !referencesIn(other?.where).some(([first]) => scenario.steps.some(({ id }) => id === first)),
    )
    historyEnds.set(key, isNeeded ? (await history.refresh(scenarioRun)).known : history.since(0).length)
  }
}

function historyEnd({ run }: ScenarioRun, { as, events }: Step): string {
  return `${run.credentials.pick(as).name} ${events?.after ?? ''}`
}

/** Left for a second event of the same kind to turn up, where the number is what counts. */
const SETTLE_MS = 1_500

/** Waits for events or deliveries, or for their absence, and judges what is there then. */
export async function runEvents(scenarioRun: ScenarioRun, step: NamedStep): Promise<StepOutcome> {
  const { pace, wall } = scenarioRun.run
  const ofHooks = producedBy(step) === 'deliveries'
  const readAll = ofHooks ? hookReader(scenarioRun, step) : historyReader(scenarioRun, step)
  const watch: Watch = {
    async read() {
      const found = await readAll()
      // What is expected may refer to what this very step has found.
      scenarioRun.records.set(step.id, { kind: 'events', ...found })
      return found
    },
    lagMs: () => (ofHooks ? pace.hookLagMs : pace.historyLagMs),
    startedMs: wall.monotonicMs(),
  }
  const { found, ...waited } = await (step.events?.none_for === undefined ? awaitArrival : awaitSilence)(
    scenarioRun,
    step,
    watch,
  )
  const { events, exchange, exchangeOf } = found
  const subject = { kind: 'events', events, name: ofHooks ? 'deliveries' : 'events', ...waited, exchangeOf } as const
  return reported(scenarioRun, step, subject, exchange)
}

interface FoundEvents {
  events: readonly HistoryEvent[]
  exchange: string | null
  exchangeOf(at: number): string | null
}

/** How a run looks for events. */
interface Watch {
  /** Reads what there is so far. */
  read: () => Promise<FoundEvents>
  /** How late they have been seen to come; null before the first. */
  lagMs: () => number | null
  startedMs: number
}

/** A pause that takes so much longer means that the runner itself stood still. No event could arrive meanwhile. */
const USUAL_DELAY_MS = 100

async function awaitArrival(
  scenarioRun: ScenarioRun,
  step: Step,
  watch: Watch,
): Promise<{ found: FoundEvents; waitedMs?: number }> {
  const seen = await lookUntilThere(scenarioRun, step, watch)
  const countsExactly = expectationsOf(step).some(
    ({ count, distinct }) => distinct !== undefined || typeof count === 'number',
  )
  if (!countsExactly || !holds(scenarioRun, step, seen.found.events)) return seen
  await sleep(settleMs(watch.lagMs(), SETTLE_MS), scenarioRun.run.signal)
  return { ...seen, found: await watch.read() }
}

/** Looks until what is expected is there, cannot come any more, or has had its time. */
async function lookUntilThere(
  scenarioRun: ScenarioRun,
  step: Step,
  { read, startedMs }: Watch,
): Promise<{ found: FoundEvents; waitedMs?: number }> {
  const { run } = scenarioRun
  let found = await read()
  const withinMs = longestWaitMs(run, step, slowestAnswerMs(scenarioRun))
  let stalledMs = 0
  const nowMs = (): number => run.wall.monotonicMs() - stalledMs
  // A target that delivers one after the other is not late as long as deliveries come.
  let heard = { arrivedMs: Number.NEGATIVE_INFINITY, ranMs: startedMs }
  const idleMs = (): number => {
    const arrivedMs = step.events?.hook === undefined ? 0 : latestDelivery(scenarioRun)
    if (arrivedMs > heard.arrivedMs) heard = { arrivedMs, ranMs: Math.max(startedMs, arrivedMs - stalledMs) }
    return nowMs() - heard.ranMs
  }
  const isOver = (): boolean =>
    idleMs() >= withinMs || nowMs() - startedMs >= MOST_PATIENCE * withinMs || run.signal?.aborted === true
  let pauseMs: number = FIRST_LOOK_MS[run.place]
  let isLast = false
  while (!holds(scenarioRun, step, found.events)) {
    if (!somethingHappened(scenarioRun) || isHopeless(scenarioRun, step, found.events) || isLast) break
    // A reading takes its time: the last one begins when the time is over.
    isLast = isOver()
    const pausedFromMs = run.wall.monotonicMs()
    const restMs = isLast ? 0 : pauseMs
    await sleep(restMs, run.signal)
    stalledMs += Math.max(0, run.wall.monotonicMs() - pausedFromMs - restMs - USUAL_DELAY_MS)
    pauseMs = longerPauseMs(pauseMs)
    found = await read()
  }
  return { found, ...(idleMs() >= withinMs && { waitedMs: withinMs }) }
}

/** What comes wrongly may come by another way than what was prompt, as from a queue that is worked through again. */
const LEAST_SILENCE_MS = 1_000

async function awaitSilence(
  { run }: ScenarioRun,
  { events }: Step,
  { read, lagMs, startedMs }: Watch,
): Promise<{ found: FoundEvents }> {
  const forMs = parseDuration(events?.none_for ?? '') ?? 0
  if (forMs > 0) await read()
  const spentMs = (): number => run.wall.monotonicMs() - startedMs
  const wantedMs = (): number => Math.max(settleMs(lagMs(), forMs), Math.min(forMs, LEAST_SILENCE_MS))
  while (spentMs() < wantedMs() && !run.signal?.aborted) await sleep(Math.min(50, forMs), run.signal)
  return { found: await read() }
}

/** However much else is delivered meanwhile, the wait never exceeds this multiple of its patience. */
const MOST_PATIENCE = 6

function latestDelivery({ hooks }: ScenarioRun): number {
  return Math.max(0, ...[...hooks.values()].map(({ deliveries }) => deliveries.at(-1)?.arrivedMs ?? 0))
}

/** For events that must not come: several times the longest lag of this history, or of the deliveries, once that is known. */
function settleMs(seenMs: number | null, atMostMs: number): number {
  return seenMs === null ? atMostMs : Math.min(atMostMs, Math.max(100, 5 * seenMs))
}

function historyReader(scenarioRun: ScenarioRun, step: Step): Watch['read'] {
  const { type, where = {} } = step.events ?? {}
  const reader = scenarioRun.run.credentials.pick(step.as)
  const history = scenarioRun.run.historyOf(reader)
  const wanted = filled(scenarioRun, where as Template) as Record<string, unknown>
  const end = scenarioRun.historyEnds.get(historyEnd(scenarioRun, step)) ?? 0
  const position = step.events?.since === undefined ? end : 0
  return async () => {
    const { exchange } = await history.refresh(scenarioRun)
    const events = history
      .since(position)
      .filter(
        (event) => (type === undefined ? isEventType(event.type) : event.type === type) && eventHas(event, wanted),
      )
    return { events, exchange, exchangeOf: (at) => events.at(at)?.shownIn ?? null }
  }
}

function holds(scenarioRun: ScenarioRun, step: Step, events: readonly HistoryEvent[]): boolean {
  const expectations = expectationsOf(step)
  if (expectations.length === 0) return events.length > 0
  return expectations.every(
    (expectation) => judge(scenarioRun, expectation, { kind: 'events', events }).verdict === 'pass',
  )
}

/** No waiting mends it: there are too many already, or one is wrong in something that never changes. */
function isHopeless(scenarioRun: ScenarioRun, step: Step, events: readonly HistoryEvent[]): boolean {
  return expectationsOf(step).some(
    (expectation) => isTooMany(expectation, events) || isWrongForGood(scenarioRun, expectation, events),
  )
}

function isTooMany({ count, distinct }: Expectation, events: readonly HistoryEvent[]): boolean {
  const limit = typeof count === 'number' ? count : undefined
  const size =
    distinct === undefined
      ? events.length
      : new Set(events.map((event) => JSON.stringify(eventValue(event, distinct)))).size
  return limit !== undefined && size > limit
}

/** What becomes of a delivery is not settled when it comes; all else about it, and about an event, is. */
const NOT_SETTLED = /^delivery\.(answered|attempts|given_up|given_up_after_ms|counted_as_failed|in_history)$/

function isWrongForGood(scenarioRun: ScenarioRun, expectation: Expectation, events: readonly HistoryEvent[]): boolean {
  const settled = Object.entries(expectation.every ?? {}).filter(([path]) => !NOT_SETTLED.test(path))
  if (settled.length === 0 || events.length === 0) return false
  return judge(scenarioRun, { every: Object.fromEntries(settled) }, { kind: 'events', events }).verdict === 'fail'
}
