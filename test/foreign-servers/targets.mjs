// The target file of each personality, as its user would write it: keys, operator, fixtures and dialect.
import { OPERATOR_WORD } from './operator.mjs'
import { SCOPES } from './service.mjs'

/** Roles as `role=pointer`, with the unit in front of a pointer to money whose key does not say it. */
const places = (text) =>
  Object.fromEntries(
    text
      .trim()
      .split(/\s+/u)
      .map((pair) => {
        const [, role, unit, at] = /^([^=]+)=(?:(units|cents):)?(.*)$/u.exec(pair)
        return [role, unit === undefined ? at : { at, unit }]
      }),
  )

const OF_F = { created_at: 'entered', quote_id: 'quote', external_payment_ref: 'payment_reference' }
const OF_I = {
  created_at: 'audit/createdAt',
  quote_id: 'references/quoteId',
  external_payment_ref: 'references/paymentReference',
}

/** Where F and I have the members of an order. */
const orderRoles = (prefix, at, others = OF_F) =>
  [
    ...['public_id', 'domain', 'status', 'sale_price_cents', 'currency'].map((name) => [name, name]),
    ...Object.entries(others),
  ]
    .map(([role, name]) => `${prefix}order.${role}=${at}/${name}`)
    .join(' ')

const DIALECTS = {
  A: {
    price_unit: 'cents',
    params: {
      'orders.domain': 'domain',
      'orders.from': 'created_from',
      'orders.to': 'created_to',
      'orders.cursor': 'cursor',
      'orders.limit': 'limit',
      'reports.from': 'from',
      'reports.to': 'to',
      'reports.cursor': 'cursor',
      'reports.limit': 'limit',
    },
    bodies: {
      quote: { domain: '${domain}' },
      checkout: { domain: '${domain}' },
      refund: { order_id: '${public_id}', reason: 'changed their mind' },
      brokerage: { domain: '${domain}', tier: 'managed', buyer_email: 'jo@buyer.example', budget: 250000 },
      link: { kind: 'generic' },
      link_domain: { kind: 'domain', domain: '${domain}' },
      link_product: { kind: 'product', product: 'starter' },
    },
    roles: places(`
      error.code=/error/code error.message=/error/message search.items=/results search.domain=/domain
      listing.price=/price_cents pricing:listing.price=/buy_now_cents listing.floor=/floor_cents
      listing.available=/available listing.metadata=/metadata quote.id=/quote_id quote.price=/price_cents
      quote.token=/token quote.expires_at=/expires_at orders.items=/orders orders.next=/next_cursor
      order.timeline=/timeline order.created_at=/created_at order.quote_id=/quote_id
      order.external_payment_ref=/external_payment_ref timeline.status=/status timeline.at=/at
      checkout.url=/checkout_url checkout.id=/session_id refund.order=/order_id refund.status=/status
      statements.items=/settlements statement.gross=/gross_sold_cents statement.commission=/commission_retained_cents
      statement.owed=/amount_owed_cents statement.period_start=/period_start statement.period_end=/period_end
      transactions.items=/transactions transactions.gmv=/totals/gmv_cents
      transactions.commission=/totals/commission_cents transactions.count=/totals/count transaction.id=/id
      transaction.domain=/domain transaction.status=/status transaction.payment_model=/payment_model
      transaction.amount=/amount_cents transaction.commission=/commission_cents transaction.created_at=/date
      payouts.items=/payouts payouts.total=/total_paid_cents payout.id=/id payout.amount=/amount_cents
      payout.date=/paid_at cases.items=/cases case.id=/case_id case.status=/status case.timeline=/timeline
      case.progress_url=/progress_url case.budget=/budget_cents eligibility.eligible=/eligible link.id=/id link.kind=/kind link.url=/url
      link.clicks=/clicks link.sales=/sales links.items=/links clicks.total=/total_clicks sales.items=/sales
      sale.order=/order_id sale.buyer=/buyer sale.domain=/domain sale.amount=/amount_cents sale.commission=/commission_cents
      ledger.items=/entries ledger.total=/balance_cents ledger.kind=/kind ledger.amount=/amount_cents
      ledger.balance=/balance_cents list.next=/next_cursor funnel.clicks=/funnel/clicks funnel.sales=/funnel/sales
      funnel.gmv=/gmv_cents funnel.commission=/commission_cents`),
    statuses: { held: 'MANUAL_REVIEW', refunded: 'REFUNDED', cancelled: 'CANCELLED' },
    payment_models: {
      partner_collected: 'partner_collected',
      hosted_checkout: 'hosted_checkout',
      brokerage: 'brokerage',
    },
  },
  B: {
    price_unit: 'units',
    params: {
      'orders.domain': 'filter[domain]',
      'orders.from': 'filter[since]',
      'orders.to': 'filter[until]',
      'orders.cursor': 'page[cursor]',
      'orders.limit': 'page[size]',
      'reports.from': 'start_date',
      'reports.to': 'end_date',
    },
    bodies: {
      quote: { domainName: '${domain}' },
      checkout: { item: { domainName: '${domain}' } },
      refund: { order: '${public_id}' },
      brokerage: { domainName: '${domain}', tier: 'self_serve', buyer_email: 'jo@buyer.example', budget: 2500 },
      link: { linkType: 'generic' },
      link_domain: { linkType: 'domain', domainName: '${domain}' },
      link_product: { linkType: 'product' },
    },
    roles: places(`
      error.code=/errors/0/code error.message=/errors/0/message search.items=/data search.domain=/attributes/name
      domains.search:listing.price=units:/attributes/price domains.search:listing.available=/attributes/forSale
      domains.detail:listing.price=units:/data/attributes/price
      domains.detail:listing.available=/data/attributes/forSale listing.metadata=/data/attributes/about
      availability:listing.price=units:/data/attributes/price
      availability:listing.available=/data/attributes/available pricing:listing.price=units:/data/attributes/buyNow
      listing.floor=units:/data/attributes/floor quote.id=/data/attributes/quote_id
      quote.price=units:/data/attributes/amount quote.token=/data/attributes/signedToken
      quote.expires_at=/data/attributes/validUntil orders.items=/data orders.next=/meta/nextCursor
      orders.create:order.public_id=/data/attributes/public_id orders.create:order.domain=/data/attributes/domain
      orders.create:order.status=/data/attributes/status
      orders.create:order.sale_price_cents=/data/attributes/sale_price_cents
      orders.create:order.currency=/data/attributes/currency orders.create:order.created_at=/data/attributes/placedAt
      orders.create:order.quote_id=/data/attributes/quoteId
      orders.create:order.external_payment_ref=/data/attributes/externalPaymentRef
      orders.detail:order.public_id=/data/attributes/public_id orders.detail:order.domain=/data/attributes/domain
      orders.detail:order.status=/data/attributes/status
      orders.detail:order.sale_price_cents=/data/attributes/sale_price_cents
      orders.detail:order.currency=/data/attributes/currency orders.detail:order.created_at=/data/attributes/placedAt
      orders.detail:order.quote_id=/data/attributes/quoteId
      orders.detail:order.external_payment_ref=/data/attributes/externalPaymentRef
      orders.detail:order.timeline=/data/attributes/history timeline.status=/state timeline.at=/when orders.list:order.public_id=/attributes/public_id
      orders.list:order.domain=/attributes/domain orders.list:order.status=/attributes/status
      orders.list:order.sale_price_cents=/attributes/sale_price_cents orders.list:order.currency=/attributes/currency
      orders.list:order.created_at=/attributes/placedAt orders.list:order.quote_id=/attributes/quoteId
      orders.list:order.external_payment_ref=/attributes/externalPaymentRef checkout.url=/data/attributes/checkout_url
      checkout.id=/data/id refund.order=/data/attributes/order refund.status=/data/attributes/state
      statements.items=/data statement.gross=units:/attributes/grossSold
      statement.commission=units:/attributes/commissionRetained statement.owed=units:/attributes/amountOwed
      statement.period_start=/attributes/from statement.period_end=/attributes/to transactions.items=/data
      transactions.gmv=units:/meta/gmv transactions.commission=units:/meta/commission transaction.id=/id
      transaction.domain=/attributes/domainName transaction.status=/attributes/status
      transaction.payment_model=/attributes/paymentModel transaction.amount=units:/attributes/amount
      transaction.commission=units:/attributes/commission transaction.created_at=/attributes/soldAt
      payouts.items=/data payouts.total=units:/meta/totalPaid payout.id=/id payout.amount=units:/attributes/amount
      payout.date=/attributes/paidOn cases.items=/data brokerage.list:case.id=/attributes/case_id
      brokerage.list:case.status=/attributes/state brokerage.create:case.id=/data/attributes/case_id
      brokerage.detail:case.id=/data/attributes/case_id brokerage.create:case.status=/data/attributes/state
      brokerage.detail:case.status=/data/attributes/state case.timeline=/data/attributes/history
      brokerage.create:case.progress_url=/data/links/progress
      brokerage.detail:case.budget=units:/data/attributes/budget eligibility.eligible=/data/attributes/brokerable
      links.items=/data links.create:link.id=/data/id links.create:link.kind=/data/attributes/linkType
      links.create:link.url=/data/attributes/href links.list:link.id=/id links.list:link.kind=/attributes/linkType
      links.list:link.url=/attributes/href links.list:link.clicks=/attributes/clickCount
      links.list:link.sales=/attributes/saleCount clicks.total=/meta/clicks sales.items=/data
      sale.buyer=/attributes/buyer sale.buyer_email=/attributes/buyer/email sale.domain=/attributes/domainName
      sale.amount=units:/attributes/amount sale.commission=units:/attributes/commission ledger.items=/data
      ledger.total=units:/meta/balance ledger.kind=/attributes/kind ledger.amount=units:/attributes/amount
      ledger.balance=units:/attributes/runningBalance funnel.clicks=/meta/clicks funnel.sales=/meta/sales
      funnel.gmv=units:/meta/gmv funnel.commission=units:/meta/commission`),
    statuses: { held: 'ON_HOLD', refunded: 'CANCELLED', cancelled: 'CANCELLED' },
    payment_models: {
      partner_collected: 'PARTNER_COLLECTED',
      hosted_checkout: 'HOSTED_CHECKOUT',
      brokerage: 'BROKERAGE',
    },
  },
  C: {
    price_unit: 'cents',
    params: {
      'orders.domain': 'domain',
      'orders.from': 'since',
      'orders.to': 'until',
      'orders.cursor': 'starting_after',
      'orders.limit': 'page_size',
      'reports.from': 'since',
      'reports.to': 'until',
    },
    bodies: {
      order: {
        domain: '${domain}',
        expected_price: '${price}',
        currency: '${currency}',
        buyer: { email: 'jo@buyer.example', name: 'Jo Buyer', country: 'NL' },
        return_url: 'https://shop.example/thanks',
        external_payment_ref: '${ref}',
      },
      quote: { domain_name: '${domain}' },
      checkout: { domain_name: '${domain}' },
      refund: { public_id: '${public_id}', reason: 'bought twice' },
      brokerage: { domain: '${domain}', tier: 'managed', buyer_email: 'jo@buyer.example', budget: 250000 },
      link: { type: 'generic' },
      link_domain: { type: 'domain', target: '${domain}' },
      link_product: { type: 'product', target: 'starter' },
    },
    roles: places(`
      error.code=/code error.message=/message search.items=/hits search.domain=/domain_name
      listing.price=cents:/buy_now/minor listing.floor=cents:/floor/minor listing.available=/available
      listing.metadata=/metadata quote.id=/quote_id quote.price=cents:/firm_price/minor quote.token=/quote_token
      quote.expires_at=/expires_at orders.items= orders.list:orders.next=header:Link
      order.timeline=/fulfilment/timeline order.created_at=/recorded_at order.quote_id=/references/quote_id
      order.external_payment_ref=/references/external_payment_ref timeline.status=/event timeline.at=/occurred_at
      checkout.url=/checkout_url checkout.id=/id refund.order=/order refund.status=/state statements.items=
      statement.gross=cents:/gross/minor statement.commission=cents:/retained/minor statement.owed=cents:/owed/minor
      statement.period_start=/opened statement.period_end=/closed transactions.items=/rows
      transactions.gmv=cents:/summary/gmv/minor transactions.commission=cents:/summary/commission/minor
      transaction.id=/ref transaction.domain=/domain_name transaction.status=/status
      transaction.payment_model=/payment_model transaction.amount=cents:/amount/minor
      transaction.commission=cents:/commission/minor transaction.created_at=/at payouts.items=/payouts
      payouts.total=cents:/total/minor payout.id=/ref payout.amount=cents:/amount/minor payout.date=/date cases.items=
      case.id=/case_id case.status=/phase case.budget=cents:/budget/minor case.timeline=/timeline
      brokerage.create:case.progress_url=/progress eligibility.eligible=/can_be_brokered links.items= link.id=/link_id
      link.kind=/type link.url=/short_url link.clicks=/stats/clicks link.sales=/stats/sales clicks.total=/clicks/total
      sales.items= sale.buyer=/buyer sale.domain=/domain_name sale.amount=cents:/amount/minor
      sale.commission=cents:/commission/minor ledger.items=/lines ledger.total=cents:/balance/minor ledger.kind=/kind
      ledger.amount=cents:/amount/minor ledger.balance=cents:/balance_after/minor funnel.clicks=/clicks
      funnel.sales=/conversions funnel.gmv=cents:/gmv/minor funnel.commission=cents:/commission/minor`),
    statuses: { held: 'HELD_FOR_REVIEW', refunded: 'REFUNDED', cancelled: 'CANCELED' },
    payment_models: { partner_collected: 'external', hosted_checkout: 'checkout', brokerage: 'broker' },
  },
  F: {
    price_unit: 'units',
    params: {
      'orders.domain': 'fqdn',
      'orders.from': 'not_before',
      'orders.to': 'not_after',
      'orders.cursor': 'after',
      'orders.limit': 'count',
      'reports.from': 'not_before',
      'reports.to': 'not_after',
      'reports.cursor': 'after',
      'reports.limit': 'count',
    },
    bodies: {
      quote: { fqdn: '${domain}' },
      checkout: { fqdn: '${domain}' },
      refund: { for_order: '${public_id}' },
      brokerage: { fqdn: '${domain}', tier: 'managed', buyer_email: 'jo@buyer.example', budget: 2500 },
      link: { sort: 'generic' },
      link_domain: { sort: 'domain', fqdn: '${domain}' },
      link_product: { sort: 'product', product: 'starter' },
    },
    roles: places(`
      error.code=/fault/code error.message=/fault/message search.items=/result/matches search.domain=/fqdn
      domains.search:listing.price=units:/ask domains.search:listing.available=/for_sale
      domains.detail:listing.price=units:/result/ask domains.detail:listing.available=/result/for_sale
      listing.metadata=/result/details availability:listing.price=units:/result/ask
      availability:listing.available=/result/for_sale pricing:listing.price=units:/result/ask
      listing.floor=units:/result/least quote.id=/result/quote_id quote.price=units:/result/firm
      quote.token=/result/proof quote.expires_at=/result/valid_to orders.items=/result/orders
      orders.next=/result/paging/after list.next=/result/paging/after
      ${['create', 'detail'].map((verb) => orderRoles(`orders.${verb}:`, '/result/order')).join(' ')}
      ${orderRoles('orders.list:', '')} orders.detail:order.timeline=/result/order/steps
      timeline.status=/step timeline.at=/ts
      checkout.url=/result/session/checkout_url checkout.id=/result/session/number
      refund.order=/result/refund/for_order refund.status=/result/refund/state statements.items=/result/statements
      statement.gross=units:/sold statement.commission=units:/kept statement.owed=units:/due
      statement.period_start=/opened statement.period_end=/closed transactions.items=/result/rows
      transactions.gmv=units:/result/sums/gross transactions.commission=units:/result/sums/fee transaction.id=/number
      transaction.domain=/fqdn transaction.status=/state transaction.payment_model=/model
      transaction.amount=units:/gross transaction.commission=units:/fee transaction.created_at=/ts
      payouts.items=/result/transfers payouts.total=units:/result/sum payout.id=/number payout.amount=units:/value
      payout.date=/sent cases.items=/result/cases brokerage.list:case.id=/case_id brokerage.list:case.status=/standing
      brokerage.create:case.id=/result/case/case_id brokerage.detail:case.id=/result/case/case_id
      brokerage.create:case.status=/result/case/standing brokerage.detail:case.status=/result/case/standing
      case.timeline=/result/case/steps brokerage.create:case.progress_url=/result/case/follow
      brokerage.detail:case.budget=units:/result/case/ceiling eligibility.eligible=/result/brokerable
      links.items=/result/links links.create:link.id=/result/link links.create:link.kind=/result/sort
      links.create:link.url=/result/address links.list:link.id=/link links.list:link.kind=/sort
      links.list:link.url=/address links.list:link.clicks=/visits links.list:link.sales=/buys
      clicks.total=/result/visits sales.items=/result/sales sale.buyer=/who sale.domain=/fqdn
      sale.amount=units:/gross sale.commission=units:/earned ledger.items=/result/book ledger.total=units:/result/now
      ledger.kind=/kind ledger.amount=units:/value ledger.balance=units:/held funnel.clicks=/result/visits
      funnel.sales=/result/buys funnel.gmv=units:/result/gross funnel.commission=units:/result/earned`),
    statuses: { held: 'IN_REVIEW', refunded: 'PAID_BACK', cancelled: 'VOID' },
    payment_models: { partner_collected: 'PC', hosted_checkout: 'HC', brokerage: 'BR' },
  },
  I: {
    price_unit: 'cents',
    params: {
      'orders.domain': 'domainName',
      'orders.from': 'createdFrom',
      'orders.to': 'createdBefore',
      'orders.cursor': 'pageToken',
      'orders.limit': 'pageSize',
      'reports.from': 'fromDate',
      'reports.to': 'beforeDate',
      'reports.cursor': 'pageToken',
      'reports.limit': 'pageSize',
    },
    bodies: {
      order: {
        domain: '${domain}',
        expected_price: '${price}',
        currency: '${currency}',
        buyer: { email: 'jo@buyer.example', name: 'Jo Buyer', country: 'NL' },
        return_url: 'https://shop.example/thanks',
        cancel_url: 'https://shop.example/basket',
        external_payment_ref: '${ref}',
      },
      quote: { data: { domainName: '${domain}' } },
      checkout: { data: { domainName: '${domain}' } },
      refund: { data: { orderReference: '${public_id}' } },
      brokerage: { assetName: '${domain}', tier: 'managed', buyer_email: 'jo@buyer.example', budget: 250000 },
      link: { linkKind: 'generic' },
      link_domain: { linkKind: 'domain', target: { domainName: '${domain}' } },
      link_product: { linkKind: 'product', target: { productCode: 'starter' } },
    },
    roles: places(`
      error.code=/failure/primary/code error.message=/failure/primary/message
      search.items=/payload/matches search.domain=/domain/domainName
      domains.search:listing.price=cents:/domain/askingPrice/minorUnits domains.search:listing.available=/domain/forSale
      domains.detail:listing.price=cents:/payload/askingPrice/minorUnits
      domains.detail:listing.available=/payload/forSale listing.metadata=/payload/metadata
      availability:listing.price=cents:/payload/askingPrice/minorUnits availability:listing.available=/payload/available
      pricing:listing.price=cents:/payload/buyNow/minorUnits listing.floor=cents:/payload/floor/minorUnits
      quote.id=/payload/quote_id quote.price=cents:/payload/firmPrice/minorUnits quote.token=/payload/signedToken
      quote.expires_at=/payload/reservation/until
      orders.items=/payload/content orders.next=/payload/page/nextToken list.next=/payload/page/nextToken
      ${['create', 'detail'].map((verb) => orderRoles(`orders.${verb}:`, '/payload', OF_I)).join(' ')}
      ${orderRoles('orders.list:', '', OF_I)} orders.detail:order.timeline=/payload/fulfilment/timeline
      timeline.status=/step timeline.at=/occurredAt
      checkout.url=/payload/checkout_url checkout.id=/payload/sessionReference
      refund.order=/payload/orderReference refund.status=/payload/refundState statements.items=/payload/content
      statement.gross=cents:/grossSold/minorUnits statement.commission=cents:/commissionRetained/minorUnits
      statement.owed=cents:/amountOwed/minorUnits statement.period_start=/period/from statement.period_end=/period/to
      transactions.items=/payload/content transactions.gmv=cents:/payload/totals/gmv/minorUnits
      transactions.commission=cents:/payload/totals/commission/minorUnits transaction.id=/transactionId
      transaction.domain=/domainName transaction.status=/orderState transaction.payment_model=/paymentModel
      transaction.amount=cents:/amount/minorUnits transaction.commission=cents:/commission/minorUnits
      transaction.created_at=/soldAt
      payouts.items=/payload/content payouts.total=cents:/payload/totalPaid/minorUnits payout.id=/payoutId
      payout.amount=cents:/amount/minorUnits payout.date=/executedOn
      cases.items=/payload/content brokerage.list:case.id=/case_id brokerage.list:case.status=/caseState
      brokerage.create:case.id=/payload/case_id brokerage.detail:case.id=/payload/case_id
      brokerage.create:case.status=/payload/caseState brokerage.detail:case.status=/payload/caseState
      case.timeline=/payload/timeline brokerage.create:case.progress_url=/payload/progressLink/href
      brokerage.detail:case.budget=cents:/payload/maximumBudget/minorUnits eligibility.eligible=/payload/brokerable
      links.items=/payload/content links.create:link.id=/payload/linkId links.create:link.kind=/payload/linkKind
      links.create:link.url=/payload/landingUrl links.list:link.id=/linkId links.list:link.kind=/linkKind
      links.list:link.url=/landingUrl links.list:link.clicks=/statistics/clickCount
      links.list:link.sales=/statistics/saleCount clicks.total=/payload/totalClicks
      sales.items=/payload/content sale.buyer=/buyer sale.buyer_email=/buyer/email sale.domain=/domainName
      sale.amount=cents:/amount/minorUnits sale.commission=cents:/commission/minorUnits
      ledger.items=/payload/content ledger.total=cents:/payload/currentBalance/minorUnits ledger.kind=/kind
      ledger.amount=cents:/amount/minorUnits ledger.balance=cents:/runningBalance/minorUnits
      funnel.clicks=/payload/stages/0/count funnel.sales=/payload/stages/1/count
      funnel.gmv=cents:/payload/gmv/minorUnits funnel.commission=cents:/payload/commission/minorUnits`),
    statuses: { held: 'PENDING_REVIEW', refunded: 'CLAWED_BACK', cancelled: 'ANNULLED' },
    payment_models: { partner_collected: 'MERCHANT', hosted_checkout: 'HOSTED', brokerage: 'BROKERED' },
  },
  J: {
    price_unit: 'cents',
    params: {
      'orders.domain': 'd',
      'orders.from': 'a',
      'orders.to': 'b',
      'orders.cursor': 'after',
      'orders.limit': 'n',
      'reports.from': 'a',
      'reports.to': 'b',
      'reports.cursor': 'after',
      'reports.limit': 'n',
    },
    bodies: {
      quote: { d: '${domain}' },
      checkout: { d: '${domain}' },
      refund: { o: '${public_id}' },
      brokerage: { d: '${domain}', tier: 'managed', buyer_email: 'jo@buyer.example', budget: 250000 },
      link: { kind: 'generic' },
      link_domain: { kind: 'domain', d: '${domain}' },
      link_product: { kind: 'product', p: 'starter' },
    },
    roles: places(`
      error.code=/code error.message=/message search.items= search.domain=
      domains.detail:listing.price=cents:/price domains.detail:listing.available=/available listing.metadata=/meta
      availability:listing.price=cents:/price availability:listing.available=/available pricing:listing.price=cents:/buy
      listing.floor=cents:/floor quote.id=/quote_id quote.price=cents:/price quote.token=/tok
      orders.items= orders.next=header:X-Next list.next=header:X-Next order.timeline=/timeline timeline.status=/s
      timeline.at=/t checkout.url=/checkout_url statements.items= statement.gross=cents:/gross
      statement.commission=cents:/kept statement.owed=cents:/owed statement.period_start=/from statement.period_end=/to
      transactions.items=/tx transactions.gmv=cents:/gmv transactions.commission=cents:/fee transaction.id=/id
      transaction.domain=/d transaction.status=/st transaction.payment_model=/pm transaction.amount=cents:/amt
      transaction.commission=cents:/fee transaction.created_at=/t payouts.items=/list payouts.total=cents:/paid
      payout.id=/no payout.amount=cents:/amt payout.date=/on cases.items= case.id=/case_id case.status=/state
      case.timeline=/log brokerage.create:case.progress_url=/link case.budget=cents:/budget eligibility.eligible=/ok
      links.items= link.id=/id link.kind=/kind link.url=/u link.clicks=/n/c link.sales=/n/s clicks.total=/n
      sales.items= sale.buyer=/buyer sale.domain=/d sale.amount=cents:/amt sale.commission=cents:/fee
      ledger.items=/led ledger.total=cents:/bal ledger.kind=/kind ledger.amount=cents:/amt ledger.balance=cents:/bal
      funnel.clicks=/clicks funnel.sales=/sales funnel.gmv=cents:/gmv funnel.commission=cents:/fee`),
    statuses: { held: 'held', refunded: 'refunded', cancelled: 'cancelled' },
    payment_models: { partner_collected: '1', hosted_checkout: '2', brokerage: '3' },
  },
}

