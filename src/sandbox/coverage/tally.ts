/** What is counted as it happens, because no table shows it afterwards. */
export const TALLY_KINDS = [
  'called',
  'accepted',
  'code',
  /** Endpoint and code. */
  'refused',
  'retry-right',
  'retry-wrong',
  'order-edge',
  'order-state',
  'case-edge',
  'event',
  'situation',
  /** How far each partner has read its history. */
  'history',
  /** When counting began again, and what the tables held at that instant already. */
  'start',
  'baseline',
] as const

export type TallyKind = (typeof TALLY_KINDS)[number]

/** How often something was met, and when first and last, in milliseconds of world time. */
export interface Met {
  count: number
  firstMs: number
  lastMs: number
}

export interface Tally extends Met {
  readonly kind: TallyKind
  readonly id: string
  /** What belongs to the latest of them. */
  detail: string | null
}

export const NOTHING: Met = { count: 0, firstMs: 0, lastMs: 0 }

/** Counts of the same thing as one. */
export function together(...all: readonly Met[]): Met {
  const counted = all.filter(({ count }) => count > 0)
  if (counted.length === 0) return NOTHING
  return {
    count: counted.reduce((sum, { count }) => sum + count, 0),
    firstMs: Math.min(...counted.map(({ firstMs }) => firstMs)),
    lastMs: Math.max(...counted.map(({ lastMs }) => lastMs)),
  }
}
