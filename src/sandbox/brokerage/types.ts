import type { CaseState, CaseTier } from '../../contract/case-states.ts'
import type { DateWindow, Paging } from '../kernel/paging.ts'

/** The service tries to acquire a domain for a partner's user. */
export interface BrokerageCase {
  seq: number
  caseId: string
  partnerId: string
  tier: CaseTier
  buyerEmail: string
  budgetCents: number
  currency: string
  /** Normalized name; null where the user wants help before there is one. */
  domain: string | null
  status: CaseState
  /** Null until a deal is closed. */
  dealPriceCents: number | null
  /** The partner's share of the deal, in hundredths of a percent, as it was when the case was opened. */
  shareBasisPoints: number
  /** Null until a deal is closed. */
  partnerCutCents: number | null
  /** World time at which a deal closes automatically; null for cases that wait for an operator. */
  closesAtMs: number | null
  createdAtMs: number
  updatedAtMs: number
}

export interface CaseQuery extends DateWindow, Paging {
  partnerId: string | null
  status?: CaseState | undefined
  domain?: string | undefined
}
