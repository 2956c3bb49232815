import { createHash } from 'node:crypto'
import { GAP_IDS, type GapChoices, type GapId, type GapValue, gapOf, isGapId } from './gaps.ts'
import { didYouMean } from './words.ts'

/**
 * One legal value for every open point, drawn from a seed. Each draw is of its own, so a point that is added or taken away
 * changes no other.
 *
 * @example variedGaps('ci-4711')['skew-edge'] // 'refused'
 */
export function variedGaps(seed: string): GapChoices {
  return Object.fromEntries(GAP_IDS.map((id) => [id, drawn(seed, id)])) as unknown as GapChoices
}

function drawn(seed: string, id: GapId): GapValue {
  const { values } = gapOf(id)
  const digest = createHash('sha256').update(`${id}\n${seed}`).digest()
  return values[Number(digest.readBigUInt64BE() % BigInt(values.length))] as GapValue
}

/** What is wrong with a choice of open points: with which id, or with the value given for it. */
export interface ChoiceProblem {
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
