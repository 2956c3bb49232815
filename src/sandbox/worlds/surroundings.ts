import type { WallClock } from '../../clock/wall-clock.ts'
import type { Rules } from '../../contract/rules.ts'
import type { AwakeList } from '../../storage/database-lru.ts'
import type { DefectHooks } from '../app/defect-hooks.ts'
import type { Outbound } from '../kernel/outbound.ts'

/** What a world is given from outside. */
export interface Surroundings {
  wall: WallClock
  rules: Rules
  hooks: DefectHooks
  publicUrl: () => string
  /** How webhooks leave; to loopback receivers only where nothing is said. */
  outbound?: Outbound
  /** Shared by the worlds of a server, so that only so many of them are awake. */
  awake?: AwakeList
}
