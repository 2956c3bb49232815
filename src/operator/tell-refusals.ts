import { callAfter, type WallClock } from '../clock/wall-clock.ts'
import type { LoggedCall } from '../sandbox/http/request-log.ts'
import type { Worlds } from '../sandbox/worlds.ts'
import { explainRefusal } from './explain-refusal.ts'
import { createRedactor } from './redact.ts'

/** A refused call in a line. */
export interface ToldRefusal {
  readonly requestId: string
  readonly world: string
  readonly method: string
  /** Without its query. */
  readonly path: string
  /** Why; no secret is in it. */
  readonly sentence: string
  /** How many refused calls were passed over since the last one that was told. */
  readonly passedOver: number
}

export interface RefusalTeller {
  tell(entry: LoggedCall): void
  /** Tells nothing any more: the worlds are about to close. */
  end(): void
}

/** Explaining takes up to a tenth of a second, so a flood of wrong signatures is not explained one by one. */
const MOST_PER_SECOND = 3

/** Tells why calls are refused while it happens, after each has its answer. */
export function tellRefusals(told: (refusal: ToldRefusal) => void, worlds: Worlds, wall: WallClock): RefusalTeller {
  let lately: number[] = []
  let passedOver = 0
  let ended = false

  function explain(entry: LoggedCall): void {
    const refusal = ended ? null : explainRefusal(entry, worlds)
    if (!refusal) return
    const { call } = entry
    const facts = { method: call.method, path: call.path, sentence: refusal.sentence, passedOver }
    passedOver = 0
    const { all } = createRedactor(worlds.list())
    told({ requestId: call.id, world: (call.world ?? worlds.main).name, ...all(facts) })
  }

  return {
    tell(entry) {
      const nowMs = wall.monotonicMs()
      lately = lately.filter((atMs) => atMs > nowMs - 1_000)
      if (lately.length >= MOST_PER_SECOND) passedOver += 1
      else {
        lately.push(nowMs)
        callAfter(0, () => explain(entry))
      }
    },
    end() {
      ended = true
    },
  }
}
