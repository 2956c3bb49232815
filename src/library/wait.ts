import { sleep, wallClock } from '../clock/wall-clock.ts'
import { explainTimeout, type Missed } from './explain-timeout.ts'
import type { Watch } from './watch.ts'

/**
 * The wait timed out. The message says what happened instead: events, refused calls with the reason of
 * each, and the time of the world.
 *
 * @example await expect(world.waitFor('order.settled', { timeoutMs: 50 })).rejects.toThrow(WaitTimeout)
 */
export class WaitTimeout extends Error {
  override name = 'WaitTimeout'
}

export interface WaitOptions {
  /** Real milliseconds; 4,000 by default. */
  timeoutMs?: number
}

/** What is waited for. */
export interface Wait<Found> extends Missed {
  watch: Watch
  timeoutMs: number | undefined
  /** Looks at what is there by now; undefined where it is not. */
  look(): Promise<Found | undefined>
}

/** Less than the 5,000 that vitest and jest give a test, so that the test fails with the message of the wait. */
export const USUAL_TIMEOUT_MS = 4_000
/** News are a hint to look, and what makes none is looked for this often. */
const LOOK_EVERY_MS = 250

/**
 * Looks, and looks again whenever the world has news, until it is there. Looking comes first, and again once the stream of
 * news has begun, so it misses no event in between.
 *
 * @throws WaitTimeout with what happened instead.
 */
export async function waitUntil<Found>(wait: Wait<Found>): Promise<Found> {
  const { timeoutMs = USUAL_TIMEOUT_MS } = wait
  const found = await wait.look()
  if (found !== undefined) return found
  const endsMs = wallClock.monotonicMs() + timeoutMs
  const news = createBell()
  const stopListening = wait.watch.listen(news.ring)
  try {
    for (;;) {
      const leftMs = endsMs - wallClock.monotonicMs()
      if (leftMs <= 0) return await orTimeout(wait, await explainTimeout(wait, timeoutMs))
      await news.rung(Math.min(leftMs, LOOK_EVERY_MS))
      const found = await wait.look()
      if (found !== undefined) return found
    }
  } finally {
    stopListening()
  }
}

/** What came while the message was made would stand in it. */
async function orTimeout<Found>({ look }: Wait<Found>, message: string): Promise<Found> {
  const found = await look().catch(() => undefined)
  if (found === undefined) throw new WaitTimeout(message)
  return found
}

/** Rung at each change; a waiter also hears what was rung before. */
function createBell() {
  let hasRung = false
  let wake = (): void => undefined
  return {
    ring(): void {
      hasRung = true
      wake()
    },
    async rung(atMostMs: number): Promise<void> {
      const awake = new AbortController()
      wake = () => awake.abort()
      if (!hasRung) await sleep(atMostMs, awake.signal)
      hasRung = false
    },
  }
}
