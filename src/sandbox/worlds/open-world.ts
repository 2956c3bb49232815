import { WorldClock } from '../../clock/world-clock.ts'
import { DEFAULT_GAPS, GAP_IDS, type GapChoices } from '../../contract/choices.ts'
import { openFile } from '../../storage/check-file.ts'
import { bytesOf, type Db, explained, openBytes, openDatabase } from '../../storage/db.ts'
import {
  finish,
  finishNew,
  removeDatabase,
  removeUnfinishedOf,
  syncFolderOf,
  unname,
  writeUnfinished,
} from '../../storage/files.ts'
import { FileInUseError } from '../../storage/storage-error.ts'
import type { Environment } from '../app/environment.ts'
import { idempotencyExpiry } from '../app/idempotency.ts'
import { ActLog, Feed, RequestLog } from '../app/log.ts'
import { caseClosings } from '../brokerage/case-steps.ts'
import { checkoutExpiry, latePayments } from '../checkout/payments.ts'
import { CommitQueue } from '../commit-queue.ts'
import { Coverage } from '../coverage/coverage.ts'
import { Chance } from '../kernel/chance.ts'
import { type KeySource, loadCredentials } from '../kernel/credentials.ts'
import { Scheduler } from '../kernel/scheduler.ts'
import { RateWindow } from '../kernel/world.ts'
import { transferCompletions, transferStarts } from '../sales/order-steps.ts'
import { quoteExpiry } from '../sales/quotes.ts'
import { payoutBatches } from '../settlement/payout-runs.ts'
import { settlementRuns } from '../settlement/settlement-runs.ts'
import { createOutbound } from '../webhooks/address-policy.ts'
import { pendingAttempts } from '../webhooks/attempt.ts'
import { Deliverer } from '../webhooks/deliverer.ts'
import { putInOutbox } from '../webhooks/deliveries.ts'
import { createKnownSecrets } from '../webhooks/endpoints.ts'
import { templateOf } from './templates.ts'
import { checkedFacts, loadLatest, type StoredWorldFacts, saveFacts, saveLatest } from './world-facts.ts'
import { firstFacts, inventoryOf, type ServerParts, type WorldOptions, writeCast } from './world-options.ts'

/** In the order in which ties are settled. */
const TASK_SOURCES = [
  quoteExpiry,
  latePayments,
  checkoutExpiry,
  transferStarts,
  transferCompletions,
  settlementRuns,
  payoutBatches,
  idempotencyExpiry,
  caseClosings,
]

export function schedulerOf(world: Environment): Scheduler {
  return new Scheduler(world, TASK_SOURCES, [pendingAttempts])
}

