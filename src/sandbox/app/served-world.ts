import type { Coverage } from '../coverage/coverage.ts'
import type { World } from '../kernel/world.ts'
import type { Deliverer } from '../webhooks/deliverer.ts'
import type { Call, FindCredential } from '../wire/call.ts'
import type { FindWorld } from '../wire/page.ts'
import type { ActLog } from './act-log.ts'
import type { DefectHooks } from './defect-hooks.ts'
import type { Feed } from './feed.ts'
import type { RequestLog } from './request-log.ts'

/** A world with what surrounds it: who sends its webhooks, keeps its log, counts its coverage and notifies its watchers. */
export interface ServedWorld extends World {
  /** Makes webhook attempts when they are due. */
  readonly deliverer: Deliverer
  readonly log: RequestLog
  /** What operators did. */
  readonly acts: ActLog
  /** What its clients have met of the contract. */
  readonly coverage: Coverage
  /** Who looks on, live. */
  readonly feed: Feed
}

/** A call as it is served: its world is known with all that surrounds it. */
export type ServedCall = Call<ServedWorld>

/** All environments of a server, as far as serving calls and pages takes. */
export interface ServedWorlds extends FindWorld {
  /** The first one; it answers what belongs to no world. */
  readonly main: ServedWorld
  readonly hooks: DefectHooks
  readonly findCredential: FindCredential<ServedWorld>
  find(name: string): ServedWorld | null
  list(): ServedWorld[]
  /** Takes the secrets of all worlds out of what is shown. */
  redactor(): { text(shown: string): string }
}
