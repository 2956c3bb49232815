import { wordsIn } from '../../contract/words.ts'
import { plain } from '../http/json-body.ts'

/**
 * Roles are the names that scenarios use instead of places in an answer, because the document shows few places. Each role
 * lists the key names a sensible service might use, best first; a target file can name the place itself.
 */
export interface RoleRow {
  readonly kind: 'text' | 'money' | 'number' | 'flag' | 'list' | 'object' | 'time' | 'any'
  /** Key names, compared without regard to case, `_` and `-`. */
  readonly names: readonly string[]
  /** Nouns that an answer may wrap it in, beside `data`, `result` and the like. */
  readonly of: readonly string[]
  /** The document names this key: its absence from an accepted answer is the target's fault, not a gap. */
  readonly documented?: true
  /** Lists: what an item must have, if that distinguishes the list from others. */
  readonly itemHas?: string
  /** Names that mean it equally well: where two of them differ, neither is taken. */
  readonly rivals?: readonly string[]
  /** What its values look like in any place: if there is only one such value, the key does not matter. */
  readonly shape?: RegExp
}

/**
 * Writes a row down, with its nouns and its key names as words.
 *
 * @example role('time', 'entry', 'at created_at timestamp')
 */
function role(kind: RoleRow['kind'], nouns: string, words: string, documented?: true): RoleRow {
  const [of, names] = [wordsIn(nouns), wordsIn(words)]
  if (documented) return { kind, of, names, documented }
  // Other endings that services give to the names of ids, amounts and times.
  const others = names.flatMap((name) => {
    if (name.endsWith('_id')) return [name.replace(/_id$/, '_ref')]
    if (name.endsWith('_cents')) return [name.replace(/_cents$/, '_minor')]
    const stem = /^(.+)_at$/.exec(name)?.[1]
    if (stem === undefined) return []
    return [`${stem}_on`, `${stem}_time`, ...(stem === 'created' ? ['create_time'] : [])]
  })
  return { kind, of, names: [...new Set([...names, ...others])] }
}

/** Where pages of a list lead on. What names the next page goes before what may be the cursor of this one. */
const NEXT_PAGE = role(
  'any',
  'pagination page paging paging/cursors page_info cursors meta meta/pagination meta/page links meta/links',
  'next_cursor next_page_token next_token next_page end_cursor next cursor after',
)

/** Order ids as the document shapes them. */
const ORDER_ID = /^ord_\S+$/

/** What a run of this program sends as external_payment_ref. */
const PAYMENT_REF = /^conf-[0-9a-z]+-[0-9a-f]{8}$/

/** The address of a page, whole or on the same server. */
const PAGE_ADDRESS = /^(?:https?:\/\/|\/)\S+$/

/** The document names the kinds of a link, and not the key that holds them. */
const LINK_KIND = /^(?:generic|domain|product)$/i

/** A value found for a role, or why none was. */
export type Found<Value = unknown> =
  | {
      found: true
      value: Value
      at: string
      /** Other places of this answer that mean the same, and say the same. */
      also?: readonly string[]
    }
  | {
      found: false
      why: 'absent' | 'ambiguous'
      detail: string
      documented: boolean
      /** Where it might be, with `ambiguous`. */
      places?: readonly string[]
    }

/** What holds the totals of a list. */
const TOTALS = 'totals total summary sums meta/totals meta/summary meta/sums'

