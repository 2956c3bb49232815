import { randomBytes } from 'node:crypto'
import type { WallClock } from '../clock/wall-clock.ts'
import type { ClockState } from '../clock/world-clock.ts'
import { GAPS, type GapChoices } from '../contract/gaps.ts'
import { type Db, statement } from '../storage/database.ts'
import { StorageError } from '../storage/storage-error.ts'
import { LEAST_SETTLE_EVERY_MS } from './settlement/automatic-runs.ts'
import { MOST_COPIES } from './webhooks/profile.ts'
import type { WorldSettings } from './world.ts'

/** What a world remembers of itself, beside its tables. */
export interface WorldFacts {
  name: string
  seed: string
  start: { clockMs: number | null; frozen: boolean }
  gaps: GapChoices
  settings: WorldSettings
  clock: ClockState
  /** Key of the tokens in page addresses, in hex. */
  pageKey: string
  /** World time of the last snapshot: where a running clock goes on in whoever is restored from it. */
  snapshotMs?: number
}

/** No seed gives it away. */
export function newPageKey(): string {
  return randomBytes(32).toString('hex')
}

export function startOfClock(start: WorldFacts['start'], wall: WallClock): ClockState {
  const startMs = start.clockMs ?? wall.nowMs()
  return start.frozen ? { mode: 'frozen', atMs: startMs } : { mode: 'running', offsetMs: startMs - wall.nowMs() }
}

/** Where the clock of a snapshot stood; a file that is no snapshot goes on as if its server had never stopped. */
export function clockOfSnapshot({ clock, snapshotMs }: WorldFacts, wall: WallClock): ClockState {
  return clock.mode === 'frozen' || snapshotMs === undefined
    ? clock
    : { mode: 'running', offsetMs: snapshotMs - wall.nowMs() }
}

export function saveFacts(db: Db, facts: WorldFacts): void {
  statement(db, "INSERT OR REPLACE INTO meta (key, value) VALUES ('world', ?)").run(JSON.stringify(facts))
}

export function loadFacts(db: Db): WorldFacts | null {
  const row = statement(db, "SELECT value FROM meta WHERE key = 'world'").get() as { value: string } | undefined
  return row ? (JSON.parse(row.value) as WorldFacts) : null
}

/**
 * The facts of a database that came from outside.
 *
 * @param usual facts of some world; whatever they have must be there and be alike, but for settings that older files lack.
 * @throws StorageError with a sentence that names what is missing or wrong.
 */
export function loadForeignFacts(db: Db, usual: WorldFacts): WorldFacts {
  const facts = parsedFacts(db)
  if (facts === null) throw new StorageError('this database holds no finished world')
  const { settings, gaps, clock: _clock, snapshotMs: _snapshotMs, ...always } = usual
  const given = isRecord(facts['settings']) ? facts['settings'] : {}
  const choices = isRecord(facts['gaps']) ? facts['gaps'] : {}
  const whole = {
    ...facts,
    settings: { ...settings, ...given },
    gaps: { ...gaps, ...choices },
  } as unknown as WorldFacts
  refuseUnlike(always, facts, 'world')
  refuseUnlike(settings, whole.settings, 'settings')
  refuseOutside(whole.settings)
  refuseOddClock(whole)
  refuseIllegalGaps(whole.gaps)
  return whole
}

function parsedFacts(db: Db): Record<string, unknown> | null {
  try {
    const facts = loadFacts(db) as unknown
    return isRecord(facts) ? facts : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Null in what is usual stands for a number that may be missing. */
const MAY_BE_NULL: ReadonlySet<string> = new Set(['settings.rateLimit'])

function refuseUnlike(usual: unknown, given: unknown, at: string): void {
  if (isRecord(usual) && isRecord(given)) {
    for (const [name, value] of Object.entries(usual)) refuseUnlike(value, given[name], `${at}.${name}`)
    return
  }
  if (given === null && (usual === null || MAY_BE_NULL.has(at))) return
  const kind = usual === null ? 'number' : kindOf(usual)
  if (kindOf(given) !== kind) throw new StorageError(`this database says of ${at} no ${kind}, but ${kindOf(given)}`)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : value === undefined ? 'nothing' : typeof value
}

/** Whole numbers of settings with what they are at least and at most; an operator can set no others. */
function boundsOf({ rateLimit, commission, progress, review, delivery, ...rest }: WorldSettings) {
  const bounds: [at: string, value: number | null, least: number, most?: number][] = [
    ['inventory', rest.inventory, 0],
    ['authSkewSeconds', rest.authSkewSeconds, Number.MIN_SAFE_INTEGER],
    ['rateLimit.requests', rateLimit?.requests ?? null, 1],
    ['rateLimit.seconds', rateLimit?.seconds ?? null, 1],
    ['commission.partnerCollectedBasisPoints', commission.partnerCollectedBasisPoints, 0, 10_000],
    ['commission.hostedCheckoutBasisPoints', commission.hostedCheckoutBasisPoints, 0, 10_000],
    ['commission.brokerageBasisPoints', commission.brokerageBasisPoints, 0, 10_000],
    ['progress.startAfterMs', progress.startAfterMs, 0],
    ['progress.completeAfterMs', progress.completeAfterMs, 0],
    ['progress.settleEveryMs', progress.settleEveryMs, LEAST_SETTLE_EVERY_MS],
    ['progress.sinceMs', progress.sinceMs, Number.MIN_SAFE_INTEGER],
    ['review.priceAboveCents', review.priceAboveCents, 0],
    ['delivery.duplicate', delivery.duplicate, 0, MOST_COPIES],
    ['delivery.delayMs', delivery.delayMs, 0],
  ]
  return bounds
}

function refuseOutside(settings: WorldSettings): void {
  for (const [at, value, least, most = Number.MAX_SAFE_INTEGER] of boundsOf(settings)) {
    if (value === null || (Number.isSafeInteger(value) && value >= least && value <= most)) continue
    throw new StorageError(`this database says of settings.${at} ${value}, and no world has that`)
  }
}

function refuseOddClock({ clock, snapshotMs }: WorldFacts): void {
  const given: Record<string, unknown> = isRecord(clock) ? clock : {}
  const stands = { frozen: given['atMs'], running: given['offsetMs'] }[String(given['mode'])]
  if (!Number.isSafeInteger(stands) || (snapshotMs !== undefined && !Number.isSafeInteger(snapshotMs))) {
    throw new StorageError('this database does not say where its clock stands')
  }
}

function refuseIllegalGaps(gaps: Record<string, unknown>): void {
  for (const [id, { values }] of Object.entries<{ values: readonly unknown[] }>(GAPS)) {
    if (!values.includes(gaps[id])) throw new StorageError(`this database has no legal value for the open point ${id}`)
  }
}
