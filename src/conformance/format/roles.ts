import { wordsIn } from '../../contract/words.ts'
import { REPORT_ROLES } from './report-roles.ts'
import { NEXT_PAGE, ORDER_ID, type RoleRow, role } from './role-row.ts'

/** Every role, by its name. */
export const ROLES = {
  ...REPORT_ROLES,

  'error.code': role('text', 'error', 'code error_code error type', true),
  'error.message': role('text', 'error', 'message error_message detail error_description title', true),

  'search.items': role('list', 'search', 'domains results items hits matches listings records data'),
  'search.domain': role('text', 'listing', 'domain name domain_name fqdn'),

  listing: role('object', 'domain listing', ''),
  'listing.domain': role('text', 'domain listing pricing availability', 'domain name domain_name fqdn'),
  'listing.price': {
    ...role(
      'money',
      'domain listing pricing prices availability',
      `buy_now_price_cents buy_now_cents price_cents sale_price_cents list_price_cents amount_cents
      buy_now_price buy_now buynow buy_it_now buy_it_now_price buy_now_amount asking_price price
      sale_price list_price amount`,
    ),
    rivals: wordsIn('price_cents sale_price_cents list_price_cents amount_cents price sale_price list_price amount'),
  },
  'listing.floor': role(
    'money',
    'domain listing pricing prices',
    `floor_price_cents floor_cents min_price_cents minimum_price_cents floor_price floor min_price
      minimum_price price_floor minimum`,
  ),
  'listing.currency': role('text', 'domain listing pricing price', 'currency currency_code'),
  'listing.available': role('flag', 'domain listing availability', 'available is_available availability for_sale'),
  'listing.metadata': role('any', 'domain listing', 'metadata meta attributes details info'),

  'quote.id': role('text', 'quote', 'quote_id id', true),
  'quote.price': {
    ...role(
      'money',
      'quote',
      `price_cents quoted_price_cents firm_price_cents quote_price_cents sale_price_cents amount_cents
      expected_price price quoted_price firm_price quote_price amount`,
    ),
    rivals: wordsIn('price_cents sale_price_cents amount_cents price amount'),
  },
  'quote.currency': role('text', 'quote price', 'currency currency_code'),
  'quote.token': role('text', 'quote', 'quote_token signed_quote_token signed_token token'),
  'quote.expires_at': role('time', 'quote reservation', 'expires_at expires valid_until reserved_until expiry'),

  order: role('object', 'order', ''),
  'order.public_id': role('text', 'order', 'public_id', true),
  'order.domain': role('text', 'order', 'domain', true),
  'order.status': role('text', 'order', 'status', true),
  'order.sale_price_cents': role('number', 'order', 'sale_price_cents', true),
  'order.currency': role('text', 'order', 'currency', true),
  'order.timeline': role(
    'list',
    'order',
    `timeline status_timeline transfer_timeline fulfilment_timeline fulfillment_timeline history
      status_history events`,
  ),
  'order.created_at': role('time', 'order', 'created_at recorded_at created placed_at date'),
  'order.quote_id': role('text', 'order', 'quote_id'),
  'order.external_payment_ref': role('text', 'order', 'external_payment_ref'),
  'order.payment_model': role('text', 'order', 'payment_model sales_model model'),
  'timeline.status': role('text', 'entry', 'status state to to_status stage event type name'),
  'timeline.at': role('time', 'entry', 'at created_at timestamp time occurred_at date'),
  'orders.items': {
    ...role('list', 'orders', 'orders items data results records'),
    itemHas: 'public_id',
  },
  'orders.next': NEXT_PAGE,

  'checkout.url': role('text', 'checkout session checkout_session', 'checkout_url', true),
  'checkout.id': role('text', 'checkout session checkout_session', 'session_id checkout_session_id checkout_id id'),
  'checkout.expires_at': role('time', 'checkout session checkout_session', 'expires_at expires valid_until'),

  'checkout.status': role('text', 'checkout session checkout_session', 'status state'),

  'refund.id': role('text', 'refund', 'refund_id id'),
  'refund.status': role('text', 'refund', 'status state'),
  'refund.order': {
    ...role('text', 'refund order', 'public_id order_public_id order_id order'),
    shape: ORDER_ID,
  },
  'refund.amount': role(
    'money',
    'refund',
    'amount_cents refund_cents refunded_cents sale_price_cents amount refund_amount',
  ),
  'refund.currency': role('text', 'refund', 'currency currency_code'),
  'refund.created_at': role('time', 'refund', 'created_at requested_at refunded_at created date'),

  'case.id': role('text', 'case brokerage brokerage_case', 'case_id', true),
  'case.status': role('text', 'case brokerage brokerage_case', 'status state'),
  'case.tier': role('text', 'case brokerage brokerage_case', 'tier', true),
  'case.buyer_email': role('text', 'case brokerage brokerage_case', 'buyer_email', true),
  'case.budget': role('any', 'case brokerage brokerage_case', 'budget budget_cents budget_amount'),
  'case.domain': role('text', 'case brokerage brokerage_case', 'domain domain_name name'),
  'case.created_at': role('time', 'case brokerage brokerage_case', 'created_at opened_at created date'),
  'case.timeline': role('list', 'case brokerage brokerage_case', 'timeline history events updates'),
  'case.progress_url': role(
    'text',
    'case brokerage links',
    'progress_url progress_link progress buyer_url buyer_link tracking_url link url',
  ),
  'cases.items': {
    ...role('list', 'brokerage', 'cases brokerage_cases items data results brokerage'),
    itemHas: 'case_id',
  },
  'eligibility.eligible': role(
    'flag',
    'eligibility domain',
    'eligible is_eligible brokerable can_broker can_be_brokered eligibility',
  ),

  'eligibility.reason': role(
    'any',
    'eligibility domain',
    'reason reasons reason_code ineligible_reason ineligibility_reason',
  ),
  'eligibility.domain': role('text', 'eligibility domain', 'domain domain_name name'),

  'link.id': role('text', 'link tracking_link', 'link_id id public_id uid uuid'),
  'link.kind': role('text', 'link tracking_link', 'kind', true),
  'link.url': role('text', 'link tracking_link', 'url tracking_url short_url link href'),
  'link.domain': role('text', 'link tracking_link', 'domain domain_name target_domain'),
  'link.product': role('text', 'link tracking_link', 'product product_id target_product'),
  'link.created_at': role('time', 'link tracking_link', 'created_at created made_at date'),
  'link.clicks': role('number', 'link stats statistics', 'clicks click_count total_clicks clicks_count'),
  'link.sales': role('number', 'link stats statistics', 'sales sale_count total_sales sales_count conversions'),
  'links.items': role('list', 'links', 'links tracking_links items data results'),

  'webhook.url': role('text', 'webhook endpoint', 'url', true),
  'webhook.active': role('flag', 'webhook endpoint', 'active', true),
  'webhook.created_at': role('time', 'webhook endpoint', 'created_at', true),

  'events.items': role('list', 'events', 'events', true),
  'events.next': role('any', 'pagination meta', 'next_cursor', true),
  'event.id': role('text', 'event', 'id', true),
  'event.type': role('text', 'event', 'type', true),
  'event.created_at': role('time', 'event', 'created_at', true),
  'event.data': role('object', 'event', 'data', true),
} as const satisfies Record<string, RoleRow>

export type RoleName = keyof typeof ROLES

export const ROLE_NAMES = Object.keys(ROLES) as RoleName[]

export function isRole(name: string): name is RoleName {
  return Object.hasOwn(ROLES, name)
}

/** The row of a role, typed as a row rather than as this one. */
export function roleRow(name: RoleName): RoleRow {
  return ROLES[name]
}
