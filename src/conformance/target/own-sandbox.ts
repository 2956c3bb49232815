import { DEFAULT_GAPS, type GapChoices, isGapId } from '../../contract/choices.ts'
import type { EndpointId } from '../../contract/endpoints.ts'
import { parameterNames, stateName } from '../../contract/wire-names.ts'
import type { OperatorAction } from '../format/operator-actions.ts'
import { isObject } from '../http/json-body.ts'
import type { DialectFile, OperatorRequest, RoleAddress, Target } from './target.ts'

const cents = (at: string): RoleAddress => ({ at, unit: 'cents' })

/** Places in its answers, those of rows counted from the row. */
const ROLES: DialectFile['roles'] = {
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
  'quotes.create:quote.expires_at': '/expires_at',
  'orders.detail:order.created_at': '/created_at',
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
  'case.budget': '/budget',
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
  'transaction.id': '/transaction_id',
  'transaction.amount': cents('/sale_price_cents'),
  'transaction.commission': cents('/commission_cents'),
  'transaction.domain': '/domain',
  'transaction.payment_model': '/payment_model',
  'transaction.status': '/status',
  'transaction.created_at': '/created_at',
  'payouts.items': '/payouts',
  'payouts.total': cents('/total_paid_cents'),
  'payout.id': '/payout_id',
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

/** Where our sandbox has what, under these choices. */
export function rolesOf(gaps: GapChoices): DialectFile['roles'] {
  const next = `/${gaps['next-cursor-field']}`
  return { ...ROLES, 'orders.list:orders.next': next, 'list.next': next }
}

/**
 * What a target file of a sandbox of ours would say of its dialect, by what its operator shows of a world; null if that is not a
 * world of ours. A role that is named here counts as missing where it is absent: without it, the runner could not say whether a
 * sandbox with a defect lacks a field or names it differently.
 *
 * @example dialectOf({ gaps: {}, credentials: [] })?.statuses?.held // 'MANUAL_REVIEW'
 */
export function dialectOf(world: unknown): Partial<DialectFile> | null {
  if (!isObject(world) || !isObject(world.gaps) || !Array.isArray(world.credentials)) return null
  const chosen = Object.entries(world.gaps).filter(([id]) => isGapId(id))
  const gaps: GapChoices = { ...DEFAULT_GAPS, ...Object.fromEntries(chosen) }
  const names = (area: 'orders' | 'reports', endpoint: EndpointId, own: readonly string[]) => {
    const ours = parameterNames(endpoint, gaps)
    return Object.fromEntries(own.map((name) => [`${area}.${name}`, ours.get(name) ?? name]))
  }
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
    params: {
      ...names('orders', 'orders.list', ['domain', 'from', 'to', 'cursor', 'limit']),
      ...names('reports', 'settlements.list', ['from', 'to', 'cursor', 'limit']),
    },
    roles: rolesOf(gaps),
  }
}

/** The operator's actions of a target that names a sandbox of ours: those of its file, and the sandbox's own requests. */
export function withSandboxActions(target: Target): Target {
  const { operator } = target
  if (!operator?.url) return target
  const actions = Object.entries(SANDBOX_REQUESTS).map(([action, [method, path, json]]) => [
    action,
    atSandbox(operator, method, path, json),
  ])
  return { ...target, operator: { ...operator, actions: { ...Object.fromEntries(actions), ...operator.actions } } }
}

/** Verb, path below the world, and body, filled in as in a target file. */
const SANDBOX_REQUESTS: Readonly<Record<OperatorAction, readonly [string, string, Record<string, unknown>]>> = {
  advance_clock: ['POST', '/clock/advance', { by: '${duration}' }],
  skew_clock: ['PUT', '/clock', { auth_skew_seconds: '${seconds}' }],
  hold: ['POST', '/orders/${public_id}/hold', {}],
  clear: ['POST', '/orders/${public_id}/clear', {}],
  start_transfer: ['POST', '/orders/${public_id}/start-transfer', {}],
  complete_transfer: ['POST', '/orders/${public_id}/complete-transfer', {}],
  settle: ['POST', '/settlement-runs', {}],
  payout: ['POST', '/payout-runs', {}],
  refund: ['POST', '/orders/${public_id}/refund', {}],
  cancel: ['POST', '/orders/${public_id}/cancel', {}],
  set_price: ['PATCH', '/domains/${domain}', { price_cents: '${price_cents}' }],
  close_deal: ['POST', '/brokerage/${case_id}/close-deal', { price_cents: '${price_cents}' }],
  close_no_deal: ['POST', '/brokerage/${case_id}/close-no-deal', {}],
  pay_checkout: ['POST', '/checkout-sessions/${session_id}/pay', {}],
  fail_next: ['POST', '/faults', { effect: { status: 500 }, times: '${count}' }],
  rate_limit: ['PUT', '/rate-limit', { requests: '${requests}', seconds: '${per_seconds}' }],
}

/** A request to the operator API of a running sandbox, about the world that the target names. */
export function atSandbox(
  { url, token, world }: NonNullable<Target['operator']>,
  method: string,
  path: string,
  json?: unknown,
): OperatorRequest {
  return {
    method,
    url: `${url}/v1/worlds/${encodeURIComponent(world)}${path}`,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    json,
  }
}
