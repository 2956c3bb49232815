import { createHash } from 'node:crypto'
import { AFTER_SALES_CHOICES } from './choices/after-sales.ts'
import { CALL_CHOICES } from './choices/calls.ts'
import { SALES_CHOICES } from './choices/sales.ts'
import { didYouMean } from './words.ts'

interface OpenPoint {
  /** The open row of the requirements that this point belongs to. */
  readonly requirement: string
  readonly question: string
  /** The legal values. The sandbox takes the first by default. */
  readonly values: readonly [GapValue, ...GapValue[]]
  readonly reason: string
  /** The option or setting by which it is chosen instead of here; then there is one value. */
  readonly chosenBy?: string
  /** Why nothing else would do; then there is one value. */
  readonly fixed?: string
}

/** A legal value of some open point. */
export type GapValue = string | number

/**
 * What the document leaves open, THE table. Each open point has an id, its legal values, of which our sandbox takes the first
 * by default, and the reason. A dialect is a choice of these values; nothing here is ever a failure of a foreign target.
 */
export const GAPS = { ...CALL_CHOICES, ...SALES_CHOICES, ...AFTER_SALES_CHOICES } satisfies Record<string, OpenPoint>

export type GapId = keyof typeof GAPS

/** One legal value for every open point. */
export type GapChoices = { [Id in GapId]: (typeof GAPS)[Id]['values'][number] }

export const GAP_IDS = Object.keys(GAPS) as GapId[]

export const DEFAULT_GAPS: GapChoices = choicesBy((id) => GAPS[id].values[0])

export function gapOf(id: GapId): OpenPoint {
  return GAPS[id]
}

export function isGapId(id: string): id is GapId {
  return Object.hasOwn(GAPS, id)
}

/**
 * The choices that differ from the usual ones.
 *
 * @example changedGaps({ ...DEFAULT_GAPS, 'skew-edge': 'refused' }) // { 'skew-edge': 'refused' }
 */
export function changedGaps(choices: GapChoices): Partial<GapChoices> {
  return Object.fromEntries(GAP_IDS.filter((id) => choices[id] !== DEFAULT_GAPS[id]).map((id) => [id, choices[id]]))
}

/**
 * One legal value for every open point, drawn from a seed. Each point is drawn on its own, so a point that is added or
 * removed changes no other.
 *
 * @example variedGaps('ci-4711')['skew-edge'] // 'refused'
 */
export function variedGaps(seed: string): GapChoices {
  return choicesBy((id) => drawn(seed, id))
}

function choicesBy(choose: (id: GapId) => GapValue): GapChoices {
  return Object.fromEntries(GAP_IDS.map((id) => [id, choose(id)])) as unknown as GapChoices
}

function drawn(seed: string, id: GapId): GapValue {
  const { values } = gapOf(id)
  const digest = createHash('sha256').update(`${id}\n${seed}`).digest()
  return values[Number(digest.readBigUInt64BE() % BigInt(values.length))] as GapValue
}

/** What is wrong with a choice of open points: with which id, or with the value given for it. */
interface ChoiceProblem {
  readonly id: string
  readonly about: 'id' | 'value'
  readonly message: string
}

/**
 * Reads choices from a file or a request.
 *
 * @param how `text` also takes what reads the same, as a file has it that knows no types.
 * @example readGapChoices({ 'skew-edge': 'refused' }, 'typed') // { choices: { 'skew-edge': 'refused' }, problems: [] }
 */
export function readGapChoices(
  written: Readonly<Record<string, unknown>>,
  how: 'typed' | 'text',
): { choices: Partial<GapChoices>; problems: ChoiceProblem[] } {
  const choices: Partial<Record<GapId, GapValue>> = {}
  const problems: ChoiceProblem[] = []
  for (const [id, value] of Object.entries(written)) {
    const legal = isGapId(id) ? legalValue(id, value, how) : undefined
    if (isGapId(id) && legal !== undefined) choices[id] = legal
    else problems.push(isGapId(id) ? wrongValue(id, value) : unknownId(id))
  }
  return { choices: choices as Partial<GapChoices>, problems }
}

function legalValue(id: GapId, value: unknown, how: 'typed' | 'text'): GapValue | undefined {
  return gapOf(id).values.find(
    (legal) => legal === value || (how === 'text' && typeof value !== 'object' && String(legal) === String(value)),
  )
}

function unknownId(id: string): ChoiceProblem {
  return {
    id,
    about: 'id',
    message: `unknown open point: ${quoted(id)}${didYouMean(id.slice(0, 64), GAP_IDS)}`,
  }
}

function wrongValue(id: GapId, value: unknown): ChoiceProblem {
  const values = gapOf(id).values.map((legal) => JSON.stringify(legal))
  const given = typeof value === 'object' ? (value === null ? 'null' : 'no single value') : quoted(value)
  const near = typeof value === 'string' ? didYouMean(value.slice(0, 64), gapOf(id).values.map(String)) : ''
  return { id, about: 'value', message: `${id} is ${given}; legal are ${values.join(', ')}${near}` }
}

function quoted(value: unknown): string {
  return JSON.stringify(typeof value === 'string' ? value.slice(0, 64) : value)
}
