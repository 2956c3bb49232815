import { randomBytes } from 'node:crypto'
import { LATEST_MS } from '../../clock/instant.ts'
import type { WallClock } from '../../clock/wall-clock.ts'
import { type ClockState, WorldClock } from '../../clock/world-clock.ts'
import { GAPS, type GapChoices } from '../../contract/choices.ts'
import { ApiError } from '../../contract/errors.ts'
import { SHARD_PATTERN, type Shard } from '../../contract/ids.ts'
import {
  either,
  flag,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  type Schema,
  type TypeOf,
  text,
} from '../../contract/schema.ts'
import type { Db } from '../../storage/db.ts'
import { InvalidDatabaseError } from '../../storage/storage-error.ts'
import type { Environment } from '../app/environment.ts'
import { type Progress, type WorldSettings, worldSettings } from '../kernel/settings.ts'
import { parseStrictly } from '../wire/json-body.ts'
import { validated } from '../wire/validation.ts'

/** No seed gives it away. */
export function newPageKey(): string {
  return randomBytes(32).toString('hex')
}

export function startOfClock(start: StoredWorldFacts['start'], wall: WallClock): ClockState {
  const startMs = start.clockMs ?? wall.nowMs()
  return start.frozen ? { mode: 'frozen', atMs: startMs } : { mode: 'running', offsetMs: startMs - wall.nowMs() }
}

/** The time of the clock of a snapshot; a file that is not a snapshot goes on as if its server had never stopped. */
export function clockOfSnapshot({ clock, snapshotMs }: StoredWorldFacts, wall: WallClock): ClockState {
  return clock.mode === 'frozen' || snapshotMs === undefined
    ? clock
    : { mode: 'running', offsetMs: snapshotMs - wall.nowMs() }
}

export function saveFacts(db: Db, facts: StoredWorldFacts): void {
  db.statement("INSERT OR REPLACE INTO meta (key, value) VALUES ('world', ?)").run(JSON.stringify(facts))
}

/** Writes down the instant that a world has reached: a machine's clock may have been set back when it is opened again. */
export function saveLatest(db: Db, instantMs: number): void {
  db.statement("INSERT OR REPLACE INTO meta (key, value) VALUES ('latest', ?)").run(String(instantMs))
}

export function loadLatest(db: Db): number {
  const row = db.statement<{ value: string }>("SELECT value FROM meta WHERE key = 'latest'").get()
  const latestMs = Number(row?.value)
  // A file may have been changed since.
  return latestMs >= 0 && latestMs <= LATEST_MS ? latestMs : Number.NEGATIVE_INFINITY
}

/** The same facts for a world of this name on this server. */
export function placed({ shard: _before, ...facts }: StoredWorldFacts, name: string, shard: Shard): StoredWorldFacts {
  return { ...facts, name, ...(shard !== null && { shard }) }
}

const time = integer({ minimum: 0, maximum: LATEST_MS })

/** A running clock may be as far off the machine's as both can be. */
const offset = integer({ minimum: -LATEST_MS, maximum: LATEST_MS })

/** A file from before a point was known to be open has no choice for it. */
const gaps = Object.fromEntries(
  Object.entries<{ values: readonly unknown[] }>(GAPS).map(([id, { values }]) => [
    id,
    optional({ json: { enum: values } }),
  ]),
)

/** What a world remembers of itself, beside its tables. */
const worldFacts = object({
  name: text({ format: 'plain', minLength: 1, maxLength: 64 }),
  seed: text({ format: 'plain', minLength: 1, maxLength: 200 }),
  start: object({ clockMs: nullable(time), frozen: flag() }),
  gaps: object(gaps) as Schema<unknown> as Schema<GapChoices>,
  settings: worldSettings,
  clock: either<ClockState>(
    object({ mode: oneOf(['frozen']), atMs: time }),
    object({ mode: oneOf(['running']), offsetMs: offset }),
  ),
  /** Key of the tokens in page addresses, in hex. */
  pageKey: { json: { type: 'string', pattern: '^[0-9a-f]{64}$' } } as Schema<string>,
  /** World time of the last snapshot: where a running clock goes on in a world that is restored from it. */
  snapshotMs: optional(time),
  /** Of the server that wrote them, where that is one of several. */
  shard: optional<string>({ json: { type: 'string', pattern: `^${SHARD_PATTERN}$` } }),
})

export type StoredWorldFacts = TypeOf<typeof worldFacts>

/**
 * The facts of a database that was written elsewhere, or changed since.
 *
 * @throws InvalidDatabaseError with a sentence that names what is missing or wrong.
 */
export function checkedFacts(db: Db, wall: WallClock): StoredWorldFacts {
  const row = db.statement<{ value: string }>("SELECT value FROM meta WHERE key = 'world'").get()
  if (!row) throw new InvalidDatabaseError('this database holds no finished world')
  const facts = factsFrom(row.value)
  // A running clock that is not from a snapshot goes on from the machine's time.
  if (new WorldClock(wall, clockOfSnapshot(facts, wall)).nowMs() < 0) throw odd('its clock is before 1970')
  return facts
}

function factsFrom(json: string): StoredWorldFacts {
  try {
    return validated(worldFacts, parseStrictly(json), 'body')
  } catch (error) {
    throw error instanceof ApiError ? odd(error.message) : error
  }
}

function odd(what: string): InvalidDatabaseError {
  return new InvalidDatabaseError(`row "world" of meta: value does not say what a world is: ${what}`)
}

/** What a world says of itself now. */
export function presentFacts(world: Environment): StoredWorldFacts {
  const { name, shard, chance, start, gaps, settings, clock } = world
  const pageKey = Buffer.from(world.pageKey()).toString('hex')
  const facts = { name, seed: chance.seed, start, gaps, settings, clock: clock.state, pageKey }
  return shard === null ? facts : { ...facts, shard }
}

/**
 * Changes settings of a world. What is in the outbox keeps its copies and its delay, what is booked stays as it is, a
 * brokerage case keeps the rate on which it was opened, and calls already made count for another rate limit.
 */
export function setSettings(world: Environment, changed: Partial<Omit<WorldSettings, 'progress'>>): void {
  commitClock(world, () => changeSettings(world, changed))
}

/** Sets how a world's orders and settlements go on by themselves. Every wait begins again now. */
export function setProgress(world: Environment, wanted: Omit<Progress, 'sinceMs'>): void {
  commitClock(world, () => changeSettings(world, { progress: { ...wanted, sinceMs: world.clock.nowMs() } }))
}

/** Changes settings within {@link commitClock}. They are replaced, never altered: what depends on them sees that by one comparison. */
export function changeSettings(world: Environment, changed: Partial<WorldSettings>): void {
  world.settings = { ...world.settings, ...changed }
}

/**
 * Changes clock or settings in one transaction with the record of them, so that a restart finds what an answer said;
 * if that fails, both are as before.
 *
 * @param options.runsDue whether overdue tasks run first, which is usual.
 */
export function commitClock<Result>(world: Environment, work: () => Result, options?: { runsDue: boolean }): Result {
  const { clock, settings } = world
  const before = { state: clock.state, nowMs: clock.nowMs() }
  try {
    return world.commits.commitNow(() => {
      clock.pin(null)
      const result = work()
      saveFacts(world.db, presentFacts(world))
      return result
    }, options)
  } catch (error) {
    clock.pin(null)
    clock.restart(before.state)
    if (clock.nowMs() < before.nowMs) clock.moveTo(before.nowMs)
    world.settings = settings
    throw error
  }
}
