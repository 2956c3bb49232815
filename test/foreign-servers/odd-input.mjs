// Broken variants that are made before or after the work of an endpoint: inputs that a service does not stand, and what a refused
// call leaves behind.
import { registerHook } from './events.mjs'
import { createQuote, moveOrder } from './selling.mjs'
import { newId } from './service.mjs'

const text = (value) => (typeof value === 'string' ? value : '')
const isAt = (call, verb, end) => call.method === verb && call.path.endsWith(end)

/** What a variant does not stand: method, end of the path, and a test of the call. */
const CRASHES = {
  idn_orders_crash: ['POST', '/orders', ({ body }) => /[^\0-\x7f]/u.test(text(body.domain))],
  lone_surrogates_crash: ['POST', '/orders', ({ body }) => !text(body.external_payment_ref).isWellFormed()],
  long_urls_crash: ['PUT', '/webhooks', ({ body }) => text(body.url).length > 2000],
  numeric_session_domains_crash: [
    'POST',
    '/checkout-session',
    ({ body, choices }) => typeof choices.read.session(body) === 'number',
  ],
  numeric_emails_crash: ['POST', '/brokerage', ({ body }) => typeof body.buyer_email === 'number'],
  words_as_dates_crash: [
    'GET',
    '/analytics',
    ({ call, choices }) => /^[a-z]+$/u.test(text(call.params.get(choices.params.window[0]))),
  ],
  links_of_unlisted_crash: [
    'POST',
    '/links',
    ({ env, body, choices }) => {
      const { domain } = choices.read.link(body)
      return typeof domain === 'string' && !env.listings.has(domain)
    },
  ],
  long_reasons_crash: ['POST', '/refunds', ({ body }) => text(body.reason).length > 255],
  emoji_in_reasons_crash: ['POST', '/refunds', ({ body }) => /[\u{10000}-\u{10ffff}]/u.test(text(body.reason))],
  huge_budgets_crash: ['POST', '/brokerage', ({ body }) => body.budget > 2 ** 53],
  null_tiers_crash: ['POST', '/brokerage', ({ body }) => body.tier === null],
  emails_beyond_ascii_crash: ['POST', '/orders', ({ body }) => /[^\0-\x7f]/u.test(text(body.buyer?.email))],
  null_countries_crash: ['POST', '/orders', ({ body }) => body.buyer?.country === null],
  secrets_of_digits_crash: ['PUT', '/webhooks', ({ body }) => typeof body.secret === 'number'],
  empty_links_crash: ['POST', '/links', ({ body }) => Object.keys(body).length === 0],
  repeated_queries_crash: ['GET', '/domains/search', ({ call }) => (call.query.match(/(?:^|&)q=/gu) ?? []).length > 1],
  days_that_are_none_crash: ['GET', '/transactions', ({ call }) => /-02-3\d|-13-/u.test(call.params.get('from') ?? '')],
  odd_kinds_crash: ['POST', '/links', ({ body }) => JSON.stringify(body).includes('constructor')],
  apostrophes_in_cursors_crash: ['GET', '/events', ({ call }) => text(call.params.get('after_id')).includes("'")],
  percent_searches_crash: ['GET', '/domains/search', ({ call }) => /[%_]/u.test(text(call.params.get('q')))],
  long_domains_crash: ['GET', '/availability', ({ call }) => text(call.params.get('domain')).length > 253],
  eligibility_of_unlisted_crashes: [
    'GET',
    '/brokerage/eligibility',
    ({ env, call }) => call.params.has('domain') && !env.listings.has(call.params.get('domain')),
  ],
  unknown_states_crash: ['GET', '/orders', ({ call }) => call.params.get('status') === 'no_such_state'],
}

/** Called with the call of an endpoint, before its work. */
export function beforeWork(c) {
  c.call.made = c
  for (const [name, [verb, end, fits]] of Object.entries(CRASHES))
    if (c.service.broken(name) && isAt(c.call, verb, end) && fits(c)) throw new Error(`${name} at line 1`)
}

/** Called with what an endpoint has answered. */
export function afterWork({ service, call }, answered) {
  const isFiltered = isAt(call, 'GET', '/orders') && call.query.includes('status=')
  if (!isFiltered || !service.broken('filtered_orders_lack_the_currency')) return answered
  return JSON.parse(JSON.stringify(answered).replace(/"currency":"[A-Z]{3}"/gu, '"currency":null'))
}

/** Called with a call that has been refused, and why. */
export function afterRefusal(service, call, { code, status }) {
  const { broken, choices } = service
  const { partner, env: name } = service.credentials.get(call.headers['x-partner-key-id']) ?? {}
  const env = service.environments[name]
  if (!env) return
  const body = bodyOf(call)
  const listing = env.listings.get(body.domain)
  const isOrder = isAt(call, 'POST', '/v1/orders')
  const order = env.orders.find((each) => each.id === choices.read.refund(body))
  if (isAt(call, 'POST', '/refunds')) {
    if (code === 'forbidden' && broken('forbidden_refunds_are_done') && order?.status === 'EXTERNALLY_PAID')
      moveOrder(service, env, order, 'refund')
    const isAgain = status === choices.refusedRefunds.again[2]?.status && order?.status === choices.states.refunded
    if (isAgain && broken('second_refunds_take_it_back')) order.status = 'EXTERNALLY_PAID'
  }
  if (isOrder && code === 'quote_expired' && broken('expired_orders_reserve_again'))
    createQuote(service, env, partner, body.domain, listing)
  if (isOrder && code === 'not_found' && broken('unlisted_orders_list_the_domain') && text(body.domain) && !listing)
    env.listings.set(body.domain, { name: body.domain, words: [], topics: [], price: 100, floor: 80, sold: false })
  const quoted = isAt(call, 'POST', '/quotes') && env.listings.get(choices.read.quote(body))
  if (quoted && code === 'invalid_signature' && broken('forged_quotes_reserve'))
    createQuote(service, env, partner, quoted.name, quoted)
  if (isAt(call, 'POST', '/brokerage') && code === 'invalid_timestamp' && broken('stale_cases_are_opened')) {
    const { domain } = choices.read.case(body)
    env.cases.push({
      id: newId(service, 'case'),
      partner,
      domain,
      state: 'open',
      timeline: [],
      at: 0,
      view: newId(service, 'view'),
    })
  }
  if (isAt(call, 'PUT', '/webhooks') && code === 'replay_detected' && broken('replayed_registrations_are_done'))
    registerHook(service, env, partner, body)
}

function bodyOf(call) {
  try {
    return JSON.parse(call.raw) ?? {}
  } catch {
    return {}
  }
}
