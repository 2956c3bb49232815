import { AFTERMATH_GAPS } from './gaps/aftermath-gaps.ts'
import { CALL_GAPS } from './gaps/call-gaps.ts'
import type { Gap } from './gaps/gap.ts'
import { SALES_GAPS } from './gaps/sales-gaps.ts'

export type { Gap } from './gaps/gap.ts'

/**
 * What the document leaves open, THE table. Each open point has an id, its legal values, the one our sandbox takes by default,
 * and the reason. A dialect is a choice of these values; nothing here is ever a failure of a foreign target.
 */
export const GAPS = { ...CALL_GAPS, ...SALES_GAPS, ...AFTERMATH_GAPS } as const

export type GapId = keyof typeof GAPS

/** A legal value of some open point. */
export type GapValue = string | number

/** One legal value for every open point. */
export type GapChoices = { [Id in GapId]: (typeof GAPS)[Id]['values'][number] }

export const GAP_IDS = Object.keys(GAPS) as GapId[]

/** The choices our sandbox makes by default. */
export const DEFAULT_GAPS: GapChoices = Object.fromEntries(
  GAP_IDS.map((id) => [id, GAPS[id].default]),
) as unknown as GapChoices

/** An open point with any values. */
export function gapOf(id: GapId): Gap<GapValue> {
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
  return Object.fromEntries(GAP_IDS.filter((id) => choices[id] !== gapOf(id).default).map((id) => [id, choices[id]]))
}
