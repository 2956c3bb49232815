import { randomBytes } from 'node:crypto'
import type { WallClock } from '../clock/wall-clock.ts'
import { type ClockState, createWorldClock } from '../clock/world-clock.ts'
import { DEFAULT_GAPS, type GapChoices } from '../contract/gaps.ts'
import type { Rules } from '../contract/rules.ts'
import { createCommitQueue } from '../storage/commit-queue.ts'
import { type Db, openDatabase, statement } from '../storage/database.ts'
import { StorageError } from '../storage/storage-error.ts'
import { casesDue } from './brokerage/case-steps.ts'
import { createChance } from './chance.ts'
import { checkoutExpiryDue, latePaymentDue } from './checkout/due.ts'
import { createCast, type KeySource, loadCredentials } from './credentials.ts'
import { createDueList, runDue } from './due.ts'
import { createDueAlarm } from './due-alarm.ts'
import { createFeed } from './feed.ts'
import { idempotencyDue } from './http/idempotency.ts'
import { createRateWindow } from './http/rate-limit.ts'
import { createRequestLog } from './http/request-log.ts'
import { seedInventory } from './inventory/generate.ts'
import { transferCompletions, transferStarts } from './sales/progress.ts'
import { quotesDue } from './sales/quotes.ts'
import { settlementRunsDue } from './settlement/automatic-runs.ts'
import type { Tampering } from './tampering.ts'
import { attemptsDue, createDeliverer } from './webhooks/deliverer.ts'
import { putInOutbox } from './webhooks/deliveries.ts'
import { createOutbound, type Outbound } from './webhooks/outbound.ts'
import { PLAIN_DELIVERY } from './webhooks/profile.ts'
import type { CommissionRates, EventListener, Progress, ReviewRule, World, WorldSettings } from './world.ts'

/** How a world starts. */
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
  /** Told how many listings have been made, where there are many. */
  onProgress?: ((done: number, of: number) => void) | undefined
}

/** What a world is given from outside. */
export interface Surroundings {
  wall: WallClock
  rules: Rules
  tampering: Tampering
  publicUrl: () => string
  /** How webhooks leave; to loopback receivers only where nothing is said. */
  outbound?: Outbound
}

/** What a world remembers of itself, beside its tables. */
interface WorldFacts {
  name: string
  seed: string
  start: { clockMs: number | null; frozen: boolean }
  gaps: GapChoices
  settings: WorldSettings
  clock: ClockState
  /** Key of the tokens in page addresses, in hex. */
  pageKey: string
}

/** The partner's shares where nobody has said others. */
export const USUAL_COMMISSION: CommissionRates = {
  partnerCollectedBasisPoints: 2_000,
  hostedCheckoutBasisPoints: 2_000,
  brokerageBasisPoints: 1_000,
}

const NO_PROGRESS = { startAfterMs: null, completeAfterMs: null, settleEveryMs: null }

const NO_REVIEW: ReviewRule = { priceAboveCents: null, buyerCountries: [] }

/** What follows from every event, in this order. */
const EVENT_LISTENERS: readonly EventListener[] = [putInOutbox]

const DUE_SOURCES = [
  quotesDue,
  latePaymentDue,
  checkoutExpiryDue,
  transferStarts,
  transferCompletions,
  settlementRunsDue,
  idempotencyDue,
  casesDue,
]

const pageKeys = new WeakMap<World, Buffer>()

function newPageKey(): string {
  return randomBytes(32).toString('hex')
}

/** Makes a new world: schema, cast, inventory, clock, in one transaction. */
export function createWorld(
  name: string,
  file: string | null,
  options: WorldOptions,
  keys: KeySource,
  surroundings: Surroundings,
): World {
  const db = openDatabase(file)
  const clock = startOfClock({ clockMs: options.clockMs, frozen: options.frozen }, surroundings.wall)
  const nowMs = createWorldClock(surroundings.wall, clock).nowMs()
  const facts: WorldFacts = {
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
    },
    clock,
    pageKey: newPageKey(),
  }
  const chance = createChance(options.seed)
  db.transaction(() => {
    saveFacts(db, facts)
    createCast(db, {
      keys,
      secretWord: surroundings.rules.credentials.secretWord,
      partnerIds: { main: chance.id('partner', 1), other: chance.id('partner', 2) },
      nowMs,
    })
    seedInventory(db, { seed: options.seed, count: options.inventory, nowMs, onProgress: options.onProgress })
  })()
  return assemble(db, facts, surroundings)
}

/**
 * Opens a world from its file, as it was left.
 *
 * @throws StorageError where the file is no world.
 */
