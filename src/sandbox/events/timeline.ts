import { formatInstant } from '../../clock/instant.ts'
import type { EventType } from '../../contract/event-types.ts'
import { type Db, statement } from '../../storage/db.ts'
import type { World } from '../kernel/world.ts'
import { recordEvent } from './events.ts'

/** A state that an order or a case has reached. */
export interface TimelineEntry<State extends string> {
  status: State
  atMs: number
  eventSeq: number | null
  note: string | null
}

/** An order or a case in the state that it has reached. */
interface Moved<State extends string> {
  seq: number
  partnerId: string
  status: State
  updatedAtMs: number
}

/** The event that reports it, null for none, and the reason in the words of the operator or the rule. */
interface Why {
  event: EventType | null
  data: Record<string, unknown>
  note: string | null
}

const SILENT: Why = { event: null, data: {}, note: null }

/** The timelines of all orders, or of all cases: one table. */
export class Timelines<State extends string> {
  readonly #beginning: string
  readonly #insertion: string
  readonly #selection: string
  readonly #selectionOfMany: string

  /** @param owner the column that says whose state it is. */
  constructor(table: 'order_timeline' | 'brokerage_timeline', owner: string) {
    const into = `INSERT INTO ${table} (${owner}, position, status, at, event_seq, note)`
    this.#beginning = `${into} VALUES (?, 1, ?, ?, ?, ?)`
    this.#insertion = `${into}
      SELECT @seq, coalesce(max(position), 0) + 1, @status, @atMs, @eventSeq, @note FROM ${table} WHERE ${owner} = @seq`
    this.#selection = `SELECT status, at AS atMs, event_seq AS eventSeq, note FROM ${table}
      WHERE ${owner} = ? ORDER BY position`
    this.#selectionOfMany = `SELECT ${owner}, status, at, event_seq, note FROM ${table}
      WHERE ${owner} IN (SELECT value FROM json_each(?)) ORDER BY ${owner}, position`
  }

  add(db: Db, seq: number, entry: TimelineEntry<State>): void {
    statement(db, this.#insertion).run({ seq, ...entry })
  }

  /** Oldest first. */
  of(db: Db, seq: number): TimelineEntry<State>[] {
    return statement<TimelineEntry<State>>(db, this.#selection).all(seq)
  }

  /** Those of a page, read at once. */
  ofAll(db: Db, owners: readonly { seq: number }[]): Map<number, TimelineEntry<State>[]> {
    const found = new Map(owners.map(({ seq }): [number, TimelineEntry<State>[]] => [seq, []]))
    const rows = statement<[number, State, number, number | null, string | null]>(db, this.#selectionOfMany)
      .raw()
      .all(JSON.stringify([...found.keys()]))
    for (const [seq, status, atMs, eventSeq, note] of rows) found.get(seq)?.push({ status, atMs, eventSeq, note })
    return found
  }

  /** Adds the state of a moment, with its event if there is one. */
  record(world: World, { seq, partnerId, status, updatedAtMs: atMs }: Moved<State>, { event, data, note }: Why): void {
    const eventSeq = event && recordEvent(world, { partnerId, type: event, data }).seq
    this.add(world.db, seq, { status, atMs, eventSeq, note })
  }

  /** The same for one that is new. */
  begin(world: World, opened: Moved<State>, { event, data, note }: Why = SILENT): void {
    const { seq, partnerId, status, updatedAtMs: atMs } = opened
    const eventSeq = event && recordEvent(world, { partnerId, type: event, data }).seq
    // There is none to come after.
    statement(world.db, this.#beginning).run(seq, status, atMs, eventSeq, note)
  }
}

export function presentTimeline<State extends string>({ chance }: World, entries: readonly TimelineEntry<State>[]) {
  return entries.map(({ status, atMs, eventSeq, note }) => ({
    status,
    at: formatInstant(atMs),
    event_id: eventSeq === null ? null : chance.id('event', eventSeq),
    note,
  }))
}
