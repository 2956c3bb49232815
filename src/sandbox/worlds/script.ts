import { ApiError } from '../../contract/errors.ts'
import { atomically } from '../commit-queue.ts'
import type { World } from '../kernel/world.ts'

/** What acts of a script make. */
export type Made = 'quotes' | 'orders' | 'checkout_sessions' | 'cases' | 'settlement_runs' | 'payout_runs'

/** Something that a partner, a buyer or an operator does at an instant of world time. */
export interface ScriptedAct {
  readonly atMs: number
  /** What it makes, where that is counted. */
  readonly makes?: Made
  run(world: World): unknown
}

/**
 * Acts in the order of time, which a jump of the clock does on its way, between the tasks that fall due. Rules apply as to calls: an
 * act that they refuse changes nothing, and the jump goes on.
 */
export class Script {
  readonly made: Record<Made, number> = {
    quotes: 0,
    orders: 0,
    checkout_sessions: 0,
    cases: 0,
    settlement_runs: 0,
    payout_runs: 0,
  }
  readonly #write: () => Promise<readonly ScriptedAct[]>
  #acts: readonly ScriptedAct[] = []
  #done = 0

  /** @param write makes the acts, once the jump has begun: no other jump and no reset can come in between. */
  constructor(write: () => Promise<readonly ScriptedAct[]>) {
    this.#write = write
  }

  async prepare(): Promise<void> {
    this.#acts = await this.#write()
  }

  /** The instant of the next act; Infinity if none is left. */
  get nextMs(): number {
    return this.#acts[this.#done]?.atMs ?? Number.POSITIVE_INFINITY
  }

  /** Does the next act, with the clock at its instant. Call inside a transaction. */
  runNext(world: World): void {
    const { makes, run } = this.#acts[this.#done++] as ScriptedAct
    try {
      atomically(world.db, () => run(world))
      if (makes) this.made[makes] += 1
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }
}
