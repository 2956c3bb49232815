import type { CountedWorld } from './coverage.ts'
import type { FactId, Facts } from './facts.ts'
import { callWords, type PastedCall, signWords } from './pasted-call.ts'
import { type Met, NOTHING, type Tally, type TallyKind } from './tally.ts'

/**
 * How far something has been met: `partly` where it began, or happened unseen; `wrong` where the client did what it should
 * not; `not_counted` where nothing that happens here could show it.
 */
export type RowState = 'met' | 'partly' | 'wrong' | 'not_met' | 'not_counted'

/** One thing of the contract that a client may meet. */
export interface Row {
  readonly id: string
  readonly title: string
  readonly state: RowState
  /** How often the client met it, and when. */
  readonly seen: Met
  /** How often it happened, whether or not the client knows; null where that is the same. */
  readonly happened: Met | null
  /** What there is to say besides; null for nothing. */
  readonly says: string | null
  /** A call of the request log to look at. */
  readonly requestId: string | null
  /** How to meet it; null where it has been met. */
  readonly hint: string | null
}

export interface Section {
  readonly id: string
  readonly title: string
  readonly met: number
  /** Rows that count. */
  readonly of: number
  readonly rows: readonly Row[]
}

/** What rows are made of. */
export interface Evidence {
  readonly world: CountedWorld
  seen(kind: TallyKind, id: string): Tally
  fact(id: FactId): Met
  /** A command of this program, for this world. */
  command(words: string): string
  /** A call of this world, signed and sent by a line for the shell; in words where no command can make it. */
  call(call: PastedCall): string
}

export function evidenceOf(world: CountedWorld, facts: Facts): Evidence {
  const inWorld = world.name === 'default' ? '' : ` --world ${world.name}`
  const command = (words: string) => `partner-sandbox ${words}${inWorld}`
  return {
    world,
    seen: (kind, id) => world.coverage.tallies.of(kind, id),
    fact: (id) => facts.get(id) ?? NOTHING,
    command,
    call(call) {
      const words = signWords(world, call)
      return words === null ? callWords(call) : `${command(words)} | sh`
    },
  }
}

/** A row as its section writes it: met once it was seen if it names no state; anything else that is left out is nothing. */
export interface DraftRow extends Pick<Row, 'id' | 'title' | 'seen'> {
  state?: RowState
  happened?: Met | null
  says?: string | null
  requestId?: string | null
  hint: string
}

export function section(id: string, title: string, drafts: readonly DraftRow[]): Section {
  const rows = drafts.map(rowOf)
  const counted = rows.filter(({ state }) => state !== 'not_counted')
  return { id, title, met: counted.filter(({ state }) => state === 'met').length, of: counted.length, rows }
}

function rowOf(draft: DraftRow): Row {
  const { id, title, seen, happened = null, says = null, requestId = null, hint } = draft
  const { count, firstMs, lastMs } = seen
  const state = draft.state ?? (count > 0 ? 'met' : 'not_met')
  const isDone = state === 'met' || state === 'not_counted'
  return { id, title, state, seen: { count, firstMs, lastMs }, happened, says, requestId, hint: isDone ? null : hint }
}
