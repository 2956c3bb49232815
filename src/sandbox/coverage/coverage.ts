import { type Alarm, callAfter } from '../../clock/wall-clock.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { stateNames } from '../../contract/wire-names.ts'
import type { Db } from '../../storage/db.ts'
import type { World } from '../kernel/world.ts'
import { headerValues } from '../wire/call.ts'
import type { Exchange } from '../wire/route.ts'
import {
  addEvents,
  type CountKind,
  codeIn,
  edge,
  eventsBetween,
  eventsIn,
  readFacts,
  type ShownEvent,
  statusIn,
  stepsIn,
  Tallies,
  type Tally,
} from './facts.ts'
import { type JudgedRetry, Retries, type Setback } from './retries.ts'

export interface CountedWorld extends World {
  readonly coverage: Coverage
}

/** All worlds, as far as counting their calls takes. */
interface CountedWorlds {
  readonly main: CountedWorld
  findCredential(keyId: string): { world: CountedWorld | null } | null
  list(): readonly CountedWorld[]
}

/**
 * Notes a call in the world it belongs to. One that was refused before its credential was looked for belongs to the
 * world whose key id it carries. Without any it belongs to none; it is counted in the main world while that is the only one, and else
 * nowhere, because the suites of other worlds must not spoil its count.
 *
 * @param known the world of the call, if it was found.
 * @returns where it was noted; null if it belongs to no world.
 */
export function noteCall(worlds: CountedWorlds, known: CountedWorld | null, finished: Exchange): Coverage | null {
  const [keyId] = headerValues(finished.call, HEADERS.keyId)
  const owner = known ?? (keyId === undefined ? null : (worlds.findCredential(keyId)?.world ?? null))
  const world = owner ?? (worlds.list().length === 1 ? worlds.main : null)
  world?.coverage.note(finished, { isOwn: owner !== null })
  return world?.coverage ?? null
}

/** Calls are counted and tallies written so long after the first; a kill loses no more than that. */
const SAVE_AFTER_MS = 1_000
/** So many calls are noted before they are counted in any case, because each keeps its bodies in memory. */
const MOST_NOTED = 100

/** A call that is still to be counted. */
interface NotedCall {
  readonly finished: Exchange
  /** False for one that belongs to no world: it has no known owner, so it is not a retry of anything. */
  readonly isOwn: boolean
  /** By a clock that never goes back. */
  readonly answeredMs: number
}

/**
 * What clients have used of the contract in a world. What its tables show is read when it is asked for; the rest is counted after
 * calls have been answered, and kept in a table beside them. No call of a client waits for that or depends on it, so a failure here
 * affects nothing else.
 */
export class Coverage {
  readonly #world: World
  /** Null until the first call, so that a world without calls never reads its tallies. */
  #known: Tallies | null = null
  #noted: NotedCall[] = []
  #retries = new Retries()
  #alarm: Alarm | null = null
  #hasWarned = false

  constructor(world: World) {
    this.#world = world
  }

