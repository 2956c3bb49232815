import { AFTERMATH_GAPS } from './gaps/aftermath-gaps.ts'
import { CALL_GAPS } from './gaps/call-gaps.ts'
import { SALES_GAPS } from './gaps/sales-gaps.ts'

export type { Gap } from './gaps/gap.ts'

/**
 * What the document leaves open, THE table. Each open point has an id, its legal values, the one our sandbox takes by default,
 * and the reason. A dialect is a choice of these values; nothing here is ever a failure of a foreign target.
 */
export const GAPS = { ...CALL_GAPS, ...SALES_GAPS, ...AFTERMATH_GAPS } as const

export type GapId = keyof typeof GAPS

/** One legal value for every open point. */
export type GapChoices = { [Id in GapId]: (typeof GAPS)[Id]['values'][number] }

/** The choices our sandbox makes unless told otherwise. */
export const DEFAULT_GAPS: GapChoices = Object.fromEntries(
  Object.entries(GAPS).map(([id, { default: value }]) => [id, value]),
) as GapChoices
