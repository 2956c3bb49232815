import { type CaseState, type CaseTier, CURRENT_CASE_STATES } from '../../contract/case-states.ts'
import { ApiError } from '../../contract/errors.ts'
import { type Db, nextSequence } from '../../storage/db.ts'
import { conditionsOf, countBy, storedRows, windowOn } from '../../storage/rows.ts'
import { Timelines } from '../events/events.ts'
import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { findListing } from '../inventory/listings.ts'
import { magicKind } from '../inventory/magic.ts'
import { pageToken, vouchedToken } from '../kernel/page-token.ts'
import { type DateWindow, type Page, type Paging, readPage } from '../kernel/paging.ts'
import { unseen } from '../kernel/refusal-with-effect.ts'
import type { Credential, World } from '../kernel/world.ts'

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

/** What has happened to each case. */
export const caseTimelines = new Timelines<CaseState>('brokerage_timeline', 'case_seq')

// Spelled as in the index brokerage_one_case_a_domain, so that SQLite sees it.
const UNDER_WAY = `domain IS NOT NULL AND status IN (${CURRENT_CASE_STATES.map((state) => `'${state}'`).join(', ')})`

const CASES = storedRows<BrokerageCase>()('brokerage_cases', [
  'seq',
  'caseId',
  'partnerId',
  'tier',
  'buyerEmail',
  'budgetCents',
  'currency',
  'domain',
  'status',
  'dealPriceCents',
  'shareBasisPoints',
  'partnerCutCents',
  'closesAtMs',
  'createdAtMs',
  'updatedAtMs',
])

/** @returns false where another case that is under way has the domain. */
export function insertCase(db: Db, opened: BrokerageCase): boolean {
  return CASES.insert(db, opened, `ON CONFLICT (domain) WHERE ${UNDER_WAY} DO NOTHING`) === 1
}

/** Why a domain cannot be brokered (document: Brokerage). */
export const INELIGIBLE_REASONS = ['active_site', 'in_case'] as const

type IneligibleReason = (typeof INELIGIBLE_REASONS)[number]

const ASKED: Record<IneligibleReason, (world: World, domain: string) => boolean> = {
  active_site: (world, domain) => findListing(world, domain)?.liveSite === true,
  in_case: ({ db }, domain) =>
    magicKind(domain) === 'in-a-case' || CASES.where(db, `domain = ? AND ${UNDER_WAY}`).get(domain) !== undefined,
}

/**
 * Why a domain cannot be brokered, or null if it can (BRK-01). A name that is not in the shop can be: acquiring what is not
 * offers is what brokerage is for. So can one that was sold, from its new owner.
 */
export function ineligibleBecause(world: World, domain: string): IneligibleReason | null {
  return INELIGIBLE_REASONS.find((reason) => ASKED[reason](world, domain)) ?? null
}

interface CaseInput {
  tier: CaseTier
  buyerEmail: string
  budgetCents: number
  /** Normalized name. */
  domain?: string | undefined
}

/** After so much world time the case of a `deal-closes-N.test` closes with a deal. */
const DEAL_CLOSES_AFTER_MS = 24 * 3_600 * 1_000

const WORDS: Record<IneligibleReason, string> = {
  active_site: 'it runs an active live site',
  in_case: 'it is in a brokerage case already',
}

/** Opens a case for a partner's user, unless the domain cannot be brokered (BRK-02). */
export function openCase(world: World, caller: Credential, input: CaseInput): BrokerageCase {
  const domain = input.domain ?? null
  const reason = domain === null ? null : ineligibleBecause(world, domain)
  // An open point may let a case be opened although eligibility says no.
  const isOverlooked = reason === 'active_site' && world.gaps['live-site-case'] === 'opened'
  if (reason && !isOverlooked) throw ineligible(world, domain, reason)
  const opened = newCase(world, caller, input)
  if (!insertCase(world.db, opened)) throw ineligible(world, domain, 'in_case')
  caseTimelines.record(world, opened)
  return opened
}

function ineligible(world: World, domain: string | null, reason: IneligibleReason): ApiError {
  return new ApiError(world.gaps['ineligible-case'], `${domain} cannot be brokered: ${WORDS[reason]}`)
}

function newCase(world: World, caller: Credential, input: CaseInput): BrokerageCase {
  const seq = nextSequence(world.db, 'brokerage_cases')
  const nowMs = world.clock.nowMs()
  const domain = input.domain ?? null
  return {
    seq,
    caseId: world.chance.id('brokerageCase', seq),
    partnerId: caller.partnerId,
    tier: input.tier,
    buyerEmail: input.buyerEmail,
    budgetCents: input.budgetCents,
    currency: LISTING_CURRENCY,
    domain,
    status: 'OPEN',
    dealPriceCents: null,
    shareBasisPoints: world.settings.commission.brokerageBasisPoints,
    partnerCutCents: null,
    closesAtMs: domain !== null && magicKind(domain) === 'deal-closes' ? nowMs + DEAL_CLOSES_AFTER_MS : null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
}

/** A partner's own case; an unknown one and another partner's look the same (BRK-04). */
export function ownCase(world: World, caller: Credential, caseId: string): BrokerageCase {
  const found = findCase(world, caseId)
  if (found?.partnerId !== caller.partnerId) {
    throw new ApiError('not_found', 'no such case', { grounds: unseen('case', caseId, found?.partnerId) })
  }
  return found
}

const fitting = conditionsOf<CaseQuery & { beforeSeq: number }>(
  'seq < @beforeSeq',
  'partner_id = @partnerId',
  'status = @status',
  'domain = @domain',
  ...windowOn('created_at'),
)

/** A page of cases, newest first (BRKL-01). */
export function listCases(world: World, filter: CaseQuery): Page<BrokerageCase> {
  return readPage(
    filter,
    (caseId) => findCase(world, caseId),
    (page) => {
      const wanted = { ...filter, ...page }
      return CASES.where(world.db, `${fitting(wanted)} ORDER BY seq DESC LIMIT @limit`).all(wanted)
    },
  )
}

export function casesByState(world: World): Record<string, number> {
  return countBy(world.db, 'brokerage_cases', 'status')
}

export function findCase({ db }: World, caseId: string): BrokerageCase | null {
  return CASES.where(db, 'case_id = ?').get(caseId) ?? null
}

/** The address at which the buyer follows the case without a login, as long as the world lasts (BRK-02). */
export function progressUrl(world: World, { caseId }: BrokerageCase): string {
  return `${world.publicUrl()}/brokerage/progress?pt=${pageToken(world, 'case', { id: caseId, expiresAtMs: null })}`
}

export function caseOfToken(world: World, token: string): BrokerageCase | null {
  const read = vouchedToken(world, 'case', token)
  return read && findCase(world, read.id)
}
