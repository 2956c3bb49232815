// Broken variants that are made before or after the work of an endpoint: inputs that a service does not stand, and what a refused
// call leaves behind.
import { emit, registerHook } from './events.mjs'
import { createQuote, eventOrder, moveOrder } from './selling.mjs'
import { newId } from './service.mjs'

const text = (value) => (typeof value === 'string' ? value : '')
const isAt = (call, verb, end) => call.method === verb && call.path.endsWith(end)

/** What a variant does not stand: [path, test of the body, query or last part of the path]. */
const CRASHES = {
  long_reasons_crash: ['POST', '/refunds', ({ body }) => text(body.reason).length > 255],
  emoji_in_reasons_crash: ['POST', '/refunds', ({ body }) => /[\u{10000}-\u{10ffff}]/u.test(text(body.reason))],
  fractions_of_budgets_crash: [
    'POST',
    '/brokerage',
    ({ body }) => typeof body.budget === 'number' && !Number.isInteger(body.budget),
  ],
  huge_budgets_crash: ['POST', '/brokerage', ({ body }) => body.budget > 2 ** 53],
  null_tiers_crash: ['POST', '/brokerage', ({ body }) => body.tier === null],
  emails_beyond_ascii_crash: ['POST', '/orders', ({ body }) => /[^\0-\x7f]/u.test(text(body.buyer?.email))],
  null_countries_crash: ['POST', '/orders', ({ body }) => body.buyer?.country === null],
  quote_id_objects_crash: [
    'POST',
    '/orders',
    ({ body }) => typeof body.quote_id === 'object' && body.quote_id !== null,
  ],
  secrets_of_digits_crash: ['PUT', '/webhooks', ({ body }) => typeof body.secret === 'number'],
  long_domains_crash: ['POST', '/quotes', ({ body }) => JSON.stringify(body).length > 253],
  empty_links_crash: ['POST', '/links', ({ body }) => Object.keys(body).length === 0],
  repeated_queries_crash: ['GET', '/domains/search', ({ call }) => (call.query.match(/(?:^|&)q=/gu) ?? []).length > 1],
  limit_of_zero_crashes: ['GET', '/events', ({ call }) => call.params.get('limit') === '0'],
  odd_event_ids_crash: ['GET', '/events', ({ call }) => /[^\w-]/u.test(call.params.get('after_id') ?? '')],
  days_that_are_none_crash: ['GET', '/transactions', ({ call }) => /-02-3\d|-13-/u.test(call.params.get('from') ?? '')],
  odd_kinds_crash: ['POST', '/links', ({ body }) => JSON.stringify(body).includes('constructor')],
}

/** Called with the call of an endpoint, before its work. */
export function beforeWork(c) {
  const { service, call, env, partner, body } = c
  call.made = c
  for (const [name, [verb, end, fits]] of Object.entries(CRASHES))
    if (service.broken(name) && isAt(call, verb, end) && fits(c)) throw new Error(`${name} at line 1`)
  if (service.broken('foreign_refunds_are_done') && isAt(call, 'POST', '/refunds')) {
    const order = env.orders.find((each) => each.id === c.choices.read.refund(body))
    if (order && order.partner !== partner && order.status === 'EXTERNALLY_PAID')
      moveOrder(service, env, order, 'refund')
  }
}

/** Called with what an endpoint has answered. */
export function afterWork(c, told) {
  const { service, call } = c
  const text = JSON.stringify(told)
  const again = (changed) => (changed === text ? told : JSON.parse(changed))
  if (service.broken('closed_names_say_no_in_words') && isAt(call, 'GET', '/availability'))
    return again(text.replace('"available":false', '"available":"false"'))
  if (service.broken('filtered_orders_lack_the_currency') && isAt(call, 'GET', '/orders') && call.query.includes('status='))
    return again(text.replaceAll('"currency":"USD"', '"currency":null'))
  if (service.broken('events_in_local_time') && isAt(call, 'GET', '/events'))
    return again(text.replace(/"created_at":"([^"]+?)(?:Z|\+00:00)"/gu, '"created_at":"$1+02:00"'))
  if (service.broken('second_registrations_are_inactive') && isAt(call, 'PUT', '/webhooks') && c.env.hooks.get(c.partner)?.first.url !== c.body.url)
    return { ...told, active: false }
  if (service.broken('self_serve_cases_read_as_managed') && call.method === 'GET' && call.path.includes('/brokerage/case'))
    return again(text.replace('"self_serve"', '"managed"'))
  return told
}

