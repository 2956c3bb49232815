import type { WallClock } from '../../clock/wall-clock.ts'
import type { Shard } from '../../contract/ids.ts'
import type { Rules } from '../../contract/rules.ts'
import type { Db } from '../../storage/database.ts'
import type { DefectHooks } from '../app/defect-hooks.ts'
import type { ServedWorld } from '../app/served-world.ts'
import type { Happening } from '../kernel/scheduled-task.ts'
import type { Scheduler } from '../kernel/scheduler.ts'
import type { WorldSettings } from '../kernel/settings.ts'
import type { Outbound } from '../kernel/world.ts'
import type { Receipt } from './receipt.ts'

/** What a world is given from outside. */
export interface Surroundings {
  wall: WallClock
  rules: Rules
  hooks: DefectHooks
  publicUrl: () => string
  /** Null where nothing is said. */
  shard?: Shard
  /** How webhooks leave; to loopback receivers only where nothing is said. */
  outbound?: Outbound
}

/** How far a jump of the clock has come. */
export interface Advancing {
  fromMs: number
  /** Where it is to end; null if only running it will show that. */
  toMs: number | null
  thingsDone: number
}

/** A jump of the clock under way. */
export interface Jump {
  readonly stop: AbortController
  progress: Advancing
  /** Attempts of its present instant. */
  attempts: Happening[]
  receipt: Promise<Receipt>
}

/** A world as the server holds it: with its database, its scheduler and the jump of its clock. */
export interface Environment extends ServedWorld {
  /** Replaced by a reset and a restore, so nothing keeps it beyond a turn of the event loop. */
  db: Db
  /** Where the database is kept; null for memory. */
  readonly file: string | null
  readonly scheduler: Scheduler
  settings: WorldSettings
  /** Null if no jump is under way. */
  jump: Jump | null
}