/** Roles in the answers of settlement, reporting and referral reads. */
const REPORT_ROLES = {
  'transactions.items': role('list', 'transactions', 'transactions items data results sales rows'),
  'list.next': NEXT_PAGE,
  'transactions.count': role('number', TOTALS, 'count total_count transactions sales'),
  'transaction.id': role('text', 'transaction', 'transaction_id tx_id id public_id ref reference'),
  'transaction.order': {
    ...role('text', 'order transaction', 'public_id order_public_id order_id order'),
    shape: ORDER_ID,
  },
  'transaction.case': role('text', 'case transaction', 'case_id brokerage_case_id case'),
  'transaction.currency': role('text', 'order transaction', 'currency currency_code'),
  'transaction.created_at': role(
    'time',
    'order transaction',
    'created_at sold_at recorded_at booked_at occurred_at date created',
  ),
  'transactions.gmv': role('money', TOTALS, 'gmv_cents total_gmv_cents gmv total_gmv'),
  'transactions.commission': role(
    'money',
    TOTALS,
    `commission_cents total_commission_cents commissions_cents commission total_commission commissions`,
  ),
  'transaction.domain': role('text', 'order', 'domain domain_name fqdn hostname name'),
  'transaction.status': role('text', 'order', 'status state order_status order_state'),
  'transaction.payment_model': role('text', 'order', 'payment_model model sales_model'),
  'transaction.amount': {
    ...role(
      'money',
      'order',
      'sale_price_cents amount_cents price_cents gmv_cents gross_cents sale_price sale_amount amount price gross',
    ),
    rivals: wordsIn('amount_cents price_cents amount price'),
  },
  'transaction.commission': role('money', 'order', 'commission_cents partner_commission_cents commission'),

  'statements.items': role('list', 'settlements', 'settlements statements periods items data results'),
  'statement.id': role('text', 'statement settlement', 'statement_id settlement_id id ref reference'),
  'statement.period_start': role(
    'time',
    'statement settlement period',
    'period_start start from since starts_at start_date period_from opens opened opens_at opened_at begin begins begins_at',
  ),
  'statement.period_end': role(
    'time',
    'statement settlement period',
    'period_end end to until ends_at end_date period_to closes closed closes_at closed_at',
  ),
  'statement.currency': role('text', 'statement settlement', 'currency currency_code'),
  'statement.orders': role('list', 'statement settlement', 'orders order_ids public_ids items lines line_items'),
  'statement.gross': role(
    'money',
    'totals sums amounts',
    'gross_sold_cents gross_cents gross_sales_cents gross_sold gross gross_sales',
  ),
  'statement.commission': role(
    'money',
    'totals sums amounts',
    `commission_retained_cents commission_cents retained_cents commission_retained commission retained`,
  ),
  'statement.owed': role(
    'money',
    'totals sums amounts',
    'amount_owed_cents owed_cents amount_due_cents amount_owed owed amount_due',
  ),

  'payouts.items': role('list', 'payouts', 'payouts items data results'),
  'payouts.total': role(
    'money',
    'totals summary meta',
    'total_paid_cents total_cents paid_cents total_paid sum_paid total',
  ),
  'payout.id': role('text', 'payout', 'payout_id id ref reference number payout'),
  'payout.kind': role('text', 'payout', 'kind type model payment_model source'),
  'payout.currency': role('text', 'payout', 'currency currency_code'),
  'payout.amount': role('money', 'payout', 'amount_cents paid_cents total_cents amount paid value'),
  'payout.date': role(
    'time',
    'payout',
    'paid_at date paid_on payout_date arrival_date value_date created_at sent_at created',
  ),

  'clicks.total': role(
    'number',
    'totals clicks summary meta',
    'total total_clicks click_total clicks click_count count',
  ),
  'clicks.by_link': role('list', 'clicks', 'by_link links per_link items data results'),
  'click.link': role('text', 'link', 'link_id id link'),
  'click.count': role('number', 'stats', 'clicks count click_count total total_clicks'),
  'sales.items': role('list', 'sales', 'sales items data results'),
  'sale.order': {
    ...role('text', 'sale order', 'public_id order_public_id order_id order order_ref order_reference'),
    shape: ORDER_ID,
  },
  'sale.link': role('text', 'sale link', 'link_id tracking_link_id link'),
  'sale.buyer_email': role('text', 'buyer customer sale', 'email buyer_email customer_email'),
  'sale.currency': role('text', 'sale', 'currency currency_code'),
  'sale.created_at': role('time', 'sale', 'created_at sold_at booked_at occurred_at date created'),
  'sale.buyer': role('any', 'sale', 'buyer buyer_email customer customer_email'),
  'sale.domain': role('text', 'sale', 'domain domain_name fqdn hostname name'),
  'sale.amount': role(
    'money',
    'sale',
    'amount_cents sale_price_cents price_cents gross_cents amount sale_price price gross value',
  ),
  'sale.commission': role('money', 'sale', 'commission_cents commission earned_cents earned'),
  'ledger.items': role('list', 'ledger commissions', 'entries commissions ledger items lines line_items data results'),
  'ledger.total': role(
    'money',
    'totals summary ledger',
    `balance_cents running_balance_cents current_balance_cents balance running_balance current_balance`,
  ),
  'ledger.order': {
    ...role('text', 'entry order', 'public_id order_public_id order_id order'),
    shape: ORDER_ID,
  },
  'ledger.created_at': role('time', 'entry', 'created_at at occurred_at booked_at recorded_at posted_at date created'),
  'ledger.currency': role('text', 'entry', 'currency currency_code'),
  'ledger.kind': role('text', 'entry', 'kind type entry_type status state'),
  'ledger.amount': role('money', 'entry', 'amount_cents commission_cents amount delta change commission value'),
  'ledger.balance': role(
    'money',
    'entry',
    'balance_cents running_balance_cents balance_after_cents balance running_balance balance_after',
  ),
  'funnel.steps': role('any', 'analytics funnel', 'funnel steps stages'),
  'funnel.clicks': role('number', 'analytics funnel totals', 'clicks total_clicks click_count'),
  'funnel.checkouts': role(
    'number',
    'analytics funnel totals',
    'checkouts checkout_sessions checkouts_started total_checkouts checkout_count',
  ),
  'funnel.conversion_rate': role('number', 'analytics funnel totals', 'conversion_rate conversion rate'),
  'funnel.sales': role('number', 'analytics funnel totals', 'sales total_sales purchases conversions orders'),
  'funnel.gmv': role('money', 'analytics funnel totals', 'gmv_cents total_gmv_cents gmv total_gmv'),
  'funnel.commission': role(
    'money',
    'analytics funnel totals',
    'commission_cents total_commission_cents commission total_commission commissions',
  ),
} as const satisfies Record<string, RoleRow>