const { 'list.next': _, ...rolesOfE } = { ...DIALECTS.A.roles, 'orders.next': '/continuation' }
DIALECTS.E = { ...DIALECTS.A, roles: rolesOfE }
DIALECTS.G = {
  ...DIALECTS.A,
  params: {
    'orders.domain': 'domain',
    'orders.from': 'created_from',
    'orders.to': 'created_to',
    'orders.cursor': 'starting_at',
    'orders.limit': 'size',
    'reports.from': 'from',
    'reports.to': 'to',
  },
  roles: { ...DIALECTS.A.roles, 'orders.next': '/_links/next/href' },
}
DIALECTS.H = DIALECTS.A
DIALECTS.D = { ...DIALECTS.A, roles: { ...rolesOfE, 'list.next': '/continuation' } }

/** C cannot move its clock: what is due there comes in real time. */
const UNABLE = { A: [], B: [], C: ['advance_clock'], D: [], E: [], F: [], G: [], H: [], I: [], J: [] }

function actions(url, personality) {
  const post = (what, json) => ({
    request: `POST ${url}/ops/${what}`,
    headers: { 'x-operator': OPERATOR_WORD },
    ...(json && { json }),
  })
  const order = { order: '${public_id}' }
  const all = {
    advance_clock: post('advance', { seconds: '${seconds}' }),
    rate_limit: post('rate_limit', { calls: '${requests}', seconds: '${per_seconds}' }),
    fail_next: post('fail_next', { count: '${count}' }),
    ...Object.fromEntries(
      ['hold', 'clear', 'start_transfer', 'complete_transfer', 'refund', 'cancel', 'settle'].map((step) => [
        step,
        post(step, order),
      ]),
    ),
    payout: post('payout'),
    set_price: post('set_price', { domain: '${domain}', cents: '${price_cents}' }),
    close_deal: post('close_deal', { case: '${case_id}', cents: '${price_cents}' }),
    close_no_deal: post('close_no_deal', { case: '${case_id}' }),
    pay_checkout: post('pay_session', { checkout_url: '${checkout_url}' }),
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => !UNABLE[personality].includes(name)))
}

