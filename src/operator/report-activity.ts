import { callAfter, type WallClock } from '../clock/wall-clock.ts'
import type { Environment } from '../sandbox/app/environment.ts'
import type { FeedMessage, LoggedCall, Proxied } from '../sandbox/app/log.ts'
import { findDelivery } from '../sandbox/webhooks/deliveries.ts'
import type { Worlds } from '../sandbox/worlds/worlds.ts'
import type { Activity, CallNotice, DeliveryNotice } from './activity.ts'
import { isLarge } from './hints.ts'
import { codeOf } from './present-request.ts'

/** A person reads no more lines than these, and printing more would slow the calls down. */
const MOST_PER_SECOND = { call: 20, delivery: 20, refusal: 3 } as const
/** Explaining may take a tenth of a second; calls are served between slices of it, and most of the time goes to them. */
const SLICE_MS = 3
const PAUSE_MS = 12

/** Reports calls, attempts of deliveries, and why calls were refused, each after the answer has left. */
export function reportActivity(onActivity: (activity: Activity) => void, worlds: Worlds, wall: WallClock) {
  const ended = new AbortController()
  const calls = createLimit(MOST_PER_SECOND.call, wall)
  const deliveries = createLimit(MOST_PER_SECOND.delivery, wall)
  const refusals = explainRefusals(onActivity, worlds, wall, ended.signal)
  const clean = <Facts extends object>(facts: Facts) => worlds.redactor().all(facts)

  return {
    report(world: Environment, message: FeedMessage) {
      if (ended.signal.aborted) return
      if (message.kind === 'request') {
        if (calls.allows()) onActivity(clean({ ...callFacts(world, message.entry), skipped: calls.skipped() }))
        if (!message.entry.proxied) refusals.explainLater(message.entry)
      }
      if (message.kind === 'delivery' && deliveries.allows()) {
        const facts = deliveryFacts(world, message.deliveryId)
        if (facts) onActivity(clean({ ...facts, skipped: deliveries.skipped() }))
      }
    },
    /** Reports nothing any more: the worlds are about to close. */
    end() {
      ended.abort()
    },
  }
}

function callFacts({ name }: Environment, entry: LoggedCall): Omit<CallNotice, 'skipped'> {
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

/** The line of a call has room for the first thing that there is to say. */
function wordsOf(proxied: Proxied | undefined): Pick<CallNotice, 'says'> {
  const { explained = null, findings = [] } = proxied ?? {}
  const [first, ...others] = [...(explained ? [explained.sentence] : []), ...findings]
  if (first === undefined) return {}
  return { says: others.length === 0 ? first : `${first} (and ${others.length} more)` }
}

function deliveryFacts(world: Environment, deliveryId: string): Omit<DeliveryNotice, 'skipped'> | null {
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

/** So many a second; the others are counted. */
function createLimit(perSecond: number, wall: WallClock) {
  let sinceMs = Number.NEGATIVE_INFINITY
  let allowed = 0
  let skipped = 0
  return {
    allows(): boolean {
      const nowMs = wall.monotonicMs()
      if (nowMs - sinceMs >= 1_000) {
        sinceMs = nowMs
        allowed = 0
      }
      const isAllowed = allowed < perSecond
      if (isAllowed) allowed += 1
      else skipped += 1
      return isAllowed
    },
    skip() {
      skipped += 1
    },
    /** How many were skipped since this was asked last. */
    skipped(): number {
      const count = skipped
      skipped = 0
      return count
    },
  }
}

function explainRefusals(
  onActivity: (activity: Activity) => void,
  worlds: Worlds,
  wall: WallClock,
  ended: AbortSignal,
) {
  const limit = createLimit(MOST_PER_SECOND.refusal, wall)
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
    const facts = { method: call.method, path: call.path, sentence: refusal.sentence, skipped: limit.skipped() }
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
      if (entry.call.refusedBy === null && entry.call.endpoint !== null) return
      if (isLarge(entry) || waiting.length >= MOST_PER_SECOND.refusal) return limit.skip()
      if (!limit.allows()) return
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
