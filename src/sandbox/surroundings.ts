import type { WallClock } from '../clock/wall-clock.ts'
import type { Rules } from '../contract/rules.ts'
import type { AwakeList } from '../storage/awake-list.ts'
import type { Tampering } from './tampering.ts'
import type { Outbound } from './webhooks/outbound.ts'

/** What a world is given from outside. */
export interface Surroundings {
  wall: WallClock
  rules: Rules
  tampering: Tampering
  publicUrl: () => string
  /** How webhooks leave; to loopback receivers only where nothing is said. */
  outbound?: Outbound
  /** Shared by the worlds of a server, so that only so many of them are awake. */
  awake?: AwakeList
}