function fixtures(service) {
  const all = [...service.environments.sandbox.listings.values()]
  const listings = all.filter((listing) => !service.theirs?.has(listing.name))
  const names = (test, count) =>
    listings
      .filter(test)
      .slice(0, count)
      .map((listing) => listing.name)
  const quiet = (listing) => !listing.site
  // What is listed only is never bought: a run would lose it.
  const [listed, some] = [names(quiet, listings.length).slice(-3), service.choices.inventorySize > 2000 ? 2200 : 900]
  return {
    sellable: names(quiet, some).filter((name) => !listed.includes(name)),
    listed,
    unlisted: ['never-listed-here.example'],
    live_site: names((listing) => listing.site, 3),
    topic: { query: 'sailing', finds: names((listing) => quiet(listing) && listing.topics.includes('sailing'), 100) },
  }
}

/** `address` is where the runner reaches the server: its own, or that of a proxy in front of it. */
export function targetOf(personality, running, { address = running.url, dialect = true, extra } = {}) {
  const { credentials, service } = running
  const key = ({ name, keyId, secret, scopes }) => ({
    name,
    key_id: keyId,
    secret,
    scopes,
    partner: ['other', 'unlinked'].includes(name) ? name : 'main',
    ...(scopes.length === SCOPES.length && { affiliate: name !== 'unlinked' }),
  })
  return {
    url: address,
    mode: 'operator',
    credentials: Object.values(credentials).map(key),
    fixtures: fixtures(service),
    operator: { actions: actions(running.url, personality) },
    ...(dialect && { dialect: DIALECTS[personality] }),
    ...extra,
  }
}
