import { formatInstant } from '../../clock/instant.ts'
import type { CountedWorld } from './coverage.ts'
import { type Facts, factId } from './facts.ts'
import { lineOf, type PastedCall } from './pasted-call.ts'
import type { FactQuery } from './store.ts'
import { type Met, NOTHING, type Tally, type TallyKind } from './tally.ts'

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

/** What rows are made of. */
export interface Evidence {
  readonly world: CountedWorld
  seen(kind: TallyKind, id: string): Tally
  fact(query: FactQuery, ...about: string[]): Met
  /** A command of this program, for this world. */
  command(words: string): string
  /** A call of this world, signed and sent by a line for the shell; in words where no command can make it. */
  call(call: PastedCall): string
}

export function evidenceOf(world: CountedWorld, facts: Facts, commandLine: (words: string) => string): Evidence {
  const inWorld = world.name === 'default' ? '' : ` --world ${world.name}`
  const command = (words: string) => commandLine(words + inWorld)
  return {
    world,
    seen: (kind, id) => world.coverage.tallies.of(kind, id),
    fact: (query, ...about) => facts.get(factId(query, ...about)) ?? NOTHING,
    command,
    call: (call) => lineOf(world, call, command),
  }
}

export type Section = ReturnType<typeof section>

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
