import { formatInstant } from '../../clock/instant.ts'
import type { EventType } from '../../contract/event-types.ts'
import { type Db, statement } from '../../storage/database.ts'
import type { World } from '../kernel/world.ts'
import { recordEvent } from './events.ts'

/** A state that an order or a case has reached. */
export interface TimelineEntry<State extends string> {
  status: State
  atMs: number
  eventId: string | null
  note: string | null
}

const SILENT = { event: null, data: {}, note: null }

/** The timelines of all orders, or of all cases: one table. */
export class Timelines<State extends string> {
  readonly #insertion: string
  readonly #selection: string
  readonly #selectionOfMany: string

  /** @param owner the column that says whose state it is. */
  constructor(table: 'order_timeline' | 'brokerage_timeline', owner: string) {
    this.#insertion = `INSERT INTO ${table} (${owner}, position, status, at, event_id, note)
      SELECT @seq, coalesce(max(position), 0) + 1, @status, @atMs, @eventId, @note FROM ${table} WHERE ${owner} = @seq`
    this.#selection = `SELECT status, at AS atMs, event_id AS eventId, note FROM ${table}
      WHERE ${owner} = ? ORDER BY position`
    this.#selectionOfMany = `SELECT ${owner}, status, at, event_id, note FROM ${table}
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
    const rows = statement<[number, State, number, string | null, string | null]>(db, this.#selectionOfMany)
      .raw()
      .all(JSON.stringify([...found.keys()]))
    for (const [seq, status, atMs, eventId, note] of rows) found.get(seq)?.push({ status, atMs, eventId, note })
    return found
  }

  /** Adds the state of a moment, with its event if there is one. */
  record(
    world: World,
    { seq, partnerId, status, updatedAtMs }: { seq: number; partnerId: string; status: State; updatedAtMs: number },
    { event, data, note }: { event: EventType | null; data: Record<string, unknown>; note: string | null } = SILENT,
  ): void {
    const eventId = event && recordEvent(world, { partnerId, type: event, data }).id
    this.add(world.db, seq, { status, atMs: updatedAtMs, eventId, note })
  }
}

export function presentTimeline<State extends string>(entries: readonly TimelineEntry<State>[]) {
  return entries.map(({ status, atMs, eventId, note }) => ({
    status,
    at: formatInstant(atMs),
    event_id: eventId,
    note,
  }))
}
