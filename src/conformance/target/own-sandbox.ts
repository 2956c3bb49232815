import { DEFAULT_GAPS, type GapChoices, isGapId } from '../../contract/choices.ts'
import { isObject } from '../../contract/is-object.ts'
import { parameterNames, stateName } from '../../contract/wire-names.ts'
import type { OperatorAction } from '../format/operator-actions.ts'
import type { DialectFile, OperatorRequest, Target } from './target.ts'

/** Places in its answers, those of rows counted from the row. */
const PLACES: Readonly<Record<string, string>> = {
  'search.items': '/domains',
  'search.domain': '/domain',
  'listing.available': '/available',
  'domains.detail:listing.metadata': '/metadata',
  'quotes.create:quote.token': '/quote_token',
  'quotes.create:quote.expires_at': '/expires_at',
  'orders.detail:order.created_at': '/created_at',
  'orders.detail:order.timeline': '/timeline',
  'orders.detail:order.quote_id': '/quote_id',
  'orders.detail:order.external_payment_ref': '/external_payment_ref',
  'refund.id': '/refund_id',
  'refund.status': '/status',
  'refund.order': '/public_id',

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
  'statement.orders': '/orders',
  'transactions.items': '/transactions',
  'transactions.count': '/totals/count',
  'transaction.id': '/transaction_id',
  'transaction.domain': '/domain',
  'transaction.payment_model': '/payment_model',
  'transaction.status': '/status',
  'transaction.created_at': '/created_at',
  'payouts.items': '/payouts',
  'payout.id': '/payout_id',
  'payout.kind': '/kind',
  'payout.date': '/paid_at',
  'clicks.total': '/total',
  'clicks.by_link': '/by_link',
  'sales.items': '/sales',
  'sale.link': '/link_id',
  'sale.order': '/public_id',
  'sale.domain': '/domain',
  'sale.buyer': '/buyer',
  'ledger.items': '/entries',
  'ledger.kind': '/kind',
  'ledger.order': '/public_id',
  'funnel.clicks': '/clicks',
  'funnel.checkouts': '/checkouts',
  'funnel.sales': '/sales',
}

/** Places of amounts in cents. */
const AMOUNTS: Readonly<Record<string, string>> = {
  'domains.search:listing.price': '/price_cents',
  'domains.detail:listing.price': '/price_cents',
  'availability:listing.price': '/price_cents',
  'pricing:listing.price': '/buy_now_price_cents',
  'pricing:listing.floor': '/floor_price_cents',
  'quotes.create:quote.price': '/price_cents',
  'refund.amount': '/amount_cents',
  'statement.gross': '/gross_sold_cents',
  'statement.commission': '/commission_retained_cents',
  'statement.owed': '/amount_owed_cents',
  'transactions.gmv': '/totals/gmv_cents',
  'transactions.commission': '/totals/commission_cents',
  'transaction.amount': '/sale_price_cents',
  'transaction.commission': '/commission_cents',
  'payouts.total': '/total_paid_cents',
  'payout.amount': '/amount_cents',
  'sale.amount': '/amount_cents',
  'sale.commission': '/commission_cents',
  'ledger.total': '/balance_cents',
  'ledger.amount': '/amount_cents',
  'ledger.balance': '/balance_cents',
  'funnel.gmv': '/gmv_cents',
  'funnel.commission': '/commission_cents',
}

/** Where our sandbox has what, under these choices. */
export function rolesOf(gaps: GapChoices): DialectFile['roles'] {
  const next = `/${gaps['next-cursor-field']}`
  const amounts = Object.entries(AMOUNTS).map(([role, at]) => [role, { at, unit: 'cents' }] as const)
  return { ...PLACES, ...Object.fromEntries(amounts), 'orders.list:orders.next': next, 'list.next': next }
}

const NAMED_PARAMS = [
  ['orders', 'orders.list', ['domain', 'from', 'to', 'cursor', 'limit']],
  ['reports', 'settlements.list', ['from', 'to', 'cursor', 'limit']],
] as const

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
  const params: DialectFile['params'] = {}
  for (const [area, endpoint, names] of NAMED_PARAMS) {
    const ours = parameterNames(endpoint, gaps)
    for (const name of names) Object.assign(params, { [`${area}.${name}`]: ours.get(name) ?? name })
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
    params,
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
