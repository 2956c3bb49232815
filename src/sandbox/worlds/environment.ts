import type { GapChoices } from '../../contract/gaps.ts'
import type { DatabaseKeeper } from '../../storage/database-lru.ts'
import type { ServedWorld } from '../app/served-world.ts'
import type { Chance } from '../kernel/chance.ts'
import type { loadCredentials } from '../kernel/credentials.ts'
import type { Happening } from '../kernel/scheduled-task.ts'
import type { Scheduler } from '../kernel/scheduler.ts'
import type { WorldSettings } from '../kernel/settings.ts'
import type { EventNotice } from './notify-watchers.ts'
import type { Receipt } from './receipt.ts'

/** What a world stands on; a reset or a restore puts it on other ground, and it stays the same world. */
export interface Ground {
  gaps: GapChoices
  settings: WorldSettings
  chance: Chance
  credentials: ReturnType<typeof loadCredentials>
  pageKey: Buffer
  problem: string | null
}

/** How far a jump of the clock has come. */
export interface Advancing {
  fromMs: number
  /** Where it is to end; null if only running it will tell. */
  toMs: number | null
  thingsDone: number
}

/** A jump of the clock under way. */
export interface Jump {
  readonly stop: AbortController
  progress: Advancing
  /** Attempts of the instant at which it stands. */
  attempts: Happening[]
  receipt: Promise<Receipt>
}

/** A world as the server holds it: with its database, its scheduler and the jump of its clock. */
export interface Environment extends ServedWorld {
  readonly keeper: DatabaseKeeper
  readonly ground: Ground
  readonly scheduler: Scheduler
  readonly eventNotice: EventNotice
  /** Null if no jump is under way. */
  jump: Jump | null
}