export function openWorld(file: string, surroundings: Surroundings): World {
  const db = openDatabase(file)
  const facts = loadFacts(db)
  if (!facts) {
    db.close()
    throw new StorageError(`${file} holds no finished world; delete it, or restore it from a snapshot`)
  }
  return assemble(db, facts, surroundings)
}

function assemble(db: Db, facts: WorldFacts, surroundings: Surroundings): World {
  const { wall, rules, tampering, publicUrl, outbound = createOutbound() } = surroundings
  const commits = createCommitQueue(
    db,
    () => (world.due.notBeforeMs <= world.clock.nowMs() ? 'power-loss' : null),
    () => {
      if (!runDue(world)) return false
      // One transaction, one instant: an order, its timeline and its event carry the same time.
      world.clock.pin(world.clock.nowMs())
      return true
    },
    (committed) => {
      world.clock.pin(null)
      world.due.settled(committed)
      if (!committed) return
      world.dueAlarm.set()
      world.deliverer.wake()
    },
  )
  const world: World = {
    name: facts.name,
    db,
    commits,
    wall,
    clock: createWorldClock(wall, facts.clock),
    chance: createChance(facts.seed),
    rules,
    // A file from before a point was known to be open has no choice for it.
    gaps: { ...DEFAULT_GAPS, ...facts.gaps },
    settings: facts.settings,
    due: createDueList(DUE_SOURCES, [attemptsDue]),
    dueAlarm: createDueAlarm(() => world),
    credentials: loadCredentials(db),
    pageRateWindow: createRateWindow(),
    publicUrl,
    pageKey: () => pageKeys.get(world) as Buffer,
    eventListeners: EVENT_LISTENERS,
    deliverer: createDeliverer(() => world),
    outbound,
    log: createRequestLog(),
    feed: createFeed(),
    tampering,
  }
  pageKeys.set(world, Buffer.from(facts.pageKey, 'hex'))
  world.dueAlarm.set()
  return world
}

function startOfClock(start: WorldFacts['start'], wall: WallClock): ClockState {
  const startMs = start.clockMs ?? wall.nowMs()
  return start.frozen ? { mode: 'frozen', atMs: startMs } : { mode: 'running', offsetMs: startMs - wall.nowMs() }
}

/** Writes down where the clock and the settings stand; call it in the transaction that changed them. */
export function saveWorld(world: World): void {
  const facts = loadFacts(world.db) as WorldFacts
  saveFacts(world.db, { ...facts, settings: world.settings, clock: world.clock.state })
}

function saveFacts(db: Db, facts: WorldFacts): void {
  statement(db, "INSERT OR REPLACE INTO meta (key, value) VALUES ('world', ?)").run(JSON.stringify(facts))
}

function loadFacts(db: Db): WorldFacts | null {
  const row = statement(db, "SELECT value FROM meta WHERE key = 'world'").get() as { value: string } | undefined
  return row ? (JSON.parse(row.value) as WorldFacts) : null
}

/** Everything a reset empties; credentials and used nonces outlive it. Children before parents. */
const EMPTIED_BY_RESET = [
  'delivery_attempts',
  'deliveries',
  'webhook_endpoints',
  'ledger_entries',
  'sales',
  'settlement_statements',
  'settlement_runs',
  'payouts',
  'payout_runs',
  'brokerage_timeline',
  'brokerage_cases',
  'refunds',
  'checkout_sessions',
  'order_timeline',
  'orders',
  'clicks',
  'links',
  'quotes',
  'events',
  'idempotency_keys',
  'magic_acts',
]

/** Takes a world back to its seed: inventory, prices and clock as at the start, no orders, no events. */
export function resetWorld(world: World): void {
  const facts = loadFacts(world.db) as WorldFacts
  const clock = startOfClock(facts.start, world.wall)
  const pageKey = newPageKey()
  const nowMs = createWorldClock(world.wall, clock).nowMs()
  const progress = { ...world.settings.progress, sinceMs: nowMs }
  world.deliverer.abandon()
  world.commits.commitNow(() => {
    for (const table of EMPTIED_BY_RESET) world.db.exec(`DELETE FROM ${table}`)
    seedInventory(world.db, { seed: facts.seed, count: world.settings.inventory, nowMs })
    saveFacts(world.db, { ...facts, settings: { ...world.settings, progress }, clock, pageKey })
  })
  // Only now: had the commit failed, the clock would have to stand where the tables do.
  world.clock.restart(clock)
  world.settings.progress = progress
  // What recurs is due at other times than before, and the clock may stand earlier.
  world.due.note(nowMs)
  world.dueAlarm.set()
  pageKeys.set(world, Buffer.from(pageKey, 'hex'))
  world.log.clear()
}
