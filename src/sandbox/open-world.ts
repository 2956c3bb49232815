import type { WallClock } from '../clock/wall-clock.ts'
import { createWorldClock } from '../clock/world-clock.ts'
import { DEFAULT_GAPS, type GapChoices } from '../contract/gaps.ts'
import type { Rules } from '../contract/rules.ts'
import { type AwakeList, createAwakeList } from '../storage/awake-list.ts'
import { createCommitQueue } from '../storage/commit-queue.ts'
import { bytesOf, type Db, openDatabase } from '../storage/database.ts'
import { type DatabaseKeeper, keepDatabase } from '../storage/database-keeper.ts'
import { placeFile } from '../storage/place-file.ts'
import { replaceDatabase } from '../storage/replace-database.ts'
import { StorageError } from '../storage/storage-error.ts'
import { createActLog } from './act-log.ts'
import { casesDue } from './brokerage/case-steps.ts'
import { type Chance, createChance } from './chance.ts'
import { checkoutExpiryDue, latePaymentDue } from './checkout/due.ts'
import { createCoverage } from './coverage/coverage.ts'
import { createCast, type KeySource, loadCredentials } from './credentials.ts'
import { createDueList, runDue } from './due.ts'
import { createDueAlarm } from './due-alarm.ts'
import { createFeed } from './feed.ts'
import { idempotencyDue } from './http/idempotency.ts'
import { createRateWindow } from './http/rate-limit.ts'
import { createRequestLog } from './http/request-log.ts'
import { transferCompletions, transferStarts } from './sales/progress.ts'
import { quotesDue } from './sales/quotes.ts'
import { settlementRunsDue } from './settlement/automatic-runs.ts'
import type { Tampering } from './tampering.ts'
import { forgetTold, tellEvents } from './tell-events.ts'
import { freshDatabase, freshFile, isTooLargeToCopy } from './templates.ts'
import { attemptsDue, createDeliverer } from './webhooks/deliverer.ts'
import { putInOutbox } from './webhooks/deliveries.ts'
import { rememberSecrets, secretsIn } from './webhooks/known-secrets.ts'
import { createOutbound, type Outbound } from './webhooks/outbound.ts'
import type { EventListener, World, WorldSettings } from './world.ts'
import { loadFacts, saveFacts, type WorldFacts } from './world-facts.ts'
import { firstFacts, type WorldOptions } from './world-options.ts'

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

/** What a world stands on; a reset or a restore puts it on other ground, and it stays the same world. */
interface Ground {
  gaps: GapChoices
  settings: WorldSettings
  chance: Chance
  credentials: ReturnType<typeof loadCredentials>
  pageKey: Buffer
}

const grounds = new WeakMap<World, { keeper: DatabaseKeeper; ground: Ground }>()

function groundOf(db: Db, facts: WorldFacts): Ground {
  return {
    // A file from before a point was known to be open has no choice for it.
    gaps: { ...DEFAULT_GAPS, ...facts.gaps },
    settings: facts.settings,
    chance: createChance(facts.seed),
    credentials: loadCredentials(db),
    pageKey: Buffer.from(facts.pageKey, 'hex'),
  }
}

/** Makes a new world: schema, cast, inventory, clock. A file gets its name once it is whole. */
export function createWorld(
  name: string,
  file: string | null,
  options: WorldOptions,
  keys: KeySource,
  surroundings: Surroundings,
): World {
  const facts = firstFacts(name, options, surroundings.wall)
  const nowMs = facts.settings.progress.sinceMs
  const { seed, inventory: count, onProgress } = options
  const chance = createChance(seed)
  const settle = (db: Db) => {
    saveFacts(db, facts)
    createCast(db, {
      keys,
      secretWord: surroundings.rules.credentials.secretWord,
      partnerIds: { main: chance.id('partner', 1), other: chance.id('partner', 2) },
      nowMs,
    })
  }
  const wanted = { seed, count, nowMs, onProgress }
  if (file !== null && isTooLargeToCopy(count)) return assemble(freshFile(file, wanted, settle), facts, surroundings)
  return moveInto(file, freshDatabase(wanted), settle, facts, surroundings)
}

/**
 * A world from a database in memory: it stays there, or becomes a file at once.
 *
 * @param settle writes what is still missing, in one transaction.
 */
