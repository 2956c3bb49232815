// The 26 endpoints: path, scope and what is done; how it is written is the personality's.
import * as brokering from './brokering.mjs'
import * as earning from './earning.mjs'
import { emit, history, registerHook } from './events.mjs'
import * as hosted from './hosted.mjs'
import { asIndexed, search } from './inventory.mjs'
import * as selling from './selling.mjs'
import { is, moment, monthAgo, notFound, pageOf, Refusal, validate } from './service.mjs'
import { pairsOf } from './signing.mjs'

/** A personality may have a status for each path. */
export const createdStatus = ({ choices, call }) =>
  choices.statuses.createdAt?.[call.path.slice(V1.length)] ?? choices.statuses.created

const V1 = '/api/partner/v1'

/** A window of a query, by the names that the personality gives. */
function windowOf({ call, choices }, [fromName, toName]) {
  return {
    from: moment(call.params.get(fromName), fromName, false, choices.windows),
    to: moment(call.params.get(toName), toName, true, choices.windows),
  }
}

const folded = (c, name) => (c.choices.namesFolded ? name?.toLowerCase() : name)

const wanted = (call, name) => call.params.get(name) || undefined

function needDomain({ service, call }) {
  const domain = wanted(call, 'domain')
  if (domain === undefined && !service.broken('domain_may_be_left_out'))
    throw new Refusal('validation_error', 'domain is required.')
  if (domain && service.broken('names_below_count_as_listed')) return domain.split('.').slice(-2).join('.')
  return service.choices.namesFolded ? (domain ?? '').toLowerCase() : (domain ?? '')
}

/** The id of the last row of the page before, which a personality may wrap. */
function cursorOf(c) {
  const { cursor, unwrap } = c.choices.lists
  const told = wanted(c.call, cursor)
  return told === undefined || unwrap === undefined ? told : unwrap(told)
}

function pages(c, rows, idOf) {
  const { lists } = c.service.choices
  if (broken(c, 'page_sizes_in_words_crash') && Number.isNaN(Number(wanted(c.call, lists.limit) ?? 1)))
    throw new Error('LIMIT must be a number')
  if (broken(c, 'negative_page_sizes_crash') && Number(wanted(c.call, lists.limit) ?? 1) < 0)
    throw new Error('LIMIT must not be negative')
  const cut = pageOf(rows, {
    cursor: cursorOf(c),
    limit: wanted(c.call, lists.limit),
    defaultSize: lists.defaultSize,
    maximum: lists.maximum,
    leadsOn: lists.leadsOn,
    idOf,
  })
  if (lists.refusesOver && Number(wanted(c.call, lists.limit) ?? 1) > lists.maximum)
    throw new Refusal('validation_error', `${lists.limit} must be at most ${lists.maximum}.`)
  if (broken(c, 'oversized_pages_end_the_list') && Number(wanted(c.call, lists.limit) ?? 1) > lists.maximum)
    cut.next = null
  if (cut.next !== null && lists.wrap) cut.next = lists.wrap(cut.next)
  if (c.service.broken('pages_skip_one') && wanted(c.call, lists.cursor) !== undefined) cut.page.shift()
  if (c.service.broken('pages_repeat_one') && wanted(c.call, lists.cursor) !== undefined) cut.page.unshift(rows[0])
  return cut
}

const maybePages = (c, rows) =>
  c.service.choices.lists.reportsPaged ? pages(c, rows, (row) => row.id) : { page: rows, next: null }

/** Lists that most personalities tell whole. */
const morePages = (c, rows) =>
  c.service.choices.lists.allPaged ? pages(c, rows, (row) => row.id) : { page: rows, next: null }

function searchDomains(c) {
  const q = c.call.params.get('q') ?? ''
  const isBlank = broken(c, 'blank_search_of_tabs') ? q.replaceAll(' ', '') === '' : q.trim() === ''
  if (isBlank && !c.service.broken('blank_search')) throw new Refusal('validation_error', 'q is required.')
  const found = searched(c, q)
  if (found.length === 0 && c.service.broken('nothing_found_is_an_error')) throw notFound('Domain')
  return c.shape.search(found)
}

