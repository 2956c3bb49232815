import { setMaxListeners } from 'node:events'
import { callAfter } from '../../clock/wall-clock.ts'

/** Attempts of one endpoint at once. */
const MOST_OF_ENDPOINT = 8
/** So long is an attempt waited for before the next one of its endpoint starts (HOOK-09), in real time. */
const PATIENCE_MS = 250

/** One endpoint's attempts in flight. */
export class Lane {
  inFlight = 0
  /** Whether the attempt that ended last has failed. */
  isFailing = false
  /** The attempt that was started last, while the next one waits for it. */
  #waitsFor: number | null = null

  /** @param oneByOne whether an attempt waits for the end of the one before, however long that takes. */
  mayStart(oneByOne: boolean): boolean {
    return this.#waitsFor === null && this.inFlight < (oneByOne ? 1 : MOST_OF_ENDPOINT)
  }

  /**
   * Counts an attempt in. The next one may start when this one has ended or has taken long.
   *
   * @returns call it when the attempt has ended.
   */
  enter(seq: number, onPatienceEnded: () => void): () => void {
    this.inFlight += 1
    this.#waitsFor = seq
    const patience = callAfter(PATIENCE_MS, () => {
      this.#goOn(seq)
      onPatienceEnded()
    })
    return () => {
      patience.cancel()
      this.inFlight -= 1
      this.#goOn(seq)
    }
  }

  #goOn(seq: number): void {
    if (this.#waitsFor === seq) this.#waitsFor = null
  }
}

/** Attempts in flight, by delivery and by endpoint; a reset throws all of it away. */
export class InFlight {
  readonly #stop = new AbortController()
  readonly #lanes = new Map<string, Lane>()
  readonly #attempts = new Map<number, Promise<void>>()
  readonly #onEnd: () => void

  /** @param onEnd called after each attempt. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
    // One listener per attempt is not a leak.
    setMaxListeners(0, this.#stop.signal)
  }

  get count(): number {
    return this.#attempts.size
  }

  has(seq: number): boolean {
    return this.#attempts.has(seq)
  }

  laneOf(partnerId: string): Lane {
    const lane = this.#lanes.get(partnerId) ?? new Lane()
    this.#lanes.set(partnerId, lane)
    return lane
  }

  /** While an attempt is known here, no other is started for the same delivery. */
  track(seq: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    const running = work(this.#stop.signal).finally(() => {
      this.#attempts.delete(seq)
      this.#onEnd()
    })
    const quietly = () => {}
    this.#attempts.set(seq, running.then(quietly, quietly))
    return running
  }

  /** Waits for the end of an attempt, however it ends. */
  async ended(seq: number): Promise<void> {
    while (this.#attempts.has(seq)) await this.#attempts.get(seq)
  }

  async allEnded(): Promise<void> {
    await Promise.all(this.#attempts.values())
  }

  /** Ends all of them, unrecorded. */
  abort(): void {
    this.#stop.abort()
  }
}