  /** Notes a call that was answered, or left without an answer. */
  note(finished: Exchange, { isOwn }: Pick<NotedCall, 'isOwn'>): void {
    this.#noted.push({ finished, isOwn, answeredMs: this.#world.wall.monotonicMs() })
    this.#alarm ??= callAfter(SAVE_AFTER_MS, () => this.#saveWithCalls())
    if (this.#noted.length >= MOST_NOTED) this.countNoted()
  }

  /**
   * Counts the calls that were noted. The first failure is a warning of the process.
   *
   * @returns how the last of them was judged as a retry; null if it is not one.
   */
  countNoted(): JudgedRetry | null {
    const { db, name } = this.#world
    let last: JudgedRetry | null = null
    for (const call of this.#noted.splice(0)) {
      try {
        last = db.open ? this.#count(call) : null
      } catch (error) {
        last = null
        if (!this.#hasWarned) process.emitWarning(`the coverage of the world ${name} is incomplete: ${String(error)}`)
        this.#hasWarned = true
      }
    }
    return last
  }

  #count({ finished, isOwn, answeredMs }: NotedCall): JudgedRetry | null {
    const tallies = this.#tallies()
    const setback = this.#countAnswer(finished, tallies)
    // The usual call: it is refused nothing, and retries nothing.
    if (!isOwn || (setback === null && this.#retries.open.length === 0)) return null
    const judged = this.#retries.follow(finished, setback, answeredMs)
    if (judged === null) return null
    const { after, wrong } = judged
    const detail = wrong === null ? null : JSON.stringify({ request_id: finished.call.id, wrong })
    tallies.add(wrong === null ? 'retry-right' : 'retry-wrong', after, finished.worldTimeMs, detail)
    return judged
  }

  /** @returns what a client may have to try again; null if it was answered as it wished. */
  #countAnswer(finished: Exchange, tallies: Tallies): Setback | null {
    const { call, answer, worldTimeMs } = finished
    if (call.endpoint !== null) tallies.add('called', call.endpoint, worldTimeMs)
    // Of the faults only garbage leaves an accepted call with a prompt answer.
    const isSpoilt = call.fault !== null && call.departure.kind !== 'late' && answer.status < 300
    if (call.departure.kind === 'lost' || isSpoilt) return 'lost_reply'
    if (answer.status < 300 && call.endpoint !== null) this.#countAccepted(call.endpoint, finished, tallies)
    if (answer.status < 400) return null
    const code = codeIn(answer.body)
    if (code !== null) {
      tallies.add('code', code, worldTimeMs)
      return code
    }
    if (answer.status === 429) return 'rate_limited'
    return answer.status >= 500 ? 'internal_error' : null
  }

  #countAccepted(endpoint: EndpointId, finished: Exchange, tallies: Tallies): void {
    const { call, answer, worldTimeMs } = finished
    const { timeline, creates, list }: Endpoint = ENDPOINTS[endpoint]
    tallies.add('accepted', endpoint, worldTimeMs)
    if (timeline) {
      for (const [from, to] of stepsIn(answer.body))
        tallies.add(`${timeline}-edge`, edge(this.#ownName(from), this.#ownName(to)), worldTimeMs)
    }
    if (creates?.kind === 'refund') tallies.add('order-state', this.#ownName(statusIn(answer.body)), worldTimeMs)
    if (creates?.kind === 'order' && HEADERS.idempotentReplayed in answer.headers)
      tallies.add('situation', 'replayed', worldTimeMs)
    if (endpoint === 'events.list') countHistory(this.#world, tallies, eventsIn(answer.body), finished)
    if (list === null || call.rawQuery === '') return
    const query = new URLSearchParams(call.rawQuery)
    if (query.has(this.#world.gaps['cursor-parameter'])) tallies.add('situation', 'cursor', worldTimeMs)
    if (query.has('after_id')) tallies.add('situation', 'after_id', worldTimeMs)
  }

  /** Our name of a state that a server may call otherwise. */
  #ownName(state: string): string {
    for (const [ours, chosen] of stateNames(this.#world.gaps)) if (chosen === state) return ours
    return state
  }

  /** Counts what a client has covered beside its calls: the deliveries that a proxy passes on. */
  count(kind: 'situation' | 'event', id: string): void {
    this.#counted().add(kind, id, this.#world.clock.nowMs())
    this.#alarm ??= callAfter(SAVE_AFTER_MS, () => this.#saveWithCalls())
  }

  /** When counting began again, in world time; null if it goes back to the start of the world. */
  get sinceMs(): number | null {
    const { count, firstMs } = this.#counted().of('start', 'counting')
    return count === 0 ? null : firstMs
  }

  /** Everything that is counted, in calls and in tables. */
  counts(): Tallies<CountKind> {
    const tallies = this.#counted()
    const counts = new Tallies<CountKind>(tallies.all())
    for (const { kind, id, count, firstMs, lastMs } of readFacts(this.#world.db, this.sinceMs ?? 0).all()) {
      const since = count - tallies.of('baseline', `${kind} ${id}`).count
      if (since > 0) counts.add(kind, id, { count: since, firstMs, lastMs })
    }
    return counts
  }

  /**
   * Forgets what clients have used so far. The tables keep their rows, so this stores how many of them belong to this
   * very instant of the world's clock, which may stand still.
   */
  restart(): void {
    const { db, clock, commits } = this.#world
    commits.commitNow(() => {
      const nowMs = clock.nowMs()
      const fresh = new Tallies()
      fresh.add('start', 'counting', nowMs)
      for (const { kind, id, count } of readFacts(db, nowMs).all())
        fresh.add('baseline', `${kind} ${id}`, { count, firstMs: nowMs, lastMs: nowMs })
      db.statement('DELETE FROM coverage_tallies').run()
      writeTallies(db, fresh.all())
    })
    this.forget()
  }

  /** Writes down what is counted: before the database is copied. */
  save(): void {
    this.#alarm?.cancel()
    this.#alarm = null
    const { db } = this.#world
    this.countNoted()
    if (this.#known === null || !db.open) return
    const tallies = this.#known.all()
    try {
      db.transaction(() => writeTallies(db, tallies))()
    } catch {
      // No call of a client depends on it.
    }
  }

  /** Writes down what is counted, and ends: before the database is closed. */
  end(): void {
    this.save()
    this.forget()
  }

  /** Forgets what is in memory, once the table has been emptied or replaced. */
  forget(): void {
    this.#alarm?.cancel()
    this.#alarm = null
    this.#known = null
    this.#noted = []
    this.#retries = new Retries()
  }

  /** All that was noted until now. */
  #counted(): Tallies {
    this.countNoted()
    return this.#tallies()
  }

  #tallies(): Tallies {
    const sql = 'SELECT kind, id, count, first_at AS firstMs, last_at AS lastMs, detail FROM coverage_tallies'
    this.#known ??= new Tallies(this.#world.db.statement<Tally>(sql).all())
    return this.#known
  }

  /** Goes into the transaction of the next calls, without a sync of its own. */
  #saveWithCalls(): void {
    this.#alarm = null
    const { commits } = this.#world
    void commits.perform({ durability: 'process-death', isRead: true }, () => this.save()).catch(() => {})
  }
}

/** All of them: there are a few hundred at most, and so no failure leaves one out. */
function writeTallies(db: Db, tallies: readonly Tally[]): void {
  const insert = db.statement(
    'INSERT OR REPLACE INTO coverage_tallies (kind, id, count, first_at, last_at, detail) VALUES (?, ?, ?, ?, ?, ?)',
  )
  for (const { kind, id, count, firstMs, lastMs, detail } of tallies)
    insert.run(kind, id, count, firstMs, lastMs, detail)
}

/** A stretch of a partner's history, both ends included. */
export type Range = readonly [low: number, high: number]

/**
 * Counts what a page of the history shows its reader for the first time: events, and the steps of orders and cases behind
 * them. A page shows every event of its partner from the start, or from `after_id` on, to the last on the page.
 */
function countHistory(
  world: World,
  tallies: Tallies,
  events: readonly ShownEvent[],
  { call, worldTimeMs }: Exchange,
): void {
  const numberOf = (id: string) => world.chance.numberOf('event', id)
  const afterId = new URLSearchParams(call.rawQuery).get('after_id')
  const after = afterId === null ? 0 : numberOf(afterId)
  const last = numberOf(events.at(-1)?.id ?? '')
  const partnerId = call.credential?.partnerId
  if (last === null && events.length > 0) {
    // A proxy read them from another server: they count by their types, whenever they are read.
    for (const { type } of events) tallies.add('event', type, worldTimeMs)
  }
  if (partnerId === undefined || after === null || last === null) return
  const { detail } = tallies.of('history', partnerId)
  const known = detail === null ? null : (JSON.parse(detail) as [Range])[0]
  const { fresh, read } = readOn(known, [after + 1, last])
  if (fresh.length === 0) return
  for (const [from, to] of fresh) {
    addEvents(tallies, eventsBetween(world.db, { partnerId, from, to, atMs: worldTimeMs }))
  }
  tallies.add('history', partnerId, worldTimeMs, JSON.stringify([read]))
}

/**
 * What of a page is read for the first time, and the stretch that has been read then. Only one stretch is remembered: a client that reads
 * page by page, again or not, counts each event once.
 *
 * @example readOn([1, 4], [3, 6]) // { fresh: [[5, 6]], read: [1, 6] }
 */
export function readOn(known: Range | null, page: Range): { fresh: Range[]; read: Range } {
  const [low, high] = page
  const isApart = known === null || low > known[1] + 1 || high < known[0] - 1
  if (isApart) return { fresh: [page], read: known && known[1] - known[0] > high - low ? known : page }
  const around: Range[] = [
    [low, known[0] - 1],
    [known[1] + 1, high],
  ]
  return {
    fresh: around.filter(([from, to]) => from <= to),
    read: [Math.min(low, known[0]), Math.max(high, known[1])],
  }
}
