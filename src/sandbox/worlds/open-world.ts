import { WorldClock } from '../../clock/world-clock.ts'
import { DEFAULT_GAPS, GAP_IDS, type GapChoices } from '../../contract/choices.ts'
import { atOnce } from '../../contract/steps.ts'
import { CommitQueue } from '../../storage/commit-queue.ts'
import { copyRows, type Db, explained, openDatabase, statement } from '../../storage/database.ts'
import { closeUnfinished, DatabaseLru, RestingDatabase, throwAway } from '../../storage/database-lru.ts'
import { UnsoundDatabaseError } from '../../storage/storage-error.ts'
import { judgeFile, refuseOtherTables } from '../../storage/validate-snapshot.ts'
import { finish, removeDatabase, syncFolderOf } from '../../storage/write-atomically.ts'
import { ActLog } from '../app/act-log.ts'
import { Feed } from '../app/feed.ts'
import { idempotencyExpiry } from '../app/idempotency.ts'
import { RequestLog } from '../app/request-log.ts'
import { caseClosings } from '../brokerage/case-steps.ts'
import { checkoutExpiry, latePayments } from '../checkout/payments.ts'
import { Coverage } from '../coverage/coverage.ts'
import { Chance } from '../kernel/chance.ts'
import { type KeySource, loadCredentials } from '../kernel/credentials.ts'
import { RateWindow } from '../kernel/rate-window.ts'
import { Scheduler } from '../kernel/scheduler.ts'
import { transferCompletions, transferStarts } from '../sales/progress.ts'
import { quoteExpiry } from '../sales/quotes.ts'
import { settlementRuns } from '../settlement/settlement-runs.ts'
import { createOutbound } from '../webhooks/address-policy.ts'
import { pendingAttempts } from '../webhooks/attempt.ts'
import { Deliverer } from '../webhooks/deliverer.ts'
import { putInOutbox } from '../webhooks/deliveries.ts'
import { createKnownSecrets, secretsIn } from '../webhooks/endpoints.ts'
import type { Environment, Ground, Surroundings } from './environment.ts'
import { freshDatabase } from './templates.ts'
import { judgingTable, judgingValues } from './validate-values.ts'
import { judgedFacts, loadFacts, loadLatest, saveFacts, saveLatest, type WorldFacts } from './world-facts.ts'
import { firstFacts, inventoryOf, type WorldOptions, writeCast } from './world-options.ts'

/** In the order in which ties are settled. */
const TASK_SOURCES = [
  quoteExpiry,
  latePayments,
  checkoutExpiry,
  transferStarts,
  transferCompletions,
  settlementRuns,
  idempotencyExpiry,
  caseClosings,
]

/** @param world asked for late, because a world and its scheduler need each other. */
export function schedulerOf(world: () => Environment): Scheduler {
  return new Scheduler(world, TASK_SOURCES, [pendingAttempts])
}