/** What is found, in the ways that broken variants look for it. */
function searched(c, q) {
  if (broken(c, 'long_searches_crash') && q.length > 255) throw new Error('value too long for type character varying')
  if (broken(c, 'search_operators_crash') && /[&|!()*]/u.test(q)) throw new Error('syntax error in tsquery')
  const found = search(c.service, c.env, q)
  if (broken(c, 'five_of_each_q')) {
    const all = pairsOf(c.service, c.call.query).filter(([name]) => name === 'q')
    return [...new Set(all.flatMap(([, text]) => search(c.service, c.env, text)))]
  }
  if (broken(c, 'search_of_both_environments')) {
    const others = search(c.service, c.service.environments.sandbox, q)
    return [...new Set([...found, ...others])].slice(0, 5)
  }
  if (broken(c, 'search_keeps_first_prices'))
    return found.map((listing) => ({ ...listing, price: first(c, listing.name, listing.price) }))
  return found
}

/** The value that came first under a name. */
function first({ env }, name, value) {
  env.firsts ??= new Map()
  if (!env.firsts.has(name)) env.firsts.set(name, value)
  return env.firsts.get(name)
}

/** Whether a broken variant says that a domain is available which is sold or not listed. */
function wronglyOpen(c, domain, listing) {
  const [label] = domain.split('.')
  if (listing === undefined)
    return (
      broken(c, 'unlisted_is_available') ||
      (broken(c, 'available_by_first_label') && [...c.env.listings.keys()].some((name) => name.startsWith(`${label}.`)))
    )
  const paid = c.env.sessions.some((session) => session.paid && session.domain === listing.name)
  return (
    (broken(c, 'available_once_asked') && first(c, `open ${domain}`, !listing.sold)) ||
    (broken(c, 'available_though_paid_hosted') && paid)
  )
}

/** What a cache has of the availability of a domain. */
function cached({ choices, env, service }, domain, open) {
  if (choices.availabilityCacheMs === undefined) return open
  env.opens ??= new Map()
  const now = service.clock.wall()
  if (now - (env.opens.get(domain)?.at ?? 0) >= choices.availabilityCacheMs) env.opens.set(domain, { at: now, open })
  return env.opens.get(domain).open
}

function availability(c) {
  const domain = needDomain(c)
  const listing = c.env.listings.get(domain)
  const long = domain.split('.').length > 2
  if (listing === undefined && (broken(c, 'unlisted_availability_404') || (long && broken(c, 'long_availability_404'))))
    throw notFound('Domain')
  const now = c.service.clock.now()
  const isHeld = (quote) =>
    quote.domain === domain && quote.partner !== c.partner && !quote.used && quote.expiresAt > now
  if (broken(c, 'reserved_names_not_found') && c.env.quotes.some(isHeld)) throw notFound('Domain')
  const open = cached(c, domain, listing !== undefined && !listing.sold)
  const price =
    listing && c.service.broken('availability_price_differs') ? { ...listing, price: listing.price + 100 } : listing
  const denied = listing?.site && broken(c, 'availability_denies_live_sites')
  return c.shape.availability(domain, !denied && (wronglyOpen(c, domain, listing) || open), price)
}

function detail(c) {
  const name = c.service.choices.namesFolded ? c.parts[0].toLowerCase() : c.parts[0]
  if (c.service.broken('unlisted_detail_200') && !c.env.listings.has(name))
    return c.shape.detail({ name, words: [], topics: [], price: 10000, floor: 8000 })
  const isTaken = (quote) => quote.domain === name && quote.partner !== c.partner && !quote.used
  if (broken(c, 'reserved_details_crash') && c.env.quotes.some(isTaken)) throw new Error('null value in column owner')
  const listing = selling.listed(c.service, c.env, name)
  return c.shape.detail(c.service.choices.detailFromIndex ? asIndexed(c.service, c.env, listing) : listing)
}

async function createOrder(c) {
  if (c.choices.longestKey && c.call.headers['idempotency-key']?.length > c.choices.longestKey)
    throw new Refusal('validation_error', 'The Idempotency-Key is too long.')
  return selling.createOrder(c.service, c.env, c.partner, c.call, c.body, (order) => {
    order.keyId = c.credential.keyId
    const told = c.shape.order(order, false)
    return { status: createdStatus(c), text: JSON.stringify(told), headers: {} }
  })
}

