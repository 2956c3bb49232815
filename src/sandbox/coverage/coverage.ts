import { type Alarm, callAfter } from '../../clock/wall-clock.ts'
import type { GapChoices } from '../../contract/choices.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { parameterNames } from '../../contract/wire-names.ts'
import { atomically } from '../../storage/commit-queue.ts'
import type { World } from '../kernel/world.ts'
import { type Call, headerValues } from '../wire/call.ts'
import type { Answer } from '../wire/route.ts'
import type { Setback } from './retries.ts'
import { Retries } from './retries.ts'
import { codeIn, edgesIn, eventsIn, ownEdge, ownStates, setbackOf, statusIn } from './seen-in-answer.ts'
import { caseHistoryBetween, historyBetween } from './store.ts'
import { Tallies } from './tallies.ts'

interface AnsweredCall {
  readonly call: Call
  readonly answer: Answer
  readonly worldTimeMs: number
  readonly tookMs: number
}

/** A world whose coverage is counted. */
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
 * Counts a call in the world it belongs to. One that was refused before its credential was looked for belongs to the
 * world whose key id it carries. Without any it belongs to none; it is counted in the main world while that is the only one, and else
 * nowhere, because the suites of other worlds must not spoil its count.
 *
 * @param known the world of the call, if it was found.
 */
export function noteCall(worlds: CountedWorlds, known: CountedWorld | null, answered: AnsweredCall): void {
  const owner = known ?? claimedWorld(worlds, answered.call)
  const world = owner ?? (worlds.list().length === 1 ? worlds.main : null)
  world?.coverage.note(answered, { isOwn: owner !== null })
}

function claimedWorld(worlds: CountedWorlds, call: Call): CountedWorld | null {
  const [keyId] = headerValues(call, HEADERS.keyId)
  return keyId === undefined ? null : (worlds.findCredential(keyId)?.world ?? null)
}

/** A world in a file writes its tallies down so long after the first that changed; a kill loses no more than that. */
const SAVE_AFTER_MS = 1_000

/**
 * What clients have exercised in a world, as far as it must be counted when it happens. No call of a client depends on it, so
 * a failure here affects nothing else.
 */
export class Coverage {
  readonly tallies: Tallies
  readonly #world: () => World
  readonly #retries = new Retries()
  /** Of the choices under which the last call was counted. */
  #ownStates: { gaps: GapChoices; names: ReadonlyMap<string, string> } | null = null
  #alarm: Alarm | null = null
  #hasWarned = false

  /** @param world asked for late, because a world and its coverage need each other. */
  constructor(world: () => World) {
    this.#world = world
    this.tallies = new Tallies(() => world().db)
  }

  /**
   * Counts a call that was answered, or left without an answer. The first failure is a warning of the process.
   *
   * @param isOwn false for one that belongs to no world: it has no known owner, so it is not a retry of anything.
   */
  note(answered: AnsweredCall, { isOwn }: { isOwn: boolean }): void {
    try {
      if (this.#world().db.open) this.#count(answered, isOwn)
    } catch (error) {
      this.#warnOnce(error)
    }
  }

  /** Writes down what is counted: before the database is copied. */
  save(): void {
    this.#alarm?.cancel()
    this.#alarm = null
    try {
      if (this.#world().db.open) this.tallies.save()
    } catch {
      // No call of a client depends on it.
    }
  }

  /** Writes down what a world in a file has not written yet, before it is closed; one in memory is not woken for it. */
  end(): void {
    if (this.#alarm) this.save()
  }

  /** Forgets what is in memory, once the table has been emptied or replaced. */
  forget(): void {
    this.#retries.forget()
    this.tallies.forget()
  }

  #count(answered: AnsweredCall, isOwn: boolean): void {
    const { call, answer, worldTimeMs: atMs } = answered
    const isRead = isReadable(call, answer)
    const code = isRead ? codeIn(answer) : null
    if (code !== null) this.tallies.add('code', code, atMs)
    if (call.endpoint !== null) {
      this.tallies.add('called', call.endpoint, atMs)
      if (code !== null) this.tallies.add('refused', `${call.endpoint} ${code}`, atMs)
      if (isRead && answer.status < 300) this.#countAccepted(call.endpoint, answered)
    }
    if (isOwn) this.#countRetry(answered, isRead ? setbackOf(answer, code) : 'lost_reply')
    this.#saveSoon()
  }

  #ownStatesUnder(gaps: GapChoices): ReadonlyMap<string, string> {
    if (this.#ownStates?.gaps !== gaps) this.#ownStates = { gaps, names: ownStates(gaps) }
    return this.#ownStates.names
  }

  #countAccepted(endpoint: EndpointId, { call, answer, worldTimeMs: atMs }: AnsweredCall): void {
    const { tallies } = this
    const world = this.#world()
    const { timeline, creates, list }: Endpoint = ENDPOINTS[endpoint]
    tallies.add('accepted', endpoint, atMs)
    if (timeline) {
      const ours = this.#ownStatesUnder(world.gaps)
      edgesIn(answer.body, (step) => tallies.add(`${timeline}-edge`, ownEdge(step, ours), atMs))
    }
    if (creates?.kind === 'refund') {
      const status = statusIn(answer.body) ?? ''
      tallies.add('order-state', this.#ownStatesUnder(world.gaps).get(status) ?? status, atMs)
    }
    if (creates?.kind === 'order' && HEADERS.idempotentReplayed in answer.headers) {
      tallies.add('situation', 'replayed', atMs)
    }
    if (endpoint === 'events.list' && call.credential) {
      noteHistoryPage(world, tallies, call.credential.partnerId, answer.body, atMs)
    }
    if (call.query.length === 0 || list === null) return
    const cursor = parameterNames(endpoint, world.gaps).get('cursor') ?? 'cursor'
    if (call.query.some(([name]) => name === cursor)) tallies.add('situation', 'cursor', atMs)
    if (call.query.some(([name]) => name === 'after_id')) tallies.add('situation', 'after_id', atMs)
  }

  #countRetry({ call, answer, worldTimeMs, tookMs }: AnsweredCall, setback: Setback | null): void {
    const judged = this.#retries.follow(call, answer, { setback, tookMs, wall: this.#world().wall })
    if (judged === null) return
    const isRight = judged.wrong === null
    const tally = this.tallies.add(isRight ? 'retry-right' : 'retry-wrong', judged.after, worldTimeMs)
    if (!isRight) tally.detail = JSON.stringify({ request_id: call.id, wrong: judged.wrong })
  }

  #saveSoon(): void {
    if (this.#alarm || this.#world().db.isPrivate) return
    this.#alarm = callAfter(SAVE_AFTER_MS, () => {
      this.#alarm = null
      if (this.#world().db.open) this.#submitSave()
    })
  }