/** Read before a world uses a database, which is closed if that fails. */
function groundOf(db: Db, facts: WorldFacts, problem: string | null = null): Ground {
  const pageKey = Buffer.from(facts.pageKey, 'hex')
  try {
    return {
      problem,
      gaps: completed(facts.gaps),
      settings: facts.settings,
      chance: new Chance(facts.seed),
      credentials: loadCredentials(db),
      pageKey: () => pageKey,
      webhookSecrets: createKnownSecrets(secretsIn(db)),
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * A file from before a point was known to be open has no choice for it. What is whole stays the same object: a copy of a world
 * then shares what was made for its original, such as compiled schemas.
 */
function completed(gaps: GapChoices): GapChoices {
  return GAP_IDS.every((id) => Object.hasOwn(gaps, id)) ? gaps : { ...DEFAULT_GAPS, ...gaps }
}

/**
 * Makes a new world: schema, cast, inventory, clock. A file gets its name once it is whole.
 *
 * @param drawn its inventory; drawn at once where that has not been done before.
 */
export function createWorld(
  name: string,
  file: string | null,
  options: WorldOptions,
  keys: KeySource,
  surroundings: Surroundings,
  drawn: Db = freshDatabase(inventoryOf(options, surroundings.wall), file),
): Environment {
  const facts = firstFacts(name, options, surroundings.wall, surroundings.shard ?? null)
  return moveInto(file, drawn, (db) => writeCast(db, facts, keys, surroundings.rules), facts, surroundings)
}

/**
 * A world from a database in memory, or from its own unfinished file: it stays in memory, or becomes a file at once.
 *
 * @param db is thrown away where this fails.
 * @param facts are written in one transaction with what `finishing` writes.
 */
export function moveInto(
  file: string | null,
  db: Db,
  finishing: (db: Db) => void,
  facts: WorldFacts,
  surroundings: Surroundings,
): Environment {
  try {
    db.transaction(() => {
      finishing(db)
      saveFacts(db, facts)
    })()
    if (file === null) return assemble(db, facts, surroundings, { file })
    finish(file, closeUnfinished(db, file))
    syncFolderOf(file)
    return assemble(openDatabase(file), facts, surroundings, { file })
  } catch (error) {
    throwAway(db)
    if (file !== null) removeDatabase(file)
    throw error
  }
}

/**
 * Opens a world from its file, as it was left. One that cannot be used is there all the same, with nothing in it but what
 * can be read of its facts and credentials, and says so ({@link Environment.problem}); its file stays as it is.
 *
 * @param name its own from now on.
 * @param usual what is to be taken for the facts and keys that cannot be read.
 * @throws StorageError where the file is in use, or the disk does not let it be opened.
 */
export function openWorld(file: string, surroundings: Surroundings, name: string, usual: UsualWorld): Environment {
  let db: Db | null = null
  try {
    db = openDatabase(file)
    judgeFile(db, judgingValues)
    const facts = { ...judgedFacts(db, surroundings.wall), name }
    saveFacts(db, facts)
    return assemble(db, facts, surroundings, { file, latestMs: loadLatest(db) })
  } catch (error) {
    if (!(error instanceof UnsoundDatabaseError)) {
      db?.close()
      throw explained(error, file)
    }
    const standIn = standInFor(db, name, usual, surroundings)
    db?.close()
    return assemble(standIn.db, standIn.facts, surroundings, { file, problem: error.message })
  }
}

/** Where a world is kept, null for memory, why it cannot be used, and the instant that it has reached before. */
interface Place {
  file: string | null
  problem?: string
  latestMs?: number
}

function assemble(
  db: Db,
  facts: WorldFacts,
  surroundings: Surroundings,
  { file, problem, latestMs }: Place,
): Environment {
  const { wall, rules, hooks, publicUrl, outbound = createOutbound(), awake = new DatabaseLru() } = surroundings
  const ground = groundOf(db, facts, problem)
  const keeper = new RestingDatabase(db, awake, file)
  const commits = new CommitQueue({
    database: () => keeper.current(),
    due() {
      if (!world.scheduler.isOverdue()) return 'nothing'
      return world.scheduler.isNextLong() ? 'long' : 'short'
    },
    *before({ durability, runsDue }) {
      const isUpToDate = !runsDue || (yield* world.scheduler.runOverdue())
      // One transaction, one instant: an order, its timeline and its event carry the same time.
      world.clock.pin(world.clock.nowMs())
      if (durability === 'power-loss') keepLatest(world)
      return isUpToDate
    },
    after(committed) {
      world.clock.pin(null)
      world.scheduler.settled(committed)
      if (!committed) return
      world.deliverer.wake()
      world.feed.lookForEvents(world)
    },
    monotonicMs: () => wall.monotonicMs(),
  })
  const world: Environment = {
    name: facts.name,
    shard: facts.shard ?? null,
    ...ground,
    get db() {
      commits.finish()
      return keeper.current()
    },
    commits,
    wall,
    clock: new WorldClock(wall, facts.clock, latestMs),
    rules,
    scheduler: schedulerOf(() => world),
    pageRateWindow: new RateWindow(),
    publicUrl,
    onEvent: (event) => putInOutbox(world, event),
    deliverer: new Deliverer(() => world, {
      hook: hooks.delivery ?? null,
      onAttempt: (deliveryId) => world.feed.publish({ kind: 'delivery', deliveryId }),
    }),
    outbound,
    log: new RequestLog(),
    acts: new ActLog(),
    coverage: new Coverage(() => world),
    feed: new Feed(),
    keeper,
    jump: null,
  }
  world.scheduler.settled(true)
  return world
}

/** Writes down the clock and the settings; call it in the transaction that changed them. */
export function saveWorld(world: Environment): void {
  saveFacts(world.db, presentFacts(world))
  keepLatest(world)
}

/** The facts of a world have its frozen clock, and a world in memory is never opened again. */
function keepLatest({ db, clock }: Environment): void {
  const nowMs = clock.nowMs()
  if (!db.isPrivate && clock.state.mode === 'running' && Number.isFinite(nowMs)) saveLatest(db, nowMs)
}

/** What a world says of itself now. */
export function presentFacts(world: Environment): WorldFacts {
  return { ...loadFacts(world.db), settings: world.settings, clock: world.clock.state }
}

/**
 * Puts a world on other ground: what it knew of the old one is forgotten, and the calls and attempts that are under way find
 * the new one. Fails, where a file cannot be written, with nothing changed.
 *
 * @param db with these facts in it, in memory or the world's unfinished file; a world with a file gets it as its file.
 */
export function moveTo(world: Environment, db: Db, facts: WorldFacts): void {
  world.commits.drain()
  const ground = groundOf(db, facts)
  const settle = world.keeper.replace(db)
  Object.assign(world, ground)
  world.clock.restart(facts.clock)
  world.deliverer.abandon()
  world.scheduler.settled(true)
  world.log.clear()
  world.acts.clear()
  world.coverage.forget()
  world.feed.publish({ kind: 'rewound' })
  settle()
}

/** Takes its name from the file of a world that is to end. Fails, where that cannot be, with the world as it was. */
export function takeName(world: Environment): void {
  world.commits.drain()
  world.keeper.unname()
}

/** Ends a world for ever. Calls that were let in are answered before its database goes away. */
export function endWorld(world: Environment): void {
  world.feed.publish({ kind: 'end' })
  world.scheduler.end()
  world.deliverer.end()
  world.commits.drain()
  world.coverage.end()
  world.log.clear()
  world.keeper.close()
}

/** What is taken for the facts and keys of a world that cannot be read. */
interface UsualWorld {
  options: WorldOptions
  keys: KeySource
}

/**
 * A database in memory that stands in for one that cannot be used: empty but for its facts and its credentials, as far as
 * they can be read and believed. So the world can still be named, refused, reset, restored and deleted.
 *
 * @param unsound null where it could not even be opened.
 */
function standInFor(
  unsound: Db | null,
  name: string,
  usual: UsualWorld,
  { wall, rules, shard = null }: Pick<Surroundings, 'wall' | 'rules' | 'shard'>,
): { db: Db; facts: WorldFacts } {
  const db = openDatabase(null)
  const known = unsound && readable(() => refuseOtherTables(unsound)) ? unsound : null
  let facts = firstFacts(name, usual.options, wall, shard)
  if (known) readable(() => (facts = { ...judgedFacts(known, wall), name }))
  const copied = known && readable(() => copyCredentials(known, db))
  if (!copied) writeCast(db, facts, usual.keys, rules)
  saveFacts(db, facts)
  return { db, facts }
}

function copyCredentials(from: Db, to: Db): void {
  atOnce(judgingTable(from, 'credentials'))
  if (!statement(from, 'SELECT 1 FROM credentials LIMIT 1').get()) throw new Error('there are none')
  copyRows(from, to, (table) => table === 'credentials')
}

/** Any error while it is read means that it cannot be read. */
function readable(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
