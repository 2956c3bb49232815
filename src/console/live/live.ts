import { SandboxRefusal } from '../../operator-api/refusals.ts'
import type { ClockFacts } from '../../operator-api/rows/clock.ts'
import type { ConsoleClient } from '../api/client.ts'
import { atMostEvery, browserClock, sleep } from '../browser/clock.ts'
import { Signal } from '../browser/signal.ts'

const KINDS = ['request', 'event', 'delivery', 'clock', 'act'] as const

/** What a stream reports. */
export type LiveKind = (typeof KINDS)[number]

/** `unknown`: the sandbox answers, and has no world of that name. */
type LiveState = 'connecting' | 'live' | 'broken' | 'unknown'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 10_000

/**
 * The one stream of a world. It only says what kinds of things have happened; each view then reads on from what it knows, so a
 * stream that broke costs nothing: once it is back, everything counts as happened.
 */
export class Live {
  readonly client: ConsoleClient
  readonly world: string
  readonly state = new Signal<LiveState>('connecting')
  readonly #watchers = new Set<{ kinds: readonly LiveKind[]; heard: () => void }>()
  readonly #stop = new AbortController()
  #fresh = new Set<string>()
  #isFrameAsked = false

  constructor(client: ConsoleClient, world: string) {
    this.client = client
    this.world = world
  }

  start(): void {
    void this.#keepReading()
  }

  stop(): void {
    this.#stop.abort()
  }

  /** Calls back, at most once a frame, when one of these kinds has happened. @returns call it to end that. */
  watch(kinds: readonly LiveKind[], heard: () => void): () => void {
    const watcher = { kinds, heard }
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  async #keepReading(): Promise<void> {
    const { signal } = this.#stop
    let waitMs = FIRST_WAIT_MS
    while (!signal.aborted) {
      const ended = await this.#readOnce()
      if (signal.aborted) return
      this.state.set(ended === 'unknown' ? 'unknown' : 'broken')
      if (ended === 'cut') waitMs = FIRST_WAIT_MS
      await sleep(waitMs, signal)
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
    }
  }

  /** Reads until the stream ends, or says why it did not begin. */
  async #readOnce(): Promise<'cut' | 'unreachable' | 'unknown'> {
    let ended: 'cut' | 'unreachable' = 'unreachable'
    try {
      const readAll = await this.client.open(this.world, { only: KINDS.join(',') }, this.#stop.signal)
      const isBack = this.state.value !== 'connecting'
      ended = 'cut'
      this.state.set('live')
      if (isBack) this.#note(...KINDS)
      await readAll(({ event }) => this.#note(event))
    } catch (error) {
      // Refused, unreachable or cut: tried again, and the state says so.
      if (error instanceof SandboxRefusal && error.status === 404) return 'unknown'
    }
    return ended
  }

  #note(...kinds: string[]): void {
    for (const kind of kinds) this.#fresh.add(kind)
    if (this.#isFrameAsked) return
    this.#isFrameAsked = true
    requestAnimationFrame(() => this.#flush())
  }

  #flush(): void {
    const fresh = this.#fresh
    this.#fresh = new Set()
    this.#isFrameAsked = false
    for (const { kinds, heard } of [...this.#watchers]) if (kinds.some((kind) => fresh.has(kind))) heard()
  }
}

const REFRESH_EVERY_MS = 500

/** Reads now, and again when one of these kinds has happened. @returns call it to end that. */
export function keepFresh(live: Live | undefined, kinds: readonly LiveKind[], read: () => Promise<void>): () => void {
  const refresh = atMostEvery(REFRESH_EVERY_MS, () => void read())
  refresh()
  const stop = live?.watch(kinds, refresh)
  return () => {
    refresh.cancel()
    stop?.()
  }
}

/** The clock of a world as it was last read; a running one goes on from there with the browser's. */
export class ShownClock {
  readonly read = new Signal<{ facts: ClockFacts; atMs: number } | null>(null)

  set(facts: ClockFacts): void {
    this.read.set({ facts, atMs: browserClock.nowMs() })
  }

  /** The world's time now; null before it was read. */
  nowMs(): number | null {
    const { value } = this.read
    if (value === null) return null
    const passedMs = value.facts.mode === 'running' ? browserClock.nowMs() - value.atMs : 0
    return Date.parse(value.facts.now) + passedMs
  }
}