/** Every role, by its name. */
const ROLE_ROWS = {
  ...REPORT_ROLES,

  'error.code': role('text', 'error', 'code error_code error type', true),
  'error.message': role('text', 'error', 'message error_message detail error_description title', true),

  'search.items': role('list', 'search', 'domains results items hits matches listings records data'),
  'search.domain': role('text', 'listing', 'domain name domain_name fqdn hostname'),

  listing: role('object', 'domain listing', ''),
  'listing.domain': role('text', 'domain listing pricing availability', 'domain name domain_name fqdn hostname'),
  'listing.price': {
    ...role(
      'money',
      'domain listing pricing prices availability',
      `buy_now_price_cents buy_now_cents price_cents sale_price_cents list_price_cents amount_cents
      buy_now_price buy_now buynow buy buy_it_now buy_it_now_price buy_now_amount asking_price ask_price ask price
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
  'listing.metadata': role(
    'any',
    'domain listing',
    'metadata meta attributes details info about properties description',
  ),

  'quote.id': role('text', 'quote', 'quote_id id', true),
  'quote.price': {
    ...role(
      'money',
      'quote',
      `price_cents quoted_price_cents firm_price_cents quote_price_cents sale_price_cents amount_cents
      expected_price price quoted_price firm_price locked_price firm quote_price amount`,
    ),
    rivals: wordsIn('price_cents sale_price_cents amount_cents price amount'),
  },
  'quote.currency': role('text', 'quote price', 'currency currency_code'),
  'quote.token': role('text', 'quote', 'quote_token signed_quote_token signed_token token signature signed_quote seal'),
  'quote.expires_at': role('time', 'quote reservation', 'expires_at expires valid_until reserved_until expiry until'),

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
  'order.created_at': role('time', 'order', 'created_at recorded_at created placed_at ordered_at booked_at date'),
  'order.quote_id': role('text', 'order', 'quote_id'),
  'order.external_payment_ref': {
    ...role('text', 'order', 'external_payment_ref payment_ref external_ref payment_reference external_reference'),
    shape: PAYMENT_REF,
  },
  'order.payment_model': role('text', 'order', 'payment_model sales_model model'),
  'timeline.status': role('text', 'entry', 'status state to to_status stage step event type name'),
  'timeline.at': role(
    'time',
    'entry',
    'at created_at timestamp time occurred_at reached_at entered_at date on when created',
  ),
  'orders.items': {
    ...role('list', 'orders', 'orders items data results records'),
    itemHas: 'public_id',
  },
  'orders.next': NEXT_PAGE,

  'checkout.url': role('text', 'checkout session checkout_session', 'checkout_url', true),
  'checkout.id': role(
    'text',
    'checkout session checkout_session',
    'session_id checkout_session_id checkout_id id ref reference',
  ),
  'checkout.expires_at': role('time', 'checkout session checkout_session', 'expires_at expires valid_until'),

  'checkout.status': role('text', 'checkout session checkout_session', 'status state'),

  'refund.id': role('text', 'refund', 'refund_id id ref reference'),
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
  'case.status': role('text', 'case brokerage brokerage_case', 'status state phase stage case_status case_state'),
  'case.tier': role('text', 'case brokerage brokerage_case', 'tier', true),
  'case.buyer_email': role('text', 'case brokerage brokerage_case', 'buyer_email', true),
  'case.budget': role(
    'money',
    'case brokerage brokerage_case',
    'budget_cents budget_amount_cents budget budget_amount max_budget maximum_budget',
  ),
  'case.domain': role('text', 'case brokerage brokerage_case', 'domain domain_name fqdn hostname name'),
  'case.created_at': role('time', 'case brokerage brokerage_case', 'created_at opened_at created date'),
  'case.timeline': role('list', 'case brokerage brokerage_case', 'timeline history events updates'),
  'case.progress_url': {
    ...role(
      'text',
      'case brokerage links',
      'progress_url progress_link progress_page progress buyer_url buyer_link buyer_page tracking_url status_url link url',
    ),
    shape: PAGE_ADDRESS,
  },
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
  'eligibility.domain': role('text', 'eligibility domain', 'domain domain_name fqdn hostname name'),

  'link.id': role('text', 'link tracking_link', 'link_id id public_id uid uuid ref reference'),
  'link.kind': { ...role('text', 'link tracking_link', 'kind link_kind link_type type'), shape: LINK_KIND },
  'link.url': { ...role('text', 'link tracking_link', 'url tracking_url short_url link href'), shape: PAGE_ADDRESS },
  'link.domain': role('text', 'link tracking_link', 'domain domain_name fqdn hostname target_domain'),
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

export type RoleName = keyof typeof ROLE_ROWS

export const ROLES: Readonly<Record<RoleName, RoleRow>> = ROLE_ROWS

export const ROLE_NAMES = Object.keys(ROLES) as RoleName[]

export function isRole(name: string): name is RoleName {
  return Object.hasOwn(ROLES, name)
}

/** Whether nothing but a likely name leads to a value, where the target file does not say its place. */
export function isKnownByName(name: RoleName): boolean {
  const { documented, itemHas, shape, names } = ROLES[name]
  return !documented && !itemHas && !shape && names.length > 0
}

/** What the document calls values of which it shows no key. */
const IN_DOCUMENT: Partial<Record<RoleName, readonly string[]>> = {
  'statement.gross': wordsIn('gross_sold'),
  'statement.commission': wordsIn('commission_retained'),
  'statement.owed': wordsIn('amount_owed'),
  'ledger.balance': wordsIn('running_balance'),
  'clicks.total': wordsIn('total_clicks click_total click_totals'),
}

/**
 * Whether a place ends with a key in the words of the document: such a key is not a guess.
 *
 * @example isInWordsOfDocument('statement.owed', '/data/amountOwedCents') // true
 */
export function isInWordsOfDocument(name: RoleName, at: string): boolean {
  const key = plain(at.slice(at.lastIndexOf('/') + 1)).replace(/cents$/, '')
  return IN_DOCUMENT[name]?.some((words) => plain(words) === key) === true
}

/** What `page.` leads to in scenarios. */
export const PAGE_FACTS = ['sells', 'forms', 'title', 'text', 'url', 'location', 'content_type'] as const

export function isPageFact(name: string): name is `page.${(typeof PAGE_FACTS)[number]}` {
  return name.startsWith('page.') && (PAGE_FACTS as readonly string[]).includes(name.slice('page.'.length))
}

/** What `delivery.` leads to in scenarios. */
export interface DeliveryFacts {
  readonly method: string
  /** What was after the question mark of the address; empty where there was none. */
  readonly query: string
  readonly at: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signature?: string
  readonly signed: boolean
  readonly attempt: number
  readonly attempts: number
  readonly answered?: number
  readonly given_up: boolean
  readonly given_up_after_ms?: number
  readonly counted_as_failed: boolean
  readonly in_history?: boolean
}

/** Names of these facts, for the linter. */
export const DELIVERY_FACTS = [
  'method',
  'query',
  'at',
  'headers',
  'body',
  'signature',
  'signed',
  'attempt',
  'attempts',
  'answered',
  'given_up',
  'given_up_after_ms',
  'counted_as_failed',
  'in_history',
] as const satisfies readonly (keyof DeliveryFacts)[]
