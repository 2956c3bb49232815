import type { GapChoices } from './choices.ts'
import type { EventType } from './event-types.ts'

/** The states that the document names, in the order in which they follow each other. */
export const DOCUMENT_STATES = ['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED'] as const

/** The states of an order: the names of held, refunded and cancelled orders are left open there and are ours (ORD-15). */
export const ORDER_STATES = [...DOCUMENT_STATES, 'MANUAL_REVIEW', 'REFUNDED', 'CANCELLED'] as const

export type OrderState = (typeof ORDER_STATES)[number]

/** The states in which the sale is undone, so that the domain may be sold again. */
export const UNDONE_STATES = ['REFUNDED', 'CANCELLED'] as const satisfies readonly OrderState[]

export function isUndone(state: OrderState): boolean {
  return (UNDONE_STATES as readonly OrderState[]).includes(state)
}

/** One thing that can happen to an order, where it may start, where it leads and which event reports it. */
export interface OrderStep {
  readonly from: readonly OrderState[]
  readonly to: OrderState
  /** Null where the document names no event for the step. */
  readonly event: EventType | null
  /** Who takes the step: an operator by hand, or the settlement run. */
  readonly by: 'operator' | 'settlement'
}

const BEFORE_COMPLETED = ['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS'] as const

/**
 * Every step of an order, in one table: operator routes, console buttons, command line verbs, timeline and events
 * follow from it. `to` and `event` are the document's (States and transitions); `from` is open there and ours (STATE-07).
 */
export const ORDER_STEPS = {
  hold: { from: ['EXTERNALLY_PAID'], to: 'MANUAL_REVIEW', event: null, by: 'operator' },
  clear: { from: ['MANUAL_REVIEW'], to: 'EXTERNALLY_PAID', event: 'order.manual_review_cleared', by: 'operator' },
  'start-transfer': {
    from: ['EXTERNALLY_PAID'],
    to: 'TRANSFER_IN_PROGRESS',
    event: 'order.transfer_started',
    by: 'operator',
  },
  'complete-transfer': {
    from: ['TRANSFER_IN_PROGRESS'],
    to: 'TRANSFER_COMPLETED',
    event: 'order.transfer_completed',
    by: 'operator',
  },
  settle: { from: ['TRANSFER_COMPLETED'], to: 'SETTLED', event: 'order.settled', by: 'settlement' },
  refund: {
    from: [...BEFORE_COMPLETED, 'TRANSFER_COMPLETED', 'SETTLED'],
    to: 'REFUNDED',
    event: 'order.refunded',
    by: 'operator',
  },
  cancel: { from: BEFORE_COMPLETED, to: 'CANCELLED', event: 'order.refunded', by: 'operator' },
} as const satisfies Record<string, OrderStep>

export type OrderStepName = keyof typeof ORDER_STEPS

/** The steps an operator may take by hand, in the order a person would read them. */
export const OPERATOR_STEPS = (Object.keys(ORDER_STEPS) as OrderStepName[]).filter(
  (name) => ORDER_STEPS[name].by === 'operator',
)

/** The open points that decide where a step may start. */
type StepGaps = Pick<GapChoices, 'hold-from' | 'cancel-from' | 'undone-late'>

/**
 * The states in which a step may start, as the open points decide (STATE-07).
 *
 * @param from what the table says, which our sandbox uses by default.
 * @example startsIn('cancel', ORDER_STEPS.cancel.from, { ...DEFAULT_GAPS, 'cancel-from': 'before the transfer' })
 */
export function startsIn(name: OrderStepName, from: readonly OrderState[], gaps: StepGaps): readonly OrderState[] {
  if (name === 'hold' && gaps['hold-from'] !== 'EXTERNALLY_PAID') return [...from, 'TRANSFER_IN_PROGRESS']
  if (name === 'cancel' && gaps['cancel-from'] === 'before the transfer') {
    return from.filter((state) => state !== 'TRANSFER_IN_PROGRESS')
  }
  if (name === 'refund' && gaps['undone-late'] === 'no') {
    return from.filter((state) => state !== 'TRANSFER_COMPLETED' && state !== 'SETTLED')
  }
  return from
}

/**
 * The operator's steps that an order in this state allows now.
 *
 * @example stepsFrom('TRANSFER_IN_PROGRESS', DEFAULT_GAPS) // ['complete-transfer', 'refund', 'cancel']
 */
export function stepsFrom(state: OrderState, gaps: StepGaps): OrderStepName[] {
  return OPERATOR_STEPS.filter((name) => startsIn(name, ORDER_STEPS[name].from, gaps).includes(state))
}