function listOrders(c) {
  const { params } = c.choices
  const window = windowOf(c, params.orderDates)
  if (broken(c, 'windows_backwards_crash') && window.from > window.to) throw new Error('lower bound must be less')
  const filters = {
    status: wanted(c.call, params.orderStatus),
    domain: folded(c, wanted(c.call, params.orderDomain)),
    ...window,
  }
  if (wanted(c.call, c.choices.lists.cursor) !== undefined) {
    if (broken(c, 'order_pages_forget_the_status')) filters.status = undefined
    if (broken(c, 'order_pages_forget_the_dates')) Object.assign(filters, { from: undefined, to: undefined })
  }
  const rows = selling.ordersOf(c.service, c.env, c.partner, filters)
  const { page, next: further } = pages(c, rows, (order) => order.id)
  const isBehind = wanted(c.call, c.choices.lists.cursor) !== undefined
  const next = isBehind && broken(c, 'order_page_sizes_end_the_list') ? null : further
  if (broken(c, 'lone_last_order_lost') && rows.length > 1 && next === rows.at(-2).id)
    return c.shape.orders(page, null, c.call)
  const isFull = next === null && rows.length > page.length && page.length > 1 && rows.length % page.length === 0
  if (isFull && broken(c, 'full_last_page_repeats')) page[0] = rows[0]
  if (broken(c, 'order_pages_lead_back') && next === null && rows.length > page.length)
    return c.shape.orders(page, rows[0].id, c.call)
  return c.shape.orders(page, next, c.call)
}

/** A broken variant finds the steps of an order by its domain. */
function joined(c, order) {
  if (!broken(c, 'timeline_joined_by_domain')) return order
  const alike = c.env.orders.filter((each) => each.partner === c.partner && each.domain === order.domain)
  const timeline = alike.flatMap((each) => each.timeline).toSorted((a, b) => a.at - b.at)
  return { ...order, timeline }
}

async function createQuote(c) {
  if (c.service.broken('quotes_need_a_key') && !c.call.headers['idempotency-key'])
    throw new Refusal('missing_idempotency_key', 'Key?')
  const domain = c.choices.read.quote(c.body)
  validate(c.service, [[c.choices.names.quoteDomain, domain, true, is.domain, 'a domain name']])
  const listing = broken(c, 'quote_race') && selling.forSale(c.service, c.env, c.partner, domain)
  if (listing) await new Promise((done) => setTimeout(done, 25))
  return c.shape.quote(selling.createQuote(c.service, c.env, c.partner, domain, listing))
}

function createSession(c) {
  const domain = c.choices.read.session(c.body)
  validate(c.service, [[c.choices.names.sessionDomain, domain, true, is.domain, 'a domain name']])
  return c.shape.session(hosted.createSession(c.service, c.env, c.partner, { domain }), c.base)
}

function refund(c) {
  const order = c.choices.read.refund(c.body)
  validate(c.service, [
    [c.choices.names.refundOrder, order, true, is.text, 'an order id'],
    ['reason', c.body.reason, false, is.text, 'text'],
  ])
  return c.shape.refund(selling.requestRefund(c.service, c.env, c.partner, order, c.body.reason))
}

function putWebhook(c) {
  if (broken(c, 'refused_registration_ends_the_former') && !is.url(c.body.url)) c.env.hooks.delete(c.partner)
  const kept = c.env.hooks.get(c.partner)
  if (broken(c, 'refused_registration_changes_the_secret') && kept && !is.url(c.body.url)) kept.secret = c.body.secret
  validate(c.service, [
    ['url', c.body.url, true, is.url, 'an http or https URL'],
    ['secret', c.body.secret, true, is.text, 'text'],
  ])
  if (c.choices.shortestSecret > c.body.secret.length)
    throw new Refusal('validation_error', `secret must have ${c.choices.shortestSecret} characters.`)
  const isFirst = !c.env.hooks.has(c.partner)
  const hook = registerHook(c.service, c.env, c.partner, c.body)
  if (c.choices.pings) emit(c.service, c.env, c.partner, 'webhook.ping', { webhook: { url: hook.url } })
  const told = { url: hook.url, active: true, created_at: c.choices.iso(hook.createdAt) }
  if (c.service.broken('webhook_secret_told')) told.secret = hook.secret
  if (c.service.broken('webhook_without_time')) delete told.created_at
  if (isFirst && broken(c, 'first_registration_is_201')) return { status: 201, text: JSON.stringify(told), headers: {} }
  return told
}

