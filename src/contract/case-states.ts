import type { EventType } from './event-types.ts'

/** How much of the work the service does in a brokerage case (document: Brokerage). */
export const CASE_TIERS = ['managed', 'self_serve'] as const

export type CaseTier = (typeof CASE_TIERS)[number]

/** The states of a brokerage case. The document names none; these are ours (BRK-06). */
export const CASE_STATES = ['OPEN', 'NEGOTIATING', 'DEAL_CLOSED', 'CLOSED_NO_DEAL'] as const

export type CaseState = (typeof CASE_STATES)[number]

/** The states in which a case is under way, so that its domain can be in no other. */
export const CURRENT_CASE_STATES = ['OPEN', 'NEGOTIATING'] as const satisfies readonly CaseState[]

/** One thing that can happen to a case, where it may start, where it leads and which event reports it. */
export interface CaseStep {
  readonly from: readonly CaseState[]
  readonly to: CaseState
  /** Null where the document names no event for the step. */
  readonly event: EventType | null
}

/** Every step of a case, in one table, as contract/order-states.ts has those of an order (BRK-05, BRK-06). */
export const CASE_STEPS = {
  negotiate: { from: ['OPEN'], to: 'NEGOTIATING', event: null },
  'close-deal': { from: CURRENT_CASE_STATES, to: 'DEAL_CLOSED', event: 'brokerage.case_completed' },
  'close-no-deal': { from: CURRENT_CASE_STATES, to: 'CLOSED_NO_DEAL', event: null },
} as const satisfies Record<string, CaseStep>

export type CaseStepName = keyof typeof CASE_STEPS

/** In the order a person would read them. */
export const CASE_STEP_NAMES = Object.keys(CASE_STEPS) as CaseStepName[]
