import { formatInstant } from '../../clock/instant.ts'
import type { GapChoices } from '../../contract/choices.ts'
import type { CountKind, Met, Tally } from './facts.ts'
import type { PastedCall } from './pasted-call.ts'

/**
 * How far something has been exercised: `partly` if it began, or happened unseen; `wrong` if the client did what it should
 * not; `not_counted` if no call can show it.
 */
export type RowState = 'met' | 'partly' | 'wrong' | 'not_met' | 'not_counted'

/** One thing of the contract that a client may exercise, as its section writes it. */
export interface DraftRow {
  readonly id: string
  readonly title: string
  /** How often the client exercised it, and when. */
  readonly seen: Met
  /** If left out: `met` once it was seen. */
  readonly state?: RowState
  /** How often it happened, whether or not the client knows; null where that is the same. */
  readonly happened?: Met | null
  /** What there is to say besides. */
  readonly says?: string | null
  /** A call of the request log to look at. */
  readonly requestId?: string | null
  /** How to exercise it; shown until it is done. */
  readonly hint: string
}

/** What rows are made of: what was counted of a server, and how hints name it. */
export interface Evidence {
  /** What it chose at the open points. */
  readonly gaps: GapChoices
  /** A key id that calls may carry; null if there is none. */
  readonly keyId: string | null
  seen(kind: CountKind, id?: string): Tally<CountKind>
  /** A command of this program, for this server. */
  command(words: string): string
  /** A call, signed and sent by a line for the shell; in words where no command can make it. */
  call(call: PastedCall): string
  /** An order of a magic name at its price. */
  orderOf(domain: string, more?: Record<string, unknown>): PastedCall
  /** A whole address, of a path below the API root or of one that begins with `/api`. */
  url(path: string): string
}

export type CoverageSection = ReturnType<typeof section>

export type Row = ReturnType<typeof presentRow>

export function section(id: string, title: string, drafts: readonly DraftRow[]) {
  const rows = drafts.map(presentRow)
  const counted = rows.filter(({ state }) => state !== 'not_counted')
  return { id, title, met: counted.filter(({ state }) => state === 'met').length, of: counted.length, rows }
}

function presentRow({ id, title, seen, happened = null, says = null, requestId = null, hint, ...draft }: DraftRow) {
  const state = draft.state ?? (seen.count > 0 ? 'met' : 'not_met')
  const isDone = state === 'met' || state === 'not_counted'
  return {
    id,
    title,
    state,
    ...presentMet(seen),
    happened: happened && presentMet(happened),
    says,
    request_id: requestId,
    hint: isDone ? null : hint,
  }
}

function presentMet({ count, firstMs, lastMs }: Met) {
  return {
    count,
    first_at: count === 0 ? null : formatInstant(firstMs),
    last_at: count === 0 ? null : formatInstant(lastMs),
  }
}