function transactions(c) {
  const filters = {
    status: wanted(c.call, 'status'),
    model: c.choices.modelNamed(wanted(c.call, 'payment_model')),
    ...windowOf(c, ['from', 'to']),
  }
  if (broken(c, 'transactions_of_the_key')) filters.keyId = c.credential.keyId
  const lost = broken(c, 'report_filter_lost_on_page_two') && wanted(c.call, c.choices.lists.cursor) !== undefined
  const { rows, gmv, commission } = earning.transactions(c.service, c.env, c.partner, lost ? {} : filters)
  const { page, next } = maybePages(c, rows)
  const isLater = wanted(c.call, c.choices.lists.cursor) !== undefined
  const rest = broken(c, 'totals_of_the_rest') && isLater ? rows.slice(rows.indexOf(page[0])) : undefined
  const left = rest?.reduce((sum, sale) => sum + sale.price, 0)
  return c.shape.transactions(page, { gmv: left ?? gmv, commission, count: rows.length }, next, c.call)
}

function payouts(c, part) {
  const { rows, total } = earning.payouts(c.service, c.env, c.partner, part)
  const all = c.env.payouts.filter((each) => each.partner === c.partner).reduce((sum, each) => sum + each.amount, 0)
  const { page, next } = morePages(c, rows)
  if (broken(c, 'payout_dates_are_now'))
    for (const [n, row] of page.entries()) page[n] = { ...row, at: c.service.clock.now() }
  return c.shape.payouts(page, broken(c, 'referral_total_of_all_payouts') && part === 'referral' ? all : total, next)
}

const broken = (c, name) => c.service.broken(name)
const casesOf = (c) =>
  c.env.cases.filter(
    (made) =>
      (made.partner === c.partner || broken(c, 'cases_of_everybody')) &&
      !(broken(c, 'second_partner_has_no_cases') && made.partner !== 'ptr_1main') &&
      !(broken(c, 'cases_of_thirty_days') && made.at < monthAgo(c.service)),
  )

const asListed = (c, made) =>
  broken(c, 'no_deal_is_listed_as_open') && made.outcome === 'no_deal' ? { ...made, state: 'open' } : made

function listCases(c) {
  const rows = casesOf(c).map((made) => asListed(c, made))
  const { page, next } = morePages(c, rows)
  return c.shape.cases(page, next)
}

const priced = (c) => (broken(c, 'prices_of_the_sandbox') ? c.service.environments.sandbox : c.env)
const linked = (c) => (broken(c, 'links_of_both_environments') ? Object.values(c.service.environments) : [c.env])

/** The links that a broken variant shows: those that were shown last at this address, or the latest. */
function kept(c, links) {
  if (broken(c, 'links_of_the_last_three')) return links.slice(-3)
  if (!broken(c, 'links_cached_by_address')) return links
  const version = c.env.links.length + c.env.clicks.length
  if (c.env.shownLinks?.version !== version) c.env.shownLinks = { version, links }
  return c.env.shownLinks.links
}

const shownStatements = (c) =>
  broken(c, 'statements_of_both_environments') ? Object.values(c.service.environments) : [c.env]

const created = (work) => Object.assign(work, { creates: true })
const referral = (work) => Object.assign(work, { referral: true })