/** What a world reads from a database before it uses it. The database is closed if that fails. */
function readFrom(db: Db, facts: StoredWorldFacts) {
  const pageKey = Buffer.from(facts.pageKey, 'hex')
  try {
    return {
      gaps: completed(facts.gaps),
      settings: facts.settings,
      start: facts.start,
      chance: new Chance(facts.seed),
      credentials: loadCredentials(db),
      pageKey: () => pageKey,
      webhookSecrets: createKnownSecrets(db),
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

/** Makes a new world: a copy of the template of its inventory, with its cast and its facts. */
export function createWorld(
  name: string,
  file: string | null,
  options: WorldOptions,
  keys: KeySource,
  parts: ServerParts,
  template = templateOf(inventoryOf(options, parts.wall)),
): Environment {
  const facts = firstFacts(name, options, parts.wall, parts.shard ?? null)
  return worldFrom(openBytes(template), file, facts, parts, (db) =>
    writeCast(db, facts, { keys, given: options.given }, parts.rules),
  )
}

/**
 * A new world from a database in memory: it stays there, or becomes a file, which gets its name once it is whole.
 *
 * @param db is closed where this fails, and no file is left.
 * @param finishing writes what goes into one transaction with the facts.
 */
export function worldFrom(
  db: Db,
  file: string | null,
  facts: StoredWorldFacts,
  parts: ServerParts,
  finishing: (db: Db) => void,
): Environment {
  let isNamed = false
  try {
    db.transaction(() => {
      finishing(db)
      saveFacts(db, facts)
    })()
    if (file === null) return assemble(db, facts, parts, { file })
    writeUnfinished(file, bytesOf(db))
    db.close()
    finishNew(file)
    isNamed = true
    syncFolderOf(file)
    return assemble(reopened(file), facts, parts, { file })
  } catch (error) {
    db.close()
    if (file !== null) removeUnfinishedOf(file)
    // A server that found the file in this moment goes on with it.
    if (file !== null && isNamed && !(error instanceof FileInUseError)) removeDatabase(file)
    throw error
  }
}

/**
 * Opens a world from its file, as it was left.
 *
 * @param name its own from now on.
 * @throws InvalidDatabaseError where the file is not a world of this version; it stays as it is. StorageError where it is in use, or
 *   the disk does not let it be opened.
 */
export function openWorld(file: string, parts: ServerParts, name: string): Environment {
  let db: Db | null = null
  try {
    db = openFile(file)
    const facts = { ...checkedFacts(db, parts.wall), name }
    saveFacts(db, facts)
    return assemble(db, facts, parts, { file, latestMs: loadLatest(db) })
  } catch (error) {
    db?.close()
    throw explained(error, file)
  }
}

function assemble(
  db: Db,
  facts: StoredWorldFacts,
  parts: ServerParts,
  { file, latestMs }: { file: string | null; latestMs?: number },
): Environment {
  const { wall, rules, hooks, publicUrl, outbound = createOutbound() } = parts
  const home = {
    name: facts.name,
    shard: facts.shard ?? null,
    ...readFrom(db, facts),
    db,
    file,
    wall,
    clock: new WorldClock(wall, facts.clock, latestMs),
    rules,
    pageRateWindow: new RateWindow(),
    publicUrl,
    outbound,
    log: new RequestLog(),
    acts: new ActLog(),
    feed: new Feed(),
    jump: null,
  }
  // What works on the world is made of it, and then a part of it.
  const unfinished = home as unknown as Environment
  const world: Environment = Object.assign(home, {
    commits: commitsOf(unfinished),
    scheduler: schedulerOf(unfinished),
    onEvent: putInOutbox,
    deliverer: new Deliverer(unfinished, {
      hook: hooks.delivery ?? null,
      onAttempt: (deliveryId) => world.feed.publish({ kind: 'delivery', deliveryId }),
    }),
    coverage: new Coverage(unfinished),
  })
  world.scheduler.settled(true)
  return world
}

function commitsOf(world: Environment): CommitQueue {
  return new CommitQueue(world, {
    before(runsDue) {
      const isUpToDate = !runsDue || world.scheduler.runOverdue()
      // One transaction, one instant: an order, its timeline and its event carry the same time.
      world.clock.pin(world.clock.nowMs())
      return isUpToDate
    },
    // A world in memory is never opened again.
    ...(world.file !== null && {
      beforeCommit() {
        const nowMs = world.clock.nowMs()
        // The facts of a world have its frozen clock.
        if (world.clock.state.mode === 'running' && Number.isFinite(nowMs)) saveLatest(world.db, nowMs)
      },
    }),
    after({ isCommitted, onlyReads }) {
      world.clock.pin(null)
      world.scheduler.settled(isCommitted, onlyReads)
      if (!isCommitted || onlyReads) return
      world.deliverer.wake()
      world.feed.lookForEvents(world)
    },
  })
}

/**
 * Puts another database in the place of a world's: what the world knew of the old one is forgotten, and the calls and attempts that
 * are under way find the new one. Fails, where a file cannot be written, with nothing changed.
 *
 * @param db with these facts in it, in memory; a world with a file gets it as its file.
 */
export function replace(world: Environment, db: Db, facts: StoredWorldFacts): void {
  world.commits.drain()
  const read = readFrom(db, facts)
  if (world.file === null) {
    world.db.close()
    world.db = db
  } else {
    replaceFile(world, db, world.file)
  }
  Object.assign(world, read)
  world.clock.restart(facts.clock)
  world.deliverer.abandon()
  world.scheduler.settled(true)
  world.log.clear()
  world.acts.clear()
  world.coverage.forget()
  world.feed.publish({ kind: 'rewound' })
  if (world.file !== null) syncFolderOf(world.file)
}

function replaceFile(world: Environment, next: Db, file: string): void {
  try {
    writeUnfinished(file, bytesOf(next))
    // Nothing may be left in the log: it would be played into the new file if the process died now.
    world.db.pragma('wal_checkpoint(TRUNCATE)')
    world.db.close()
    finish(file)
  } catch (error) {
    removeUnfinishedOf(file)
    throw error
  } finally {
    next.close()
    if (!world.db.open) world.db = reopened(file)
  }
}

/** Opens what this process has just written. Tries twice, because a world that lost its database answers nothing until the next start. */
function reopened(file: string): Db {
  try {
    return openDatabase(file)
  } catch {
    return openDatabase(file)
  }
}

/** Ends a world for ever. Calls that were let in are answered before its database goes away. */
export function endWorld(world: Environment): void {
  world.feed.publish({ kind: 'end' })
  world.scheduler.end()
  world.deliverer.end()
  world.commits.drain()
  // A world in memory goes with what is counted of it.
  if (world.file === null) world.coverage.forget()
  else world.coverage.end()
  world.log.clear()
  world.db.close()
}

/** Ends a world and deletes its file. Fails, where the file cannot lose its name, with the world as it was. */
export function removeWorld(world: Environment): void {
  const { file } = world
  world.commits.drain()
  if (file !== null) {
    world.db.close()
    try {
      unname(file)
    } catch (error) {
      world.db = reopened(file)
      throw error
    }
  }
  endWorld(world)
  if (file !== null) removeDatabase(file)
}
