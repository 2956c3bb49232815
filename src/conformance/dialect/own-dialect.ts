import type { GapChoices } from '../../contract/choices.ts'
import type { EndpointId } from '../../contract/endpoints.ts'
import { parameterNames, stateName } from '../../contract/wire-names.ts'
import type { RoleAddress, Target } from '../target/target.ts'

const cents = (at: string): RoleAddress => ({ at, unit: 'cents' })

/** Places in its answers, those of rows counted from the row. */
const ROLES: Target['dialect']['roles'] = {
  'search.items': '/domains',
  'search.domain': '/domain',
  'domains.search:listing.price': cents('/price_cents'),
  'listing.available': '/available',
  'domains.detail:listing.price': cents('/price_cents'),
  'domains.detail:listing.metadata': '/metadata',
  'availability:listing.price': cents('/price_cents'),
  'pricing:listing.price': cents('/buy_now_price_cents'),
  'pricing:listing.floor': cents('/floor_price_cents'),
  'quotes.create:quote.price': cents('/price_cents'),
  'quotes.create:quote.token': '/quote_token',
  'orders.detail:order.timeline': '/timeline',
  'orders.detail:order.quote_id': '/quote_id',
  'orders.detail:order.external_payment_ref': '/external_payment_ref',
  'refund.id': '/refund_id',
  'refund.status': '/status',
  'refund.order': '/public_id',
  'refund.amount': cents('/amount_cents'),

  'checkout.id': '/session_id',
  'checkout.status': '/status',
  'checkout.expires_at': '/expires_at',
  'case.status': '/status',
  'case.domain': '/domain',
  'case.timeline': '/timeline',
  'case.progress_url': '/progress_url',
  'cases.items': '/cases',
  'eligibility.eligible': '/eligible',
  'link.id': '/link_id',
  'link.url': '/url',
  'link.clicks': '/clicks',
  'link.sales': '/sales',
  'links.items': '/links',

  'statements.items': '/settlements',
  'statement.id': '/statement_id',
  'statement.period_start': '/period_start',
  'statement.period_end': '/period_end',
  'statement.gross': cents('/gross_sold_cents'),
  'statement.commission': cents('/commission_retained_cents'),
  'statement.owed': cents('/amount_owed_cents'),
  'statement.orders': '/orders',
  'transactions.items': '/transactions',
  'transactions.count': '/totals/count',
  'transactions.gmv': cents('/totals/gmv_cents'),
  'transactions.commission': cents('/totals/commission_cents'),
  'transaction.amount': cents('/sale_price_cents'),
  'transaction.commission': cents('/commission_cents'),
  'transaction.domain': '/domain',
  'transaction.payment_model': '/payment_model',
  'transaction.status': '/status',
  'transaction.created_at': '/created_at',
  'payouts.items': '/payouts',
  'payouts.total': cents('/total_paid_cents'),
  'payout.amount': cents('/amount_cents'),
  'payout.kind': '/kind',
  'payout.date': '/paid_at',
  'clicks.total': '/total',
  'clicks.by_link': '/by_link',
  'sales.items': '/sales',
  'sale.link': '/link_id',
  'sale.order': '/public_id',
  'sale.domain': '/domain',
  'sale.buyer': '/buyer',
  'sale.amount': cents('/amount_cents'),
  'sale.commission': cents('/commission_cents'),
  'ledger.items': '/entries',
  'ledger.total': cents('/balance_cents'),
  'ledger.kind': '/kind',
  'ledger.order': '/public_id',
  'ledger.amount': cents('/amount_cents'),
  'ledger.balance': cents('/balance_cents'),
  'funnel.clicks': '/clicks',
  'funnel.checkouts': '/checkouts',
  'funnel.sales': '/sales',
  'funnel.gmv': cents('/gmv_cents'),
  'funnel.commission': cents('/commission_cents'),
}

/** How our sandbox calls the parameters that the document leaves open. */
function params(gaps: GapChoices): Target['dialect']['params'] {
  const names = (area: 'orders' | 'reports', endpoint: EndpointId, own: readonly string[]) => {
    const chosen = parameterNames(endpoint, gaps)
    return Object.fromEntries(own.map((name) => [`${area}.${name}`, chosen.get(name) ?? name]))
  }
  return {
    ...names('orders', 'orders.list', ['domain', 'from', 'to', 'cursor', 'limit']),
    ...names('reports', 'settlements.list', ['from', 'to', 'cursor', 'limit']),
  }
}

/**
 * How our sandbox fills the gaps under its choices. A role that is named here counts as missing where it is absent:
 * without it, the runner could not say whether a sandbox with a defect lacks a field or names it differently.
 *
 * @example ownDialect(DEFAULT_GAPS).statuses.held // 'MANUAL_REVIEW'
 */
export function ownDialect(
  gaps: GapChoices,
): Pick<Target['dialect'], 'priceUnit' | 'statuses' | 'params' | 'roles' | 'paymentModels'> {
  const next = `/${gaps['next-cursor-field']}`
  return {
    // Cents are what a run finds out with its first order.
    priceUnit: gaps['expected-price-unit'] === 'units' ? 'units' : null,
    statuses: {
      held: stateName('MANUAL_REVIEW', gaps),
      refunded: stateName('REFUNDED', gaps),
      cancelled: stateName('CANCELLED', gaps),
    },
    paymentModels: {
      partner_collected: 'partner_collected',
      hosted_checkout: 'hosted_checkout',
      brokerage: 'brokerage',
    },
    params: params(gaps),
    roles: { ...ROLES, 'orders.list:orders.next': next, 'list.next': next },
  }
}
