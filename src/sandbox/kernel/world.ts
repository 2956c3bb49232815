import type { WallClock } from '../../clock/wall-clock.ts'
import type { WorldClock } from '../../clock/world-clock.ts'
import type { GapChoices } from '../../contract/choices.ts'
import type { EventType, TransferEventType } from '../../contract/event-types.ts'
import type { Shard } from '../../contract/ids.ts'
import type { Rules } from '../../contract/rules.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { HmacKey } from '../../contract/signature.ts'
import type { Db } from '../../storage/db.ts'
import type { CommitQueue } from '../commit-queue.ts'
import type { Chance } from './chance.ts'
import type { WorldSettings } from './settings.ts'

/** Where a connection would lead; `name` is null where the URL has an address. */
export interface Destination {
  address: string
  port: number
  name: string | null
}

/** Where webhooks may be sent (HOOK-08). */
export interface AddressPolicy {
  /** The operator port of this server, which never gets a webhook; null if there is none, or none yet. */
  operatorPort: number | null
  /** Why nothing may be sent to this address, in a sentence; null where it may. */
  refusal(destination: Destination): string | null
  /** The same for a URL, as far as it is known before its name is resolved. */
  refusalOfUrl(url: URL): string | null
  /**
   * The same for a URL with a name, which may stand for these addresses, or for none. Names no address: a partner need
   * not know what names stand for where the server is.
   */
  refusalOfName(url: URL, addresses: readonly string[]): string | null
}

/**
 * Places for attempts over all worlds of a server. The first attempt of an endpoint needs none, so no endpoint ever waits
 * for another one; only those that it has in flight besides are counted here.
 */
export interface Slots {
  /**
   * Takes a slot for an endpoint that has an attempt in flight already.
   *
   * @param isFailing whether the last attempt to it that has ended failed.
   * @param onFree called once when a slot is free again, if there is none now.
   */
  take(isFailing: boolean, onFree: () => void): boolean
  release(): void
}

/** Every address a name stands for. */
export type Resolve = (
  name: string,
  done: (error: Error | null, addresses: readonly { address: string; family: number }[]) => void,
) => void

/** What all worlds of a server share when they send webhooks. */
export interface Outbound {
  readonly policy: AddressPolicy
  readonly slots: Slots
  readonly resolve: Resolve
  /** Nothing is sent before the server has its ports, since only then its own operator port is known. */
  isOpen: boolean
}

/** An event for a partner, as the history keeps it. */
export interface PartnerEvent {
  seq: number
  /** Written from its row number (see Chance.id). */
  id: string
  partnerId: string
  type: EventType | TransferEventType
  createdAtMs: number
  /** The payload as JSON text, so that every delivery and every reading gives the same bytes (HOOK-10). */
  data: string
}

export interface RateLimit {
  readonly requests: number
  readonly seconds: number
}

/**
 * The calls of one credential, or the visits of a world's pages, in a sliding window: at most so many in any stretch of so
 * many seconds, exactly.
 */
export class RateWindow {
  /** Oldest first. */
  #admittedAtMs: number[] = []
  #first = 0

  /**
   * Counts a call, or says how long to wait. Refused calls are not counted, so waiting that long is enough (ERR-03).
   *
   * @returns 0 where the call is let through, else whole seconds to wait.
   */
  admit(nowMs: number, { requests, seconds }: RateLimit): number {
    const all = this.#admittedAtMs
    // A clock that went back, as that of a suspended machine may: what it said before is worth nothing.
    if ((all.at(-1) ?? nowMs) > nowMs) this.#first = all.length
    const endedMs = nowMs - seconds * 1_000
    while (this.#first < all.length && (all[this.#first] as number) <= endedMs) this.#first++
    // Dropping the front costs a copy, so it waits until that is at least half.
    if (this.#first > 512 && this.#first * 2 > all.length) {
      this.#admittedAtMs = all.slice(this.#first)
      this.#first = 0
    }
    const inWindow = this.#admittedAtMs.length - this.#first
    if (inWindow < requests) {
      this.#admittedAtMs.push(nowMs)
      return 0
    }
    // After a limit was lowered there may be more than one call too many.
    const leavesAtMs = (this.#admittedAtMs[this.#first + inWindow - requests] as number) + seconds * 1_000
    return Math.max(1, Math.ceil((leavesAtMs - nowMs) / 1_000))
  }
}

/** Who calls: a credential of one world, held in memory so that a call is authenticated without a query. */
export interface Credential {
  /** Row number, short enough to be kept with every nonce. */
  readonly id: number
  readonly keyId: string
  readonly secret: string
  /** The secret, ready for HMAC. */
  readonly hmacKey: HmacKey
  readonly name: string
  readonly partnerId: string
  readonly scopes: ReadonlySet<Scope>
  readonly affiliate: boolean
  readonly merchantOfRecord: boolean
  readonly revoked: boolean
  readonly rateWindow: RateWindow
}

/** Every webhook secret that the log of a world may hold, so that it is taken out of what is shown. */
export interface KnownSecrets {
  /** Keeps one in mind for as long as the log may show the call that brought it. */
  add(secret: string): void
  readonly all: ReadonlySet<string>
}

/**
 * One environment of the service: its own database, time, rules and log, reached by its own credentials. The only
 * thing that features receive.
 */
export interface World {
  readonly name: string
  /** The server that it is on, where that is one of several. */
  readonly shard: Shard
  readonly db: Db
  readonly commits: CommitQueue
  readonly wall: WallClock
  readonly clock: WorldClock
  readonly chance: Chance
  readonly rules: Rules
  readonly gaps: GapChoices
  /** Replaced when one of them is changed. */
  readonly settings: Readonly<WorldSettings>
  readonly credentials: ReadonlyMap<string, Credential>
  /** Visits of all pages; calls have a window for each credential. */
  readonly pageRateWindow: RateWindow
  /** Where partners and buyers reach this server, without a trailing slash. Never taken from a request. */
  readonly publicUrl: () => string
  /** The key of all tokens in page addresses. No seed gives it away, and a reset makes a new one. */
  readonly pageKey: () => Uint8Array
  /** Called with each event within its transaction, so that what follows from it commits with it or not at all. */
  readonly onEvent: (world: World, event: PartnerEvent) => void
  readonly webhookSecrets: KnownSecrets
  /** Where and how webhooks are sent; the same for all worlds of a server. */
  readonly outbound: Outbound
}
