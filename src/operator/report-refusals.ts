import { callAfter, type WallClock } from '../clock/wall-clock.ts'
import type { LoggedCall } from '../sandbox/app/request-log.ts'
import type { Worlds } from '../sandbox/worlds/worlds.ts'
import type { RefusalNotice } from './refusal-notice.ts'

/** A flood of refused calls is not explained one by one. */
const MOST_PER_SECOND = 3
/** Explaining may take a tenth of a second; calls are served between slices of it, and most of the time goes to them. */
const SLICE_MS = 3
const PAUSE_MS = 12
/** What is larger takes long to explain: `request show` does it when it is asked. */
const LARGEST = { bodyBytes: 16 * 1024, targetBytes: 2 * 1024 } as const

/** Reports why calls are refused while it happens, after each has its answer, one at a time. */
export function reportRefusals(onRefused: (refusal: RefusalNotice) => void, worlds: Worlds, wall: WallClock) {
  const ended = new AbortController()
  const waiting: LoggedCall[] = []
  let lately: number[] = []
  let passedOver = 0
  let isAtWork = false

  async function explain(entry: LoggedCall): Promise<void> {
    // Loaded by the first refused call: a start needs none of it.
    const { explainRefusal } = await import('./explain-refusal.ts')
    const refusal = await explainRefusal(entry, worlds, {
      sliceMs: SLICE_MS,
      monotonicMs: wall.monotonicMs,
      pause: pauseUnless(ended.signal),
    })
    if (!refusal || ended.signal.aborted) return
    const { call } = entry
    const facts = { method: call.method, path: call.path, sentence: refusal.sentence, passedOver }
    passedOver = 0
    const { all } = worlds.redactor()
    onRefused({ requestId: call.id, world: (call.world ?? worlds.main).name, ...all(facts) })
  }

  async function work(): Promise<void> {
    isAtWork = true
    await pauseUnless(ended.signal)().catch(() => {})
    for (let entry = waiting.shift(); entry && !ended.signal.aborted; entry = waiting.shift()) {
      await explain(entry).catch(warnUnlessEnded)
    }
    isAtWork = false
  }

  return {
    report(entry: LoggedCall) {
      const nowMs = wall.monotonicMs()
      lately = lately.filter((atMs) => atMs > nowMs - 1_000)
      if (ended.signal.aborted) return
      if (lately.length >= MOST_PER_SECOND || waiting.length >= MOST_PER_SECOND || isLarge(entry)) {
        passedOver += 1
        return
      }
      lately.push(nowMs)
      waiting.push(entry)
      if (!isAtWork) void work()
    },
    /** Reports nothing any more: the worlds are about to close. */
    end() {
      ended.abort()
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

function isLarge({ call }: LoggedCall): boolean {
  return call.body.length > LARGEST.bodyBytes || call.target.length > LARGEST.targetBytes
}
