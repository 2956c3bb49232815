import { type Alarm, callAfter, type WallClock } from '../clock/wall-clock.ts'
import type { RefusalId } from '../contract/diagnosis/refusals.ts'
import type { Environment } from '../sandbox/app/environment.ts'
import type { FeedMessage, LoggedCall, Proxied } from '../sandbox/app/log.ts'
import { findDelivery } from '../sandbox/webhooks/deliveries.ts'
import type { Worlds } from '../sandbox/worlds/worlds.ts'
import type { Activity, CallNotice, DeliveryNotice, Skipped, SkippedNotice } from './activity.ts'
import { isLarge } from './hints.ts'
import { codeOf } from './present-request.ts'

/** A person reads no more lines than these, and printing more would slow the calls down. */
const MOST_PER_SECOND = { call: 20, delivery: 20, refusal: 3 } as const
/** Lines of calls of which there is something to say go on when those of other calls have ended. */
const MOST_NOTABLE_PER_SECOND = 40
/** When the skipped ones are reported if no other of their kind comes. */
const REPORT_SKIPPED_MS = 1_000
/** Explaining may take a tenth of a second; calls are served between slices of it, and most of the time goes to them. */
const SLICE_MS = 3
const PAUSE_MS = 12

/** Reports calls, attempts of deliveries, and why calls were refused, each after the answer has left. */
export function reportActivity(onActivity: (activity: Activity) => void, worlds: Worlds, wall: WallClock) {
  const ended = new AbortController()
  const limitOf = (of: SkippedNotice['of']) =>
    createLimit(MOST_PER_SECOND[of], wall, (skipped) => {
      if (!ended.signal.aborted) onActivity({ kind: 'skipped', of, ...skipped })
    })
  const calls = limitOf('call')
  const deliveries = limitOf('delivery')
  const refusals = explainRefusals(onActivity, worlds, { wall, limit: limitOf('refusal'), ended: ended.signal })
  const clean = <Facts extends object>(facts: Facts) => worlds.redactor().all(facts)

  return {
    report(world: Environment, message: FeedMessage) {
      if (ended.signal.aborted) return
      if (message.kind === 'request') {
        const facts = callFacts(world, message.entry)
        const isNotable = facts.status >= 400 || facts.says !== undefined
        if (calls.allows(world, isNotable ? MOST_NOTABLE_PER_SECOND : undefined))
          onActivity(clean({ ...facts, ...calls.skipped() }))
        if (!message.entry.proxied) refusals.explainLater(message.entry)
      }
      if (message.kind === 'delivery' && deliveries.allows(world)) {
        const facts = deliveryFacts(world, message.deliveryId)
        if (facts) onActivity(clean({ ...facts, ...deliveries.skipped() }))
      }
    },
    /** Reports nothing any more: the worlds are about to close. */
    end() {
      ended.abort()
    },
  }
}

function callFacts({ name }: Environment, entry: LoggedCall): Omit<CallNotice, keyof Skipped> {
  const { method, path, receivedAtMs: atMs } = entry.call
  return {
    kind: 'call',
    world: name,
    atMs,
    method,
    path,
    status: entry.answer.status,
    code: codeOf(entry.answer),
    tookMs: entry.tookMs,
    ...wordsOf(entry.proxied),
  }
}

/** Reasons of a proxy that repeat what the answer says. */
const REPEATED: ReadonlySet<string> = new Set<RefusalId>(['request-refused', 'rate-limit'])

/** The line of a call has room for the first thing that there is to say. */
function wordsOf(proxied: Proxied | undefined): Pick<CallNotice, 'says'> {
  const { explained = null, findings = [] } = proxied ?? {}
  const reasons = explained ? [explained.sentence] : []
  const isRepeated = explained?.mistakes.some(({ id }) => REPEATED.has(id))
  const [first, ...others] = isRepeated ? [...findings, ...reasons] : [...reasons, ...findings]
  if (first === undefined) return {}
  return { says: others.length === 0 ? first : `${first} (and ${others.length} more)` }
}