/** method, path, scopes of which one is enough, what is done. */
export const ENDPOINTS = [
  ['GET', `${V1}/domains/search`, ['search'], searchDomains],
  ['GET', `${V1}/domains/:name`, ['search'], detail],
  ['GET', `${V1}/availability`, ['search'], availability],
  ['GET', `${V1}/pricing`, ['search'], (c) => c.shape.pricing(selling.listed(c.service, priced(c), needDomain(c)))],
  ['POST', `${V1}/quotes`, ['buy'], created(createQuote)],
  ['POST', `${V1}/orders`, ['buy'], createOrder],
  ['GET', `${V1}/orders`, ['search', 'buy'], listOrders],
  [
    'GET',
    `${V1}/orders/:id`,
    ['search', 'buy'],
    (c) => c.shape.order(joined(c, selling.orderOf(c.service, c.env, c.partner, c.parts[0])), true),
  ],
  ['POST', `${V1}/checkout-session`, ['embed'], created(createSession)],
  [
    'GET',
    `${V1}/settlements`,
    ['buy'],
    (c) => {
      const all = shownStatements(c).flatMap((env) => env.statements)
      const own = all.filter((each) => each.partner === c.partner)
      const { page, next } = morePages(c, own)
      return c.shape.settlements(page, next)
    },
  ],
  ['GET', `${V1}/transactions`, ['report'], transactions],
  ['GET', `${V1}/payouts`, ['report'], (c) => payouts(c, 'other')],
  ['GET', `${V1}/brokerage`, ['report'], listCases],
  ['POST', `${V1}/refunds`, ['buy'], created(refund)],
  [
    'GET',
    `${V1}/brokerage/eligibility`,
    ['broker'],
    (c) => c.shape.eligibility(needDomain(c), brokering.eligibility(c.service, c.env, needDomain(c))),
  ],
  [
    'POST',
    `${V1}/brokerage`,
    ['broker'],
    created((c) => c.shape.case(brokering.openCase(c.service, c.env, c.partner, c.choices.read.case(c.body)), c.base)),
  ],
  [
    'GET',
    `${V1}/brokerage/:id`,
    ['broker'],
    (c) => c.shape.case(brokering.caseOf(c.service, c.env, c.partner, c.parts[0]), c.base),
  ],
  [
    'POST',
    `${V1}/links`,
    ['refer'],
    referral(
      created((c) =>
        c.shape.link(earning.createLink(c.service, c.env, c.partner, c.choices.read.link(c.body)), c.base),
      ),
    ),
  ],
  [
    'GET',
    `${V1}/links`,
    ['refer'],
    referral((c) => {
      const own = linked(c).flatMap((env) => earning.linksOf(c.service, env, c.partner))
      const { page, next } = morePages(c, kept(c, own))
      return c.shape.links(page, c.base, next)
    }),
  ],
  [
    'GET',
    `${V1}/me/clicks`,
    ['report'],
    referral((c) =>
      c.shape.clicks(earning.clicksOf(c.service, c.env, c.partner, windowOf(c, c.choices.params.window))),
    ),
  ],
  [
    'GET',
    `${V1}/me/sales`,
    ['report'],
    referral((c) => {
      const own = earning.attributed(c.service, c.env, c.partner, windowOf(c, c.choices.params.window))
      const isFurther = wanted(c.call, c.choices.lists.cursor) !== undefined
      const rows =
        isFurther && broken(c, 'sales_pages_of_everybody')
          ? c.env.sales.filter((sale) => own.includes(sale) || sale.partner !== c.partner)
          : own
      const { page, next } = maybePages(c, rows)
      if (broken(c, 'sales_have_the_latest_buyer'))
        for (const [n, sale] of page.entries()) page[n] = { ...sale, buyer: page.at(-1).buyer }
      if (broken(c, 'sales_pages_skip_one') && wanted(c.call, c.choices.lists.cursor) !== undefined) page.shift()
      return c.shape.sales(
        broken(c, 'sales_without_commission') ? page.map((sale) => ({ ...sale, commission: 0 })) : page,
        next,
        c.call,
      )
    }),
  ],
  [
    'GET',
    `${V1}/me/commissions`,
    ['report'],
    referral((c) => {
      const { lines, balance } = earning.ledgerOf(c.service, c.env, c.partner)
      const { page, next } = maybePages(c, lines)
      return c.shape.commissions(page, balance, next, c.call)
    }),
  ],
  ['GET', `${V1}/me/payouts`, ['report'], referral((c) => payouts(c, 'referral'))],
  [
    'GET',
    `${V1}/analytics`,
    ['report'],
    referral((c) =>
      c.shape.analytics(earning.analytics(c.service, c.env, c.partner, windowOf(c, c.choices.params.window))),
    ),
  ],
  ['PUT', '/api/partner/webhooks', ['webhook'], putWebhook],
  [
    'GET',
    `${V1}/events`,
    ['webhook'],
    (c) =>
      history(c.service, c.env, c.partner, wanted(c.call, 'after_id'), wanted(c.call, 'limit'), c.credential.keyId),
  ],
]

/** The endpoints whose path is asked for, most literal path first, with the parts of the path that vary. */
export function routesOf(path) {
  const asked = path.split('/')
  const found = []
  for (const [method, pattern, scopes, work] of ENDPOINTS) {
    const own = pattern.split('/')
    if (
      own.length !== asked.length ||
      !own.every((part, n) => (part.startsWith(':') ? asked[n] !== '' : part === asked[n]))
    )
      continue
    const parts = asked.filter((_, n) => own[n].startsWith(':'))
    found.push({ method, scopes, work, parts, literal: parts.length === 0 })
  }
  const literal = found.filter((route) => route.literal)
  return literal.length > 0 ? literal : found
}
