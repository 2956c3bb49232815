import { integer, list, nullable, object, optional, type Schema, text } from '../../contract/schema.ts'
import type { CommissionRates, ReviewRule } from '../../sandbox/kernel/settings.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import { setRules } from '../../sandbox/worlds/settings.ts'
import { SETTING_LIMITS } from '../../sandbox/worlds/world-facts.ts'
import { USUAL_COMMISSION } from '../../sandbox/worlds/world-options.ts'
import { ok, worldRoute } from '../route.ts'

/** The rules of a world, as they are written: which orders it holds for manual review (STATE-08), and the partner's shares. */
interface WrittenRules {
  commission?: {
    partner_collected_basis_points?: number
    hosted_checkout_basis_points?: number
    brokerage_basis_points?: number
  }
  review?: { price_above_cents?: number | null; buyer_countries?: string[] }
}

/** Hundredths of a percent of the price; 10,000 leaves the service nothing. */
const basisPoints = optional(integer({ minimum: 0, maximum: 10_000 }))

export const writtenRules: Schema<WrittenRules> = object({
  commission: optional(
    object({
      partner_collected_basis_points: basisPoints,
      hosted_checkout_basis_points: basisPoints,
      brokerage_basis_points: basisPoints,
    }),
  ),
  review: optional(
    object({
      price_above_cents: optional(nullable(integer({ minimum: 0 }))),
      buyer_countries: optional(list(text({ format: 'country' }), { maxItems: SETTING_LIMITS.buyerCountries })),
    }),
  ),
})

export function readReview(written: WrittenRules | undefined): ReviewRule {
  const { price_above_cents, buyer_countries } = written?.review ?? {}
  return { priceAboveCents: price_above_cents ?? null, buyerCountries: [...new Set(buyer_countries)] }
}

/** The rates that were said; the others stay as usual. */
export function readCommission(written: WrittenRules | undefined): Partial<CommissionRates> {
  const rates = written?.commission ?? {}
  const { partner_collected_basis_points, hosted_checkout_basis_points, brokerage_basis_points } = rates
  return {
    ...(partner_collected_basis_points !== undefined && {
      partnerCollectedBasisPoints: partner_collected_basis_points,
    }),
    ...(hosted_checkout_basis_points !== undefined && { hostedCheckoutBasisPoints: hosted_checkout_basis_points }),
    ...(brokerage_basis_points !== undefined && { brokerageBasisPoints: brokerage_basis_points }),
  }
}

export function presentRules({ settings: { review, commission } }: Environment) {
  return {
    commission: {
      partner_collected_basis_points: commission.partnerCollectedBasisPoints,
      hosted_checkout_basis_points: commission.hostedCheckoutBasisPoints,
      brokerage_basis_points: commission.brokerageBasisPoints,
    },
    review: { price_above_cents: review.priceAboveCents, buyer_countries: review.buyerCountries },
  }
}

const show = worldRoute('GET', '/rules', {
  summary: "The partner's shares (`commission`) and what holds an order (`review`).",
  handle: ({ world }) => ok(presentRules(world)),
})

/** What is left out is as in a world that nobody has told anything. */
const set = worldRoute('PUT', '/rules', {
  summary: 'Sets both; what is left out is as in a new world. The rules as they are then.',
  body: writtenRules,
  handle({ world, body }) {
    setRules(world, { commission: { ...USUAL_COMMISSION, ...readCommission(body) }, review: readReview(body) })
    return ok(presentRules(world))
  },
})

export const worldRulesRoutes = [show, set]