function deliveryFacts(world: Environment, deliveryId: string): Omit<DeliveryNotice, keyof Skipped> | null {
  const delivery = findDelivery(world, deliveryId)
  if (!delivery?.last) return null
  const { number, status, failure } = delivery.last
  return {
    kind: 'delivery',
    world: world.name,
    atMs: world.wall.nowMs(),
    deliveryId,
    type: delivery.eventType,
    attempt: number,
    status,
    failure,
    nextInMs: delivery.nextAttemptAtMs === null ? null : delivery.nextAttemptAtMs - world.clock.nowMs(),
  }
}

type Limit = ReturnType<typeof createLimit>
type SkippedIn = Pick<Environment, 'name'>

/**
 * So many a second; the others are counted.
 *
 * @param reportSkipped called for those that nothing has asked for in the meantime.
 */
function createLimit(perSecond: number, wall: WallClock, reportSkipped: (skipped: Skipped) => void) {
  let sinceMs = Number.NEGATIVE_INFINITY
  let allowed = 0
  let skippedCount = 0
  const worlds = new Set<string>()
  let alarm: Alarm | null = null
  const skipped = (): Skipped => {
    const told = { skipped: skippedCount, skippedIn: [...worlds] }
    skippedCount = 0
    worlds.clear()
    alarm?.cancel()
    alarm = null
    return told
  }
  const skip = ({ name }: SkippedIn): void => {
    skippedCount += 1
    worlds.add(name)
    alarm ??= callAfter(REPORT_SKIPPED_MS, () => reportSkipped(skipped()))
  }
  return {
    allows(world: SkippedIn, most = perSecond): boolean {
      const nowMs = wall.monotonicMs()
      if (nowMs - sinceMs >= 1_000) {
        sinceMs = nowMs
        allowed = 0
      }
      const isAllowed = allowed < most
      if (isAllowed) allowed += 1
      else skip(world)
      return isAllowed
    },
    skip,
    /** What was skipped since this was asked last. */
    skipped,
  }
}

function explainRefusals(
  onActivity: (activity: Activity) => void,
  worlds: Worlds,
  { wall, limit, ended }: { wall: WallClock; limit: Limit; ended: AbortSignal },
) {
  const waiting: LoggedCall[] = []
  let isAtWork = false

  async function explain(entry: LoggedCall): Promise<void> {
    // Loaded by the first refused call: a start needs none of it.
    const { explainRefusal } = await import('./explain-refusal.ts')
    const refusal = await explainRefusal(entry, worlds, {
      sliceMs: SLICE_MS,
      monotonicMs: wall.monotonicMs,
      pause: pauseUnless(ended),
    })
    if (!refusal || ended.aborted) return
    const { call } = entry
    const facts = { method: call.method, path: call.path, sentence: refusal.sentence, ...limit.skipped() }
    const { all } = worlds.redactor()
    onActivity({ kind: 'refusal', requestId: call.id, world: (call.world ?? worlds.main).name, ...all(facts) })
  }

  async function work(): Promise<void> {
    isAtWork = true
    await pauseUnless(ended)().catch(() => {})
    for (let entry = waiting.shift(); entry && !ended.aborted; entry = waiting.shift()) {
      await explain(entry).catch(warnUnlessEnded)
    }
    isAtWork = false
  }

  return {
    explainLater(entry: LoggedCall) {
      if (entry.call.refusedBy === null && entry.call.endpoint !== null && !entry.failure) return
      const world = entry.call.world ?? worlds.main
      if (isLarge(entry) || waiting.length >= MOST_PER_SECOND.refusal) return limit.skip(world)
      if (!limit.allows(world)) return
      waiting.push(entry)
      if (!isAtWork) void work()
    },
  }
}

class Ended extends Error {}

function pauseUnless(signal: AbortSignal): () => Promise<void> {
  return async () => {
    await new Promise<void>((resolve) => callAfter(PAUSE_MS, resolve))
    if (signal.aborted) throw new Ended()
  }
}

/** Nothing that a client did depends on it. */
function warnUnlessEnded(error: unknown): void {
  if (error instanceof Ended) return
  const detail = error instanceof Error ? error.stack : undefined
  process.emitWarning('a refused call could not be explained', { type: 'DiagnosisWarning', ...(detail && { detail }) })
}