export function moveInto(
  file: string | null,
  db: Db,
  settle: (db: Db) => void,
  facts: WorldFacts,
  surroundings: Surroundings,
): World {
  db.transaction(() => settle(db))()
  if (file === null) return assemble(db, facts, surroundings)
  placeFile(file, bytesOf(db))
  db.close()
  return assemble(openDatabase(file, 'whole'), facts, surroundings)
}

/**
 * Opens a world from its file, as it was left.
 *
 * @param wanted its name from now on, where that may be another.
 * @throws StorageError where the file is no world.
 */
export function openWorld(file: string, surroundings: Surroundings, wanted?: string): World {
  const db = openDatabase(file)
  const facts = loadFacts(db)
  if (!facts) {
    db.close()
    throw new StorageError(`${file} holds no finished world; delete it, or restore it from a snapshot`)
  }
  const name = wanted ?? facts.name
  if (facts.name !== name) saveFacts(db, { ...facts, name })
  return assemble(db, { ...facts, name }, surroundings)
}

function assemble(db: Db, facts: WorldFacts, surroundings: Surroundings): World {
  const { wall, rules, tampering, publicUrl, outbound = createOutbound(), awake = createAwakeList() } = surroundings
  const ground = groundOf(db, facts)
  const keeper = keepDatabase(db, awake)
  const commits = createCommitQueue(
    keeper.current,
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
      tellEvents(world)
    },
  )
  const world: World = {
    name: facts.name,
    get db() {
      return keeper.current()
    },
    commits,
    wall,
    clock: createWorldClock(wall, facts.clock),
    get chance() {
      return ground.chance
    },
    rules,
    get gaps() {
      return ground.gaps
    },
    get settings() {
      return ground.settings
    },
    due: createDueList(DUE_SOURCES, [attemptsDue]),
    dueAlarm: createDueAlarm(() => world),
    get credentials() {
      return ground.credentials
    },
    pageRateWindow: createRateWindow(),
    publicUrl,
    pageKey: () => ground.pageKey,
    eventListeners: EVENT_LISTENERS,
    deliverer: createDeliverer(() => world),
    outbound,
    log: createRequestLog(),
    acts: createActLog(),
    coverage: createCoverage(() => world),
    feed: createFeed(),
    tampering,
  }
  grounds.set(world, { keeper, ground })
  rememberSecrets(world, secretsIn(db))
  world.dueAlarm.set()
  return world
}

/** Writes down where the clock and the settings stand; call it in the transaction that changed them. */
export function saveWorld(world: World): void {
  saveFacts(world.db, presentFacts(world))
}

/** What a world says of itself now. */
export function presentFacts(world: World): WorldFacts {
  const facts = loadFacts(world.db) as WorldFacts
  return { ...facts, settings: world.settings, clock: world.clock.state }
}

/**
 * Puts a world on other ground: what it knew of the old one is forgotten, and the calls and attempts that are under way find
 * the new one. Fails, where a file cannot be written, with nothing changed.
 *
 * @param db in memory, with these facts in it; a world with a file gets it as its file.
 */
export function moveTo(world: World, db: Db, facts: WorldFacts): void {
  world.commits.drain()
  const { keeper, ground } = groundUnder(world)
  // Read before anything is replaced, as reading can fail.
  const next = groundOf(db, facts)
  const secrets = secretsIn(db)
  keeper.replace(replaceDatabase(keeper.current(), db))
  Object.assign(ground, next)
  world.clock.restart(facts.clock)
  world.deliverer.abandon()
  // What is due, and when, is to be looked up anew.
  world.due.note(Number.NEGATIVE_INFINITY)
  world.dueAlarm.set()
  world.log.clear()
  world.acts.clear()
  rememberSecrets(world, secrets)
  world.coverage.forget()
  forgetTold(world)
  world.feed.publish({ kind: 'rewound' })
}

/** Ends a world for ever. Calls that were let in are answered before its database goes away. */
export function endWorld(world: World): void {
  world.feed.publish({ kind: 'end' })
  world.dueAlarm.end()
  world.deliverer.end()
  world.commits.drain()
  world.coverage.end()
  world.log.clear()
  groundUnder(world).keeper.close()
}

function groundUnder(world: World): { keeper: DatabaseKeeper; ground: Ground } {
  return grounds.get(world) as { keeper: DatabaseKeeper; ground: Ground }
}
