import type { WallClock } from '../../clock/wall-clock.ts'
import { WorldClock } from '../../clock/world-clock.ts'
import { DEFAULT_GAPS, type GapChoices } from '../../contract/choices.ts'
import type { Shard } from '../../contract/ids.ts'
import type { Rules } from '../../contract/rules.ts'
import { SCOPES } from '../../contract/scopes.ts'
import type { Db } from '../../storage/db.ts'
import type { DefectHooks } from '../app/defect-hooks.ts'
import type { InventoryOptions } from '../inventory/generate.ts'
import { Chance } from '../kernel/chance.ts'
import { CAST, type GivenCredential, insertCredential, type KeySource, newKeyId } from '../kernel/credentials.ts'
import {
  type CommissionRates,
  PLAIN_DELIVERY,
  type Progress,
  type ReviewRule,
  type WorldSettings,
} from '../kernel/settings.ts'
import type { Outbound } from '../kernel/world.ts'
import { newPageKey, placed, type StoredWorldFacts, startOfClock } from './world-facts.ts'

export interface WorldOptions {
  seed: string
  /** Listings made from the seed, besides the magic ones. */
  inventory: number
  /** Where its clock starts, in milliseconds since 1970; null for the machine's time. */
  clockMs: number | null
  frozen: boolean
  rateLimit: WorldSettings['rateLimit']
  gaps?: Partial<GapChoices>
  commission?: Partial<CommissionRates>
  progress?: Partial<Omit<Progress, 'sinceMs'>>
  review?: Partial<ReviewRule>
  /** The credentials that it has instead of those of every sandbox. */
  given?: readonly GivenCredential[]
  /** Whether its refusals carry a hint. */
  hints?: boolean
  /** Called with how many listings have been made, where there are many. */
  onProgress?: ((done: number, of: number) => void) | undefined
}

/** The partner's shares by default. */
export const USUAL_COMMISSION: CommissionRates = {
  partnerCollectedBasisPoints: 2_000,
  hostedCheckoutBasisPoints: 2_000,
  brokerageBasisPoints: 1_000,
}

const NO_PROGRESS = { startAfterMs: null, completeAfterMs: null, settleEveryMs: null }

const NO_REVIEW: ReviewRule = { priceAboveCents: null, buyerCountries: [] }

/** What a world says of itself before anything has happened in it. */
export function firstFacts(name: string, options: WorldOptions, wall: WallClock, shard: Shard): StoredWorldFacts {
  const clock = startOfClock({ clockMs: options.clockMs, frozen: options.frozen }, wall)
  const nowMs = new WorldClock(wall, clock).nowMs()
  const facts: StoredWorldFacts = {
    name,
    seed: options.seed,
    start: { clockMs: options.clockMs, frozen: options.frozen },
    gaps: { ...DEFAULT_GAPS, ...options.gaps },
    settings: {
      rateLimit: options.rateLimit,
      commission: { ...USUAL_COMMISSION, ...options.commission },
      progress: { ...NO_PROGRESS, ...options.progress, sinceMs: nowMs },
      review: { ...NO_REVIEW, ...options.review },
      delivery: PLAIN_DELIVERY,
      authClock: 'wall',
      authSkewSeconds: 0,
      inventory: options.inventory,
      hints: options.hints ?? false,
    },
    clock,
    pageKey: newPageKey(),
  }
  return placed(facts, name, shard)
}

/** Writes the credentials of a new world: the cast, or those that are given. */
export function writeCast(
  db: Db,
  facts: StoredWorldFacts,
  { keys, given }: { keys: KeySource; given: readonly GivenCredential[] | undefined },
  { credentials }: Rules,
): void {
  const chance = new Chance(facts.seed)
  const createdAtMs = facts.settings.progress.sinceMs
  if (given !== undefined) {
    const partners = [...new Set(given.map(({ partner }) => partner))]
    for (const { partner, scopes, ...credential } of given) {
      insertCredential(db, {
        ...credential,
        scopes: scopes ?? SCOPES,
        partnerId: chance.id('partner', partners.indexOf(partner) + 1),
        affiliate: true,
        merchantOfRecord: true,
        revoked: false,
        createdAtMs,
      })
    }
    return
  }
  for (const { partner, revoked = false, ...member } of CAST) {
    insertCredential(db, {
      ...member,
      partnerId: chance.id('partner', partner === 'main' ? 1 : 2),
      revoked,
      keyId: newKeyId(facts.shard ?? null, member.name, keys),
      // The key ids always say what this is; the secrets say what the rules call it.
      secret: `sk_${credentials.secretWord}_${keys('secret', member.name)}`,
      createdAtMs,
    })
  }
}

export function inventoryOf({ seed, inventory, clockMs, onProgress }: WorldOptions, wall: WallClock): InventoryOptions {
  return { seed, count: inventory, nowMs: clockMs ?? wall.nowMs(), onProgress }
}

export interface ServerParts {
  readonly wall: WallClock
  readonly rules: Rules
  readonly hooks: DefectHooks
  readonly publicUrl: () => string
  /** Null where nothing is said. */
  readonly shard?: Shard
  /** How webhooks leave; to loopback receivers only where nothing is said. */
  readonly outbound?: Outbound
}
