import type { Command } from 'commander'
import type { WrittenRules } from '../../operator-api/rows/worlds.ts'
import { collect, integerBetween } from '../option-parsers.ts'

/** The rules of a world, as options say them. */
export interface RulesOptions {
  commissionPartnerCollected?: number
  commissionHostedCheckout?: number
  commissionBrokerage?: number
  holdAbove?: number
  holdCountry?: string[]
}

/** All of the price is 10,000 hundredths of a percent. */
const basisPoints = integerBetween(0, 10_000)
const MOST_CENTS = 1_000_000_000_000

/** Adds the options that say the rules of a world. */
export function withRulesOptions(command: Command): Command {
  return command
    .option('--commission-partner-collected <bp>', "partner's share of own sales, in basis points", basisPoints)
    .option('--commission-hosted-checkout <bp>', "partner's share of hosted sales, in basis points", basisPoints)
    .option('--commission-brokerage <bp>', "partner's share of deals, in basis points", basisPoints)
    .option('--hold-above <cents>', 'hold orders with a higher price for manual review', integerBetween(0, MOST_CENTS))
    .option('--hold-country <code>', 'hold orders of buyers from there; may be given more than once', collect)
}

/** The operator API's rules; null where no option says anything. */
export function rulesBody(options: RulesOptions): WrittenRules | null {
  const commission = said({
    partner_collected_basis_points: options.commissionPartnerCollected,
    hosted_checkout_basis_points: options.commissionHostedCheckout,
    brokerage_basis_points: options.commissionBrokerage,
  })
  const review = said({ price_above_cents: options.holdAbove, buyer_countries: options.holdCountry })
  return said({ commission: commission ?? undefined, review: review ?? undefined })
}

function said(members: Readonly<Record<string, unknown>>): object | null {
  const given = Object.entries(members).filter(([, value]) => value !== undefined)
  return given.length === 0 ? null : Object.fromEntries(given)
}
