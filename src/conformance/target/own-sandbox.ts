import { DEFAULT_GAPS, type GapChoices, isGapId } from '../../contract/choices.ts'
import { isObject } from '../../contract/is-object.ts'
import { parameterNames, stateName } from '../../contract/wire-names.ts'
import { wordsIn } from '../../contract/words.ts'
import type { OperatorAction } from '../format/operator-actions.ts'
import { ROLES, type RoleName } from '../format/roles.ts'
import type { DialectFile, OperatorRequest, Target } from './target.ts'

/** What its answers have under the first name of the role; what is in rows is counted from the row. */
const UNDER_FIRST_NAME = wordsIn(`
  search.items search.domain listing.available domains.detail:listing.metadata pricing:listing.price pricing:listing.floor
  quotes.create:quote.price quotes.create:quote.token quotes.create:quote.expires_at
  orders.detail:order.created_at orders.detail:order.timeline orders.detail:order.quote_id
  orders.detail:order.external_payment_ref refund.id refund.status refund.order refund.amount
  checkout.id checkout.status checkout.expires_at
  case.status case.domain case.timeline case.progress_url cases.items eligibility.eligible
  link.id link.url link.clicks link.sales links.items
  statements.items statement.id statement.period_start statement.period_end statement.orders
  statement.gross statement.commission statement.owed
  transactions.items transaction.id transaction.domain transaction.payment_model transaction.status
  transaction.created_at transaction.amount transaction.commission
  payouts.items payouts.total payout.id payout.kind payout.date payout.amount
  clicks.total clicks.by_link sales.items sale.link sale.order sale.domain sale.buyer sale.amount sale.commission
  ledger.items ledger.total ledger.kind ledger.order ledger.amount ledger.balance
  funnel.clicks funnel.checkouts funnel.sales funnel.gmv funnel.commission
`).map((key) => [key, `/${ROLES[key.slice(key.indexOf(':') + 1) as RoleName].names[0]}`] as const)

const ELSEWHERE: Readonly<Record<string, string>> = {
  'domains.search:listing.price': '/price_cents',
  'domains.detail:listing.price': '/price_cents',
  'availability:listing.price': '/price_cents',
  'case.budget': '/budget',
  'transactions.count': '/totals/count',
  'transactions.gmv': '/totals/gmv_cents',
  'transactions.commission': '/totals/commission_cents',
}

const PLACES = [...UNDER_FIRST_NAME, ...Object.entries(ELSEWHERE)].map(
  ([key, at]) => [key, at.endsWith('_cents') ? { at, unit: 'cents' as const } : at] as const,
)

/** Where our sandbox has what, under these choices. */
export function rolesOf(gaps: GapChoices): DialectFile['roles'] {
  const next = `/${gaps['next-cursor-field']}`
  return { ...Object.fromEntries(PLACES), 'orders.list:orders.next': next, 'list.next': next }
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
