import type { KeyObject } from 'node:crypto'
import type { WallClock } from '../clock/wall-clock.ts'
import type { WorldClock } from '../clock/world-clock.ts'
import type { GapChoices } from '../contract/gaps.ts'
import type { Rules } from '../contract/rules.ts'
import type { Scope } from '../contract/scopes.ts'
import type { CommitQueue } from '../storage/commit-queue.ts'
import type { Db } from '../storage/database.ts'
import type { ActLog } from './act-log.ts'
import type { Chance } from './chance.ts'
import type { Coverage } from './coverage/coverage.ts'
import type { DueList } from './due.ts'
import type { DueAlarm } from './due-alarm.ts'
import type { PartnerEvent } from './events/events.ts'
import type { Feed } from './feed.ts'
import type { RateWindow } from './http/rate-limit.ts'
import type { RequestLog } from './http/request-log.ts'
import type { Tampering } from './tampering.ts'
import type { Deliverer } from './webhooks/deliverer.ts'
import type { Outbound } from './webhooks/outbound.ts'
import type { DeliveryProfile } from './webhooks/profile.ts'

/** Who calls: a credential of one world, held in memory so that a call is authenticated without a query. */
export interface Credential {
  /** Row number, short enough to stand beside every nonce. */
  readonly id: number
  readonly keyId: string
  readonly secret: string
  /** The secret, ready for HMAC. */
  readonly hmacKey: KeyObject
  readonly name: string
  readonly partnerId: string
  readonly scopes: ReadonlySet<Scope>
  readonly affiliate: boolean
  readonly merchantOfRecord: boolean
  readonly revoked: boolean
  readonly rateWindow: RateWindow
}

/** The partner's shares, in hundredths of a percent of the price. */
export interface CommissionRates {
  partnerCollectedBasisPoints: number
  hostedCheckoutBasisPoints: number
  brokerageBasisPoints: number
}

/** What happens without an operator, in milliseconds of world time; null for never. */
export interface Progress {
  /** From the recording of an order to the start of its transfer. */
  startAfterMs: number | null
  /** From the start of a transfer to its completion. */
  completeAfterMs: number | null
  /** Between two settlement runs. */
  settleEveryMs: number | null
  /** The world's time at which this was set; no wait counts from before it. */
  sinceMs: number
}

/** Which orders are held for manual review as soon as they are recorded (STATE-08). */
export interface ReviewRule {
  /** Dearer ones; null for none. */
  priceAboveCents: number | null
  /** Those of buyers from these countries (ISO 3166 alpha-2). */
  buyerCountries: readonly string[]
}

/** What an operator may set about a world. */
export interface WorldSettings {
  /** Calls a credential may make in so many seconds of wall time, and visits of all pages; null for no limit (ERR-06). */
  rateLimit: { requests: number; seconds: number } | null
  /** The partner's share of what is sold, for each sales model. */
  commission: CommissionRates
  /** How orders and settlements go on by themselves. */
  progress: Progress
  /** Which orders are held. */
  review: ReviewRule
  /** How webhooks misbehave on purpose. */
  delivery: DeliveryProfile
  /** Which clock judges timestamps (TIME-07). */
  authClock: 'wall' | 'world'
  /** Seconds by which the judging clock is ahead of the real one. */
  authSkewSeconds: number
  /** Listings made from the seed, besides the magic ones. */
  inventory: number
}

/**
 * One environment of the service: its own database, time, rules and log, reached by its own credentials. The only
 * thing that features receive.
 */
export interface World {
  readonly name: string
  /** Why nothing can be done with it but to reset, restore or delete it; null for a sound world. */
  readonly problem: string | null
  readonly db: Db
  readonly commits: CommitQueue
  readonly wall: WallClock
  readonly clock: WorldClock
  readonly chance: Chance
  readonly rules: Rules
  readonly gaps: GapChoices
  readonly settings: WorldSettings
  readonly due: DueList
  readonly dueAlarm: DueAlarm
  readonly credentials: ReadonlyMap<string, Credential>
  /** Visits of all pages; calls have a window for each credential. */
  readonly pageRateWindow: RateWindow
  /** Where partners and buyers reach this server, without a trailing slash. Never taken from a request. */
  readonly publicUrl: () => string
  /** The key of all tokens in page addresses. No seed gives it away, and a reset makes a new one. */
  readonly pageKey: () => Uint8Array
  /** Told of each event within its transaction, so that what follows from it commits with it or not at all. */
  readonly eventListeners: readonly EventListener[]
  /** Makes webhook attempts when they are due. */
  readonly deliverer: Deliverer
  /** Where and how webhooks are sent; the same for all worlds of a server. */
  readonly outbound: Outbound
  readonly log: RequestLog
  /** What operators did. */
  readonly acts: ActLog
  /** What its clients have met of the contract. */
  readonly coverage: Coverage
  /** Who looks on, live. */
  readonly feed: Feed
  /** Deliberate wrongness of a defect; empty in a sound sandbox. */
  readonly tampering: Tampering
}

export type EventListener = (world: World, event: PartnerEvent) => void

/**
 * The time by which signatures are judged: the machine's, or the world's where an operator asked for that, plus the
 * skew an operator set (TIME-07).
 */
export function authNowMs(world: World): number {
  const baseMs = world.settings.authClock === 'world' ? world.clock.nowMs() : world.wall.nowMs()
  return baseMs + world.settings.authSkewSeconds * 1_000
}