const orderAsked = ({ env, choices, body }) => env.orders.find((each) => each.id === choices.read.refund(body ?? {}))

/** Called with a call that has been refused, and why. */
export function afterRefusal(service, call, error) {
  const { broken } = service
  const c = call.made
  const parsed = () => {
    try {
      return JSON.parse(call.raw)
    } catch {
      return {}
    }
  }
  const credential = service.credentials.get(call.headers['x-partner-key-id'])
  const env = service.environments[credential?.env]
  const isOrder = isAt(call, 'POST', '/v1/orders')
  if (!env) return
  const body = parsed() ?? {}
  const listing = env.listings.get(body.domain)
  if (c && isAt(call, 'POST', '/refunds') && error.status === service.choices.refusedRefunds.late[2]?.status) {
    const order = orderAsked(c)
    if (order && broken('refused_refunds_are_told') && ['TRANSFER_COMPLETED', 'SETTLED'].includes(order.status))
      emit(service, env, order.partner, 'order.refunded', { order: eventOrder(service, order) })
    if (order?.status === service.choices.states.refunded && broken('second_refunds_take_it_back'))
      order.status = 'EXTERNALLY_PAID'
  }
  if (isOrder && error.code === 'price_mismatch' && listing && broken('mismatches_set_the_price'))
    listing.price = service.choices.toCents(body.expected_price)
  if (isOrder && error.code === 'conflict' && broken('conflicts_free_the_key'))
    env.idempotency.delete(`${credential.partner} ${call.headers['idempotency-key']}`)
  if (isOrder && error.code === 'quote_expired' && broken('expired_orders_reserve_again'))
    createQuote(service, env, credential.partner, body.domain, listing)
  if (
    isAt(call, 'POST', '/brokerage') &&
    error.code === 'validation_error' &&
    broken('refused_cases_take_the_domain')
  ) {
    const domain = service.choices.read.case(body).domain
    if (domain)
      env.cases.push({
        id: newId('case'),
        partner: 'none',
        domain,
        state: 'open',
        timeline: [],
        at: 0,
        view: newId('v'),
      })
  }
  if (
    isOrder &&
    error.code === 'not_found' &&
    broken('unlisted_orders_list_the_domain') &&
    typeof body.domain === 'string' &&
    !listing
  )
    env.listings.set(body.domain, { name: body.domain, words: [], topics: [], price: 100, floor: 80, sold: false })
  if (isAt(call, 'POST', '/quotes') && error.code === 'invalid_signature' && broken('forged_quotes_reserve')) {
    const quoted = env.listings.get(service.choices.read.quote(body))
    if (quoted) createQuote(service, env, credential.partner, quoted.name, quoted)
  }
  if (isAt(call, 'PUT', '/webhooks') && error.code === 'replay_detected' && broken('replayed_registrations_are_done'))
    registerHook(service, env, credential.partner, { ...body, secret: 'default-secret-of-nobody' })
  if (isAt(call, 'POST', '/refunds') && error.code === 'forbidden' && broken('forbidden_refunds_are_done')) {
    const order = env.orders.find((each) => each.id === service.choices.read.refund(body))
    if (order?.status === 'EXTERNALLY_PAID') moveOrder(service, env, order, 'refund')
  }
  if (isOrder && error.code === 'missing_idempotency_key' && listing && broken('orders_without_key_sell'))
    listing.sold = true
  if (isOrder && error.code === 'validation_error' && listing && broken('malformed_orders_are_told')) {
    const order = {
      id: newId('ord'),
      domain: listing.name,
      status: 'EXTERNALLY_PAID',
      price: listing.price,
      currency: 'USD',
    }
    emit(service, env, credential.partner, 'order.recorded', { order: eventOrder(service, order) })
  }
  if (isAt(call, 'POST', '/quotes') && error.code === 'forbidden' && broken('forbidden_quotes_end_others')) {
    const domain = service.choices.read.quote(body)
    for (const quote of env.quotes) if (quote.domain === domain && !quote.used) quote.expiresAt = service.clock.now()
  }
}