  /** In the transaction of the next calls, without a sync of its own. */
  #submitSave(): void {
    const { db, commits } = this.#world()
    let undo = () => {}
    commits.submit({
      durability: 'process-death',
      run: () => {
        try {
          atomically(db, () => {
            undo = this.tallies.save()
          })
        } catch {
          // A disk that is full is the business of the calls that have to write; what is counted is written later.
        }
      },
      settled(failure) {
        if (failure !== undefined) undo()
      },
    })
  }

  #warnOnce(error: unknown): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    process.emitWarning(`the coverage of the world ${this.#world().name} is incomplete: ${message}`, {
      type: 'CoverageWarning',
      ...(stack !== undefined && { detail: stack }),
    })
  }
}

/** Whether the client got an answer that it can make something of. */
function isReadable(call: Call, answer: Answer): boolean {
  if (call.departure.kind === 'lost') return false
  // Of the faults only garbage leaves an accepted call with a prompt answer.
  return call.fault === null || call.departure.kind === 'late' || answer.status >= 300
}

/** A stretch of the history, both ends included. */
export type Range = readonly [low: number, high: number]

/** Scattered readings are remembered up to so many stretches; then the shortest is forgotten. */
const MOST_RANGES = 64

/**
 * Counts what a page of the history showed its reader for the first time: events, and the steps of orders and cases behind
 * them. A page is a stretch of the partner's own events without gaps.
 */
function noteHistoryPage(world: World, tallies: Tallies, partnerId: string, page: string, atMs: number): void {
  const found = eventsIn(page)
  const low = found && world.chance.numberOf('event', found.firstId)
  const high = found && world.chance.numberOf('event', found.lastId)
  if (low === null || high === null || high < low) return
  const { detail } = tallies.of('history', partnerId)
  const known = detail === null ? [] : (JSON.parse(detail) as Range[])
  const fresh = without([low, high], known)
  if (fresh.length === 0) return
  for (const range of fresh) noteRange(world, tallies, partnerId, range, atMs)
  tallies.add('history', partnerId, atMs).detail = JSON.stringify(withRange([low, high], known))
}

function noteRange(world: World, tallies: Tallies, partnerId: string, [low, high]: Range, atMs: number): void {
  for (const { a: type, b: step, count } of historyBetween(world.db, { partnerId, low, high })) {
    tallies.add('event', type as string, atMs, count)
    if (step !== null) tallies.add('order-edge', step, atMs, count)
  }
  for (const { a: step, count } of caseHistoryBetween(world.db, { partnerId, low, high })) {
    tallies.add('case-edge', step as string, atMs, count)
  }
}

/**
 * What of a stretch is in none of the others.
 *
 * @param others in order, none touching another.
 * @example without([1, 9], [[3, 4]]) // [[1, 2], [5, 9]]
 */
export function without([low, high]: Range, others: readonly Range[]): Range[] {
  const left: Range[] = []
  let from = low
  for (const [start, end] of others) {
    if (end < from) continue
    if (start > high) break
    if (start > from) left.push([from, start - 1])
    from = end + 1
  }
  if (from <= high) left.push([from, high])
  return left
}

/**
 * The stretches with one more, joined where they meet.
 *
 * @example withRange([3, 4], [[1, 2], [9, 9]]) // [[1, 4], [9, 9]]
 */
export function withRange(added: Range, others: readonly Range[]): Range[] {
  const joined: [number, number][] = []
  for (const [low, high] of [...others, added].sort((x, y) => x[0] - y[0])) {
    const last = joined.at(-1)
    if (last && low <= last[1] + 1) last[1] = Math.max(last[1], high)
    else joined.push([low, high])
  }
  if (joined.length <= MOST_RANGES) return joined
  const shortest = joined.reduce((least, range) => (range[1] - range[0] < least[1] - least[0] ? range : least))
  return joined.filter((range) => range !== shortest)
}
