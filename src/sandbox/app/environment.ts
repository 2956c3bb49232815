import type { Db } from '../../storage/db.ts'
import type { Coverage } from '../coverage/coverage.ts'
import type { Happening, Scheduler } from '../kernel/scheduler.ts'
import type { WorldSettings } from '../kernel/settings.ts'
import type { World } from '../kernel/world.ts'
import type { Deliverer } from '../webhooks/deliverer.ts'
import type { FindCredential } from '../wire/call.ts'
import type { FindWorld } from '../wire/page.ts'
import type { DefectHooks } from './defect-hooks.ts'
import type { ActLog, Feed, RequestLog } from './log.ts'

/**
 * A world as its server holds it: with its file, its scheduler and the jump of its clock, and with who sends its webhooks, keeps its
 * log, counts its coverage and notifies its watchers. Rules see the {@link World} in it alone.
 */
export interface Environment extends World {
  /** Replaced by a reset and a restore, so nothing keeps it beyond a turn of the event loop. */
  db: Db
  /** Where the database is kept; null for memory. */
  readonly file: string | null
  settings: WorldSettings
  /** Where its clock begins: null for the machine's time. */
  readonly start: { readonly clockMs: number | null; readonly frozen: boolean }
  readonly scheduler: Scheduler
  /** Null if no jump is under way. */
  jump: Jump | null
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

/** A jump of the clock under way. */
export interface Jump {
  readonly stop: AbortController
  progress: Advancing
  /** Attempts of its present instant. */
  attempts: Happening[]
  receipt: Promise<JumpReceipt>
}

/** How far a jump of the clock has come. */
export interface Advancing {
  fromMs: number
  /** Where it is to end; null if only running it will show that. */
  toMs: number | null
  thingsDone: number
}

/** What happened while a clock was moved. */
export interface JumpReceipt {
  fromMs: number
  toMs: number
  /** Whether it was stopped before its end. */
  stopped: boolean
  counts: Partial<Record<Happening['kind'], number>>
  /** In the order of their time: the first of them, as many as the receipt was asked to list. */
  happened: Happening[]
  /** Whether there were more than are listed. */
  truncated: boolean
}

/** All environments of a server, as far as calls and pages ask for them. */
export interface Environments extends FindWorld {
  /** The first one; it answers what belongs to no world. */
  readonly main: Environment
  readonly hooks: DefectHooks
  readonly findCredential: FindCredential<Environment>
  find(name: string): Environment | null
  list(): Environment[]
  /** Takes the secrets of all worlds out of what is shown. */
  redactor(): { text(shown: string): string }
}
