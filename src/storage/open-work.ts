import { type Steps, someSteps } from '../contract/steps.ts'

/** So long may a turn of such work keep others waiting; a step that has begun is finished. */
const TURN_MS = 5

/** Long work on a database that goes on from one turn of the event loop to the next, one piece at a time. */
export class OpenWork {
  readonly #monotonicMs: () => number
  /** Does more of the work, until it is done or so much time has passed. Null if there is none. */
  #goOn: ((mostMs: number) => void) | null = null
  #isInTurn = false
  #ended: Promise<void> = Promise.resolve()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  get isUnderWay(): boolean {
    return this.#goOn !== null
  }

  /** Whether there is work, and this is not a turn of it. */
  get isOpen(): boolean {
    return this.isUnderWay && !this.#isInTurn
  }

  async idle(): Promise<void> {
    while (this.isUnderWay) await this.#ended
  }

  /** Does the rest at once. Nothing happens within a turn of the work itself. */
  finish(): void {
    if (this.isOpen) this.#goOn?.(Number.POSITIVE_INFINITY)
  }

  /** Begins the work at once. Call it only if there is no other. */
  run<Result>(steps: Steps<Result>): Promise<Result> {
    const result = new Promise<Result>((resolve, reject) => {
      const goOn = (mostMs: number) => {
        try {
          const step = this.#turn(steps, mostMs)
          if (step.done) this.#end(() => resolve(step.value))
        } catch (error) {
          this.#end(() => reject(error))
        }
      }
      this.#goOn = goOn
      const turn = () => {
        if (this.#goOn !== goOn) return
        goOn(TURN_MS)
        setImmediate(turn)
      }
      turn()
    })
    const ignore = () => {}
    this.#ended = result.then(ignore, ignore)
    return result
  }

  #turn<Result>(steps: Steps<Result>, mostMs: number): IteratorResult<void, Result> {
    this.#isInTurn = true
    try {
      return someSteps(steps, mostMs, this.#monotonicMs)
    } finally {
      this.#isInTurn = false
    }
  }

  #end(settle: () => void): void {
    this.#goOn = null
    settle()
  }
}
