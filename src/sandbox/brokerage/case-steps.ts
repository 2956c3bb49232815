import { formatInstant } from '../../clock/instant.ts'
import { CASE_STEP_NAMES, type CaseState, type CaseStepName } from '../../contract/case-states.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Db } from '../../storage/db.ts'
import { findListing, isSold, setListing } from '../inventory/listings.ts'
import { refusedStep } from '../kernel/refusal-with-effect.ts'
import { type TaskSource, waitingRows } from '../kernel/scheduler.ts'
import type { World } from '../kernel/world.ts'
import { bookPayable, bookSale, commissionOf } from '../ledger/ledger.ts'
import { expiryInstant, liveQuoteOf } from '../sales/quotes.ts'
import type { Quote } from '../sales/types.ts'
import { type BrokerageCase, caseTimelines, findCase } from './cases.ts'

/** What is said of a step beside its name. */
interface CaseStepFacts {
  /** Why, in the operator's words; shown in the timeline. */
  note: string | null
  /** Of a deal: what the domain was acquired for. The budget unless said otherwise. */
  priceCents?: number | undefined
}

/** Takes a case one step further: state, timeline, event and the partner's cut together (BRK-05, BRK-06). */
export function takeCaseStep(
  world: World,
  current: BrokerageCase,
  name: CaseStepName,
  { note, priceCents }: CaseStepFacts,
): BrokerageCase {
  const step = world.rules.brokerage.steps[name]
  if (!step.from.includes(current.status)) {
    const closedAt = formatInstant(current.updatedAtMs)
    const end = `the case was closed at ${closedAt} of the world’s time; see brokerage show ${current.caseId}`
    throw refusedStep(name, current.status, caseStepsFrom(world, current.status), end)
  }
  if (name !== 'close-deal' && priceCents !== undefined) {
    throw new ApiError('validation_error', `price_cents belongs to close-deal, not to ${name}`)
  }
  if (name === 'close-deal') refuseReserved(world, current)
  const isUnderWay = caseStepsFrom(world, step.to).length > 0
  const dealPriceCents = priceCents ?? current.budgetCents
  const partnerCutCents = commissionOf(current.shareBasisPoints, dealPriceCents)
  const moved: BrokerageCase = {
    ...current,
    status: step.to,
    ...(name === 'close-deal' && { dealPriceCents, partnerCutCents }),
    closesAtMs: isUnderWay ? current.closesAtMs : null,
    updatedAtMs: world.clock.nowMs(),
  }
  updateCase(world.db, moved)
  caseTimelines.record(world, moved, { event: step.event, data: { case: caseFacts(moved) }, note })
  if (name === 'close-deal') settleDeal(world, moved)
  return moved
}

function updateCase(db: Db, moved: BrokerageCase): void {
  const sql = `UPDATE brokerage_cases SET status = @status, deal_price_cents = @dealPriceCents,
      partner_cut_cents = @partnerCutCents, closes_at = @closesAtMs, updated_at = @updatedAtMs
    WHERE seq = @seq`
  db.statement(sql).run(moved)
}

export function caseStepsNow(world: World, found: BrokerageCase): CaseStepName[] {
  const isReserved = reservationOf(world, found) !== null
  return caseStepsFrom(world, found.status).filter((name) => name !== 'close-deal' || !isReserved)
}

/** The quote by which another partner holds the domain of a case, or null. */
export function reservationOf(world: World, { domain }: BrokerageCase): Quote | null {
  return domain === null ? null : liveQuoteOf(world, domain)
}

/** A quote is a firm promise, so the domain cannot go to another buyer until it has ended (QUOTE-02). */
function refuseReserved(world: World, current: BrokerageCase): void {
  const quote = reservationOf(world, current)
  if (!quote) return
  const until = formatInstant(quote.expiresAtMs)
  throw new ApiError('conflict', `close-deal is not possible while a quote for ${quote.domain} is open, until ${until}`)
}

/** The steps that a state allows, by the world's own rules. */
function caseStepsFrom(world: World, state: CaseState): CaseStepName[] {
  return CASE_STEP_NAMES.filter((name) => world.rules.brokerage.steps[name].from.includes(state))
}

/** What brokerage.case_completed says of the case (BRK-06). */
export function caseFacts(closed: BrokerageCase) {
  return {
    case_id: closed.caseId,
    domain: closed.domain,
    tier: closed.tier,
    status: closed.status,
    deal_price_cents: closed.dealPriceCents,
    partner_cut_cents: closed.partnerCutCents,
    currency: closed.currency,
  }
}

/**
 * The partner's cut goes into the ledger, payable at once. A domain that was for sale has found its buyer; one that a live
 * order holds is not for sale, and stays on the list for its refund to put it up again (REF-04).
 */
function settleDeal(world: World, closed: BrokerageCase): void {
  const { caseId, partnerId, domain, currency } = closed
  bookSale(world, {
    caseId,
    partnerId,
    domain,
    paymentModel: 'brokerage',
    currency,
    priceCents: closed.dealPriceCents as number,
    commissionCents: closed.partnerCutCents as number,
    rateBasisPoints: closed.shareBasisPoints,
  })
  bookPayable(world, { caseId })
  const isForSale = domain !== null && findListing(world, domain)?.listed && !isSold(world, domain)
  if (isForSale) setListing(world, domain, { listed: false })
}

/** Closes the cases that close by themselves (`deal-closes-N.test`), at their budget, once no quote holds the domain. */
export const caseClosings: TaskSource = {
  ...waitingRows({
    kind: 'case.closed',
    from: 'FROM brokerage_cases WHERE closes_at IS NOT NULL',
    id: 'case_id',
    at: 'closes_at',
    order: 'closes_at, seq',
  }),
  run(world, item) {
    const due = findCase(world, item.id) as BrokerageCase
    const quote = reservationOf(world, due)
    if (quote) {
      updateCase(world.db, { ...due, closesAtMs: expiryInstant(world, quote) })
      return []
    }
    const { domain, caseId } = takeCaseStep(world, due, 'close-deal', { note: 'closed by its name' })
    return [
      { atMs: item.atMs, kind: 'case.closed', id: caseId, summary: `the case about ${domain} closed with a deal` },
    ]
  },
}
