import type { WallClock } from '../../clock/wall-clock.ts'
import { sleep } from '../../clock/wall-clock.ts'
import type { Sender } from '../http/send.ts'

/** How many events the partner says it has dealt with. */
export type ProbeEffects = () => Promise<number | EffectsUnknown>

/** Why no number was had, in a few words. */
export interface EffectsUnknown {
  why: string
}

/**
 * Reads the partner's own count of events: a number, or a list whose length counts.
 *
 * @param pointer a JSON pointer into the answer; `''` is the whole of it.
 */
export function createEffectsProbe(
  sender: Sender,
  target: string,
  pointer: string,
  extraHeaders: readonly (readonly [string, string])[],
): ProbeEffects {
  const headers = [
    ['connection', 'close'] as const,
    ['accept', 'application/json'] as const,
    ['user-agent', 'partner-sandbox'] as const,
    ...extraHeaders,
  ]
  return async () => {
    const outcome = await sender.send({ method: 'GET', target, headers, body: new Uint8Array() }, { fresh: true })
    if (outcome.kind === 'broken') return { why: `${outcome.reason}: ${outcome.message}` }
    const { status, body } = outcome.response
    if (status < 200 || status > 299) return { why: `it answered ${status}` }
    return countAt(body, pointer)
  }
}

function countAt(body: Uint8Array, pointer: string): number | EffectsUnknown {
  let value: unknown
  try {
    value = at(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)), pointer)
  } catch {
    return { why: 'its answer is no JSON' }
  }
  if (Array.isArray(value)) return value.length
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  return { why: `there is neither a whole number nor a list at "${pointer}" of its answer` }
}

function at(value: unknown, pointer: string): unknown {
  if (pointer === '') return value
  const keys = pointer.slice(1).split('/')
  return keys.reduce<unknown>((inner, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    const isContainer = typeof inner === 'object' && inner !== null
    return isContainer && Object.hasOwn(inner, name) ? (inner as Record<string, unknown>)[name] : undefined
  }, value)
}

/** How long a receiver may work on what it has answered. */
const PATIENCE_MS = 5_000
const PAUSE_MS = 100
/** So often the same is read before it counts as settled. */
const SAME_READINGS = 5

/**
 * The count once it stands still, and has reached what is hoped for; where it never does, what it came to.
 *
 * @param hoped the least that is expected; reading goes on for a while until it is there.
 */
export async function settledCount(
  probe: ProbeEffects,
  wall: WallClock,
  hoped: number,
  signal?: AbortSignal,
): Promise<number | EffectsUnknown> {
  const untilMs = wall.monotonicMs() + PATIENCE_MS
  let last = await probe()
  for (let same = 1; typeof last === 'number' && !signal?.aborted; ) {
    const isOver = wall.monotonicMs() > untilMs
    if (same >= SAME_READINGS && (last >= hoped || isOver)) return last
    if (isOver && wall.monotonicMs() > untilMs + PATIENCE_MS) return last
    await sleep(PAUSE_MS, signal)
    const next = await probe()
    same = next === last ? same + 1 : 1
    last = next
  }
  return last
}
