// Quotes, partner-collected orders with their states, refunds and hosted checkout.
import { createHash, createHmac } from 'node:crypto'
import { reverse } from './earning.mjs'
import { emit } from './events.mjs'
import { is, later, monthAgo, newId, notFound, Refusal, validate, visible } from './service.mjs'

const MINUTE = 60_000

export function listed(service, env, domain) {
  const listing = env.listings.get(service.choices.namesFolded ? domain.toLowerCase() : domain)
  if (listing === undefined || (listing.sold && service.choices.soldNames === 'unlisted')) throw notFound('Domain')
  return listing
}

export function reservedByAnother(service, env, partner, domain) {
  if (service.broken('quotes_reserve_nothing')) return false
  const now = service.broken('reservations_never_end') ? 0 : service.clock.now()
  if (service.broken('second_partner_reserves_nothing') && partner === 'ptr_1main') return false
  return env.quotes.some(
    (quote) =>
      quote.domain === domain && quote.partner !== partner && !quote.used && !quote.replaced && quote.expiresAt > now,
  )
}

/** `isSession` is for a broken variant, whose sessions know of no reservations. */
export function forSale(service, env, partner, domain, isSession = false) {
  const listing = listed(service, env, domain)
  if (listing.sold)
    throw new Refusal(service.choices.codes.sold, 'The domain has been sold.', {
      status: service.choices.statuses.sold,
    })
  const isUnknown = isSession && service.broken('sessions_ignore_reservations')
  if (!isUnknown && reservedByAnother(service, env, partner, listing.name)) {
    throw new Refusal(service.choices.codes.reserved, 'The domain is reserved.', {
      status: service.choices.statuses.reserved,
    })
  }
  return listing
}

/** `found` is for a broken variant, which has looked for reservations before. */
export function createQuote(service, env, partner, domain, found) {
  const listing = found || forSale(service, env, partner, domain)
  const now = service.clock.now()
  const isOver = (quote) =>
    quote.partner === partner && quote.domain === domain && !quote.used && quote.expiresAt <= now
  if (service.broken('expired_quotes_block_their_partner') && env.quotes.some(isOver))
    throw new Refusal('conflict', 'There is a quote for this domain.')
  const isShort = service.broken('second_partner_quotes_live_five_minutes') && partner !== 'ptr_1main'
  const minutes = isShort
    ? 5
    : service.broken('quotes_live_an_hour')
      ? 60
      : service.broken('quotes_live_two_minutes')
        ? 2
        : 10
  const told = service.broken('quotes_say_a_quarter_of_an_hour') ? 15 : minutes
  const quote = {
    id: newId(service, 'quo'),
    partner,
    domain: listing.name,
    price: service.broken('quotes_in_whole_dollars') ? listing.price - (listing.price % 100) : listing.price,
    at: now,
    expiresAt: now + minutes * MINUTE,
    toldAt: now + told * MINUTE,
  }
  quote.token = `${quote.id}.${createHmac('sha256', service.pageKey).update(JSON.stringify(quote)).digest('hex')}`
  if (service.broken('one_token_for_all_quotes')) quote.token = `signed.${service.pageKey}`
  const isSecond = env.quotes.some((each) => each.domain === quote.domain)
  if (service.broken('second_quotes_reserve_nothing') && isSecond)
    for (const each of [quote, ...env.quotes])
      if (each.domain === quote.domain && each.partner === partner) each.replaced = true
  env.quotes.push(quote)
  return isSecond && service.broken('second_quotes_lack_the_token') ? { ...quote, token: null } : quote
}

function orderInput(service, body) {
  const buyer = is.object(body.buyer) ? body.buyer : {}
  const { broken } = service
  const sold = service.choices.currency ?? 'USD'
  if (broken('huge_prices_crash') && body.expected_price > 2 ** 63) throw new Error('bigint out of range')
  if (broken('long_names_crash') && body.buyer?.name?.length > 255) throw new Error('value too long')
  if (broken('emoji_in_names_crash') && /[\u{10000}-\u{10ffff}]/u.test(body.buyer?.name))
    throw new Error('Incorrect string value')
  const isList = broken('buyer_may_be_an_array') && Array.isArray(body.buyer)
  const required = (name) => service.choices.requiredOfOrders.includes(name) && !isList
  const plain = (value) => is.email(value) && !(broken('plus_addresses_refused') && value.includes('+'))
  const emailTest = broken('buyer_email_of_any_form') ? () => true : plain
  validate(service, [
    ['domain', body.domain, true, is.domain, 'a domain name'],
    ['expected_price', body.expected_price, !broken('expected_price_optional'), is.whole, 'a positive integer'],
    ['currency', body.currency, required('currency'), (value) => value === sold, sold],
    ['buyer', body.buyer, required('buyer'), isList ? () => true : is.object, 'an object'],
    ['buyer.email', buyer.email, required('buyer.email'), emailTest, 'an email address'],
    ['buyer.name', buyer.name, required('buyer.name'), is.text, 'text'],
    [
      'buyer.country',
      buyer.country,
      required('buyer.country'),
      broken('country_of_any_form') ? () => true : is.country,
      'two capital letters',
    ],
    [
      'return_url',
      body.return_url,
      required('return_url'),
      broken('return_url_of_any_form') ? () => true : is.url,
      'a URL',
    ],
    ['cancel_url', body.cancel_url, required('cancel_url'), is.url, 'a URL'],
    ['quote_id', body.quote_id, false, broken('quote_id_of_any_type') ? () => true : is.text, 'text'],
    ['external_payment_ref', body.external_payment_ref, required('external_payment_ref'), is.text, 'text'],
  ])
}

function quotedPrice(service, env, partner, listing, quoteId) {
  if (typeof quoteId !== 'string') return listing.price
  const { broken, choices } = service
  const quote = env.quotes.find((each) => each.id === quoteId)
  const foreign = quote?.partner !== partner && !broken('quotes_of_everybody')
  const alike = broken('quotes_for_equal_prices') && quote?.price === listing.price
  const astray = quote?.domain !== listing.name && !alike && !broken('quotes_for_any_domain')
  if (quote === undefined || foreign || astray) {
    throw new Refusal(...service.choices.unknownQuote)
  }
  if (quote.expiresAt <= service.clock.now() && broken('expired_quotes_record')) {
    const now = service.clock.now()
    const facts = {
      partner,
      domain: listing.name,
      price: quote.price,
      currency: choices.currency ?? 'USD',
      model: 'partner_collected',
    }
    const told = { status: 'REJECTED', timeline: [{ status: 'REJECTED', at: now }], buyer: {}, commission: 0 }
    env.orders.push({ id: newId(service, 'ord'), ...facts, ...told, at: now, wallAt: service.clock.wall() })
  }
  if (quote.refused && broken('expired_quotes_refused_once')) return listing.price
  const grace = broken('quotes_live_half_a_minute_more') ? 30_000 : 0
  quote.refused = quote.expiresAt + grace <= service.clock.now()
  if (quote.refused) throw new Refusal('quote_expired', 'The quote is older than 10 minutes.')
  return quote.price + (service.broken('quoted_price_not_kept') ? 100 : 0)
}

function recordOrder(service, env, partner, body) {
  const { choices, broken, clock } = service
  if (broken('null_buyer_crashes') && body.buyer === null) throw new Error('Cannot read properties of null')
  orderInput(service, body)
  if (broken('apostrophes_in_names_crash') && /'/u.test(body.buyer?.name ?? '')) throw new Error('unterminated string')
  const domain = choices.namesFolded ? body.domain.toLowerCase() : body.domain
  if (broken('unlisted_order_invalid') && !env.listings.has(domain))
    throw new Refusal('validation_error', 'domain is not listed.')
  if (broken('orders_deduped_by_payment_ref') && body.external_payment_ref) {
    const known = env.orders.find((each) => each.partner === partner && each.paymentRef === body.external_payment_ref)
    if (known) return known
  }
  const quote = broken('quotes_of_everybody') && env.quotes.find((each) => each.id === body.quote_id)
  const listing = forSale(service, env, quote ? quote.partner : partner, domain)
  const price = quotedPrice(service, env, partner, listing, body.quote_id)
  const off =
    choices.toCents(body.expected_price) - price - (broken('quoted_price_not_kept') && body.quote_id ? -100 : 0)
  const unpriced = broken('no_currency_any_price') && body.currency === undefined
  const wrong = broken('higher_price_taken')
    ? off < 0
    : broken('lower_price_taken')
      ? off > 0
      : Math.abs(off) > (broken('a_dollar_of_tolerance') ? 100 : unpriced ? Number.POSITIVE_INFINITY : 0)
  if (wrong && broken('refused_orders_sell')) listing.sold = true
  if (wrong && broken('refused_orders_end_quotes'))
    for (const each of env.quotes) if (each.id === body.quote_id) each.used = true
  if (wrong && broken('refused_orders_renew_quotes'))
    for (const each of env.quotes) if (each.id === body.quote_id) each.expiresAt = clock.now() + 10 * MINUTE
  if (wrong && broken('refused_orders_in_reports'))
    env.sales.push({
      id: newId(service, 'ord'),
      partner,
      domain,
      price,
      model: 'partner_collected',
      at: clock.now(),
      buyer: {},
      commission: 0,
      status: 'EXTERNALLY_PAID',
    })
  if (wrong && !broken('mismatch_records'))
    throw new Refusal('price_mismatch', 'expected_price is not the current price.')
  const now = clock.now()
  const status = broken('recorded_as_pending') ? 'PENDING' : 'EXTERNALLY_PAID'
  const order = {
    ...{
      id: newId(service, 'ord'),
      partner,
      domain: listing.name,
      price,
      currency: broken('currency_null_when_left_out') ? (body.currency ?? null) : (choices.currency ?? 'USD'),
      status,
      model: 'partner_collected',
      at: now,
    },
    ...{
      wallAt: clock.wall(),
      buyer: body.buyer ?? {},
      quoteId: body.quote_id ?? null,
      timeline: [{ status, at: now }],
    },
    paymentRef: broken('payment_ref_dropped') ? null : keptRef(service, body.external_payment_ref ?? null),
    commission: choices.commission(price),
  }
  env.orders.push(order)
  env.sales.push(order)
  for (const quote of env.quotes) if (quote.id === body.quote_id) quote.used = true
  if (choices.soldNames !== 'stay') listing.sold = true
  emit(service, env, partner, 'order.recorded', { order: eventOrder(service, order) })
  if (wrong) throw new Refusal('price_mismatch', 'expected_price is not the current price.')
  return order
}

function keptRef({ broken }, ref) {
  if (broken('refs_beyond_ascii_mangled') && ref !== null) return ref.replace(/[^\0-\x7f]/gu, '?')
  if (broken('payment_refs_cut_at_32') && ref !== null) return ref.slice(0, 32)
  if (broken('payment_refs_html_escaped') && ref !== null) return ref.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return broken('payment_refs_of_digits_as_numbers') && /^\d+$/u.test(ref) ? String(Number(ref)) : ref
}

export function eventOrder(service, order) {
  const told = {
    public_id: order.id,
    domain: service.choices.shownName?.(order.domain) ?? order.domain,
    status: order.status,
    sale_price_cents: order.price,
    currency: order.currency,
  }
  if (service.broken('event_price_of_the_listing'))
    told.sale_price_cents = service.environments.sandbox.listings.get(order.domain)?.price ?? order.price
  if (service.broken('event_order_without_currency')) delete told.currency
  if (service.broken('odd_cents_lost_in_events')) told.sale_price_cents -= told.sale_price_cents % 100
  if (service.broken('event_price_truncated_float')) told.sale_price_cents = Math.trunc((order.price / 100) * 100)
  if (service.broken('event_order_in_units')) told.sale_price_cents /= 100
  return told
}

/** Records an order; a personality may keep what it refuses under its key, too. */
function recordFor(service, env, partner, body, keep) {
  try {
    return recordOrder(service, env, partner, body)
  } catch (error) {
    if (service.choices.keepsRefusals && error instanceof Refusal && error.code !== 'validation_error') keep(error)
    throw error
  }
}

/** `answer` makes the stored answer of a recorded order. Returns { status, text }. */
export async function createOrder(service, env, partner, call, body, answer) {
  const { broken, choices } = service
  const key = call.headers['idempotency-key']
  const quoted = typeof body.quote_id === 'string'
  if (!key && quoted && broken('quoted_orders_need_no_key')) return answer(recordOrder(service, env, partner, body))
  if (!key && !broken('idempotency_key_optional')) {
    throw new Refusal('missing_idempotency_key', 'POST /orders needs the header Idempotency-Key.')
  }
  const owner = choices.keysOf === 'credential' ? call.headers['x-partner-key-id'] : partner
  const whose = broken('keys_of_all_partners') ? '' : owner
  const cut = broken('keys_cut_at_40') ? key?.slice(0, 40) : key
  const place = `${whose} ${broken('keys_in_any_case') ? cut?.toLowerCase() : cut}`
  const unread = ['external_payment_ref', 'cancel_url', 'currency'].filter((name) =>
    broken(`fingerprint_without_${name}`),
  )
  const same =
    choices.fingerprint === 'parsed' || unread.length > 0
      ? JSON.stringify({ ...body, ...Object.fromEntries(unread.map((name) => [name, null])) })
      : call.raw.toString()
  const compared = broken('fingerprint_in_any_case') ? same.toLowerCase() : same
  const fingerprint = createHash('sha256').update(compared).digest('hex')
  if (broken('idempotency_race')) await new Promise((done) => setTimeout(done, 25))
  const { idempotency: keys } = broken('keys_of_all_environments') ? service.environments.sandbox : env
  const isUnread = broken('second_partner_keys_ignored') && partner !== 'ptr_1main'
  const stored = key && !isUnread && !broken('replay_records_again') ? keys.get(place) : undefined
  const over = quoted && env.quotes.some((each) => each.id === body.quote_id && each.expiresAt <= service.clock.now())
  if (stored !== undefined && over && broken('replay_checks_the_quote'))
    throw new Refusal('quote_expired', 'The quote is older than 10 minutes.')
  if (stored !== undefined) {
    if (stored.fingerprint !== fingerprint && !broken('other_body_replayed')) {
      if (broken('refused_body_is_kept')) stored.fingerprint = fingerprint
      throw new Refusal('conflict', 'The Idempotency-Key was used with another body.')
    }
    if (stored.refusal !== undefined) throw stored.refusal
    if (broken('replays_as_text')) return { ...stored.answer, headers: { 'content-type': 'text/plain' } }
    return broken('replay_shows_the_present') ? answer(stored.order) : stored.answer
  }
  if (broken('idempotency_race')) await new Promise((done) => setTimeout(done, 25))
  const order = recordFor(service, env, partner, body, (refusal) => keys.set(place, { fingerprint, refusal }))
  const done = answer(order)
  keys.set(place, { fingerprint, answer: done, order })
  return done
}

const MOVES = {
  hold: [['EXTERNALLY_PAID'], (choices) => choices.states.held, undefined],
  clear: [['held'], (choices) => choices.states.cleared, 'order.manual_review_cleared'],
  start_transfer: [['EXTERNALLY_PAID', 'cleared', 'sale'], () => 'TRANSFER_IN_PROGRESS', 'order.transfer_started'],
  complete_transfer: [['TRANSFER_IN_PROGRESS'], () => 'TRANSFER_COMPLETED', 'order.transfer_completed'],
  settle: [['TRANSFER_COMPLETED'], () => 'SETTLED', 'order.settled'],
  refund: [
    ['EXTERNALLY_PAID', 'held', 'cleared', 'TRANSFER_IN_PROGRESS', 'sale'],
    (choices) => choices.states.refunded,
    'order.refunded',
  ],
  cancel: [['EXTERNALLY_PAID', 'held', 'cleared'], (choices) => choices.states.cancelled, 'order.refunded'],
}

/** Moves an order on; `at` is the moment of it, which only the made-up past gives. */
export function moveOrder(service, env, order, step, at = service.clock.now()) {
  const { choices, broken } = service
  const [from, to, type] = MOVES[step]
  const states = from.map((name) => choices.states[name] ?? name)
  if (!states.includes(order.status)) throw new Refusal('conflict', `${step} is not possible from ${order.status}.`)
  const isSecondReview = order.wasHeld === true
  if (order.status === choices.states.held) order.wasHeld = true
  const before = order.status
  order.status = to(choices)
  if (broken('clearing_reprices') && step === 'clear')
    order.price = env.listings.get(order.domain)?.price ?? order.price
  if (broken('payment_ref_lost_in_transfer') && step === 'start_transfer') order.paymentRef = null
  if (broken('completed_as_delivered') && step === 'complete_transfer') order.status = 'DELIVERED'
  const isUnseen =
    broken('timeline_never_grows') ||
    (step === 'refund' && broken('refund_not_in_the_timeline')) ||
    (step === 'settle' && broken('settle_not_in_the_timeline')) ||
    (step === 'cancel' && broken('cancel_not_in_the_timeline'))
  if (!isUnseen) order.timeline.push({ status: order.status, at })
  if (broken('history_calls_it_otherwise') && step === 'start_transfer') {
    emit(service, env, order.partner, type, { order: { ...eventOrder(service, order), status: 'EXTERNALLY_PAID' } }, at)
  } else if (type !== undefined && env.orders.includes(order)) {
    const told = eventOrder(service, order)
    if (broken('settled_event_without_price') && step === 'settle') delete told.sale_price_cents
    if (broken('refund_event_says_status_before') && step === 'refund' && before === 'TRANSFER_IN_PROGRESS')
      told.status = before
    if (broken('cleared_event_says_held') && step === 'clear') told.status = choices.states.held
    const unheard =
      (broken('steps_of_second_partner_silent') && order.partner !== 'ptr_1main') ||
      (broken('second_clearings_are_silent') && step === 'clear' && isSecondReview) ||
      (broken('quoted_refunds_are_silent') && step === 'refund' && order.quoteId) ||
      (broken('reviewed_orders_start_silently') && step === 'start_transfer' && order.wasHeld) ||
      (broken('reviewed_orders_cancelled_silently') && step === 'cancel' && order.wasHeld) ||
      (broken('quoted_orders_settle_silently') && step === 'settle' && order.quoteId)
    const isKept = broken('cancellations_not_delivered') && step === 'cancel'
    if (!unheard) emit(service, env, order.partner, type, { order: told }, at, isKept)
  }
  if (step === 'hold' && broken('holding_begins_the_timeline_again')) order.timeline = order.timeline.slice(-1)
  if (step === 'refund' && broken('refunds_begin_the_timeline_again')) order.timeline = order.timeline.slice(-1)
  if (step === 'refund' || step === 'cancel') {
    reverse(service, env, order)
    const listing = env.listings.get(order.domain)
    if (listing && choices.refundedNames === 'for sale') listing.sold = false
  }
  if (step === 'clear' && choices.clearStarts === 'at once') moveOrder(service, env, order, 'start_transfer')
  if (step === 'clear' && choices.clearStarts === 'later')
    later(
      service,
      1500,
      () => order.status === choices.states.cleared && moveOrder(service, env, order, 'start_transfer'),
    )
}

export function requestRefund(service, env, partner, id, reason) {
  const { choices, broken } = service
  const order = env.orders.find((each) => each.id === id && each.partner === partner)
  const alike = env.orders.find((each) => each.partner === partner && each.domain === order?.domain)
  const moved = broken('refunds_by_domain') ? alike : order
  const isStranger = broken('refunds_of_first_partner_only') && partner !== 'ptr_1main'
  if (order === undefined || isStranger) throw notFound('Order')
  const isReviewed = order.wasHeld && order.status !== choices.states.held
  if (isReviewed && broken('reviewed_orders_not_refunded')) throw new Refusal(...choices.refusedRefunds.late)
  const tooLate = ['TRANSFER_COMPLETED', 'SETTLED'].includes(order.status)
  const collected = order.model === 'partner_collected'
  if (!collected && !broken('hosted_orders_refunded')) throw new Refusal(...choices.refusedRefunds.hosted)
  const pending = env.refunds.find((refund) => refund.order === id)
  if (pending && choices.refundsAgain === 'told again' && order.status === choices.states.refunded) return pending
  if ((pending || order.status === choices.states.refunded) && broken('second_refunds_told'))
    emit(service, env, partner, 'order.refunded', { order: eventOrder(service, order) })
  if (pending || [choices.states.refunded, choices.states.cancelled].includes(order.status))
    throw new Refusal(...choices.refusedRefunds.again)
  if (tooLate && broken('refused_refunds_relist')) env.listings.get(order.domain).sold = false
  if (tooLate && broken('refused_refund_unsettles')) order.disputed = true
  if (tooLate && broken('refused_refunds_in_the_timeline')) order.timeline.push({ status: order.status, at: order.at })
  if (tooLate && !broken('refunds_at_any_time')) throw new Refusal(...choices.refusedRefunds.late)
  const refund = {
    id: newId(service, 'ref'),
    order: id,
    reason: reason ?? null,
    at: service.clock.now(),
    status: choices.refundAfterMs > 0 ? 'pending' : 'done',
  }
  env.refunds.push(refund)
  if (tooLate || !collected) Object.assign(order, { status: 'TRANSFER_IN_PROGRESS' })
  later(service, choices.refundAfterMs, () => {
    refund.status = 'done'
    if (broken('refunds_do_nothing')) return
    // Delivered while the request waited: the service keeps the order and gives nothing back.
    if (!['TRANSFER_COMPLETED', 'SETTLED'].includes(order.status)) moveOrder(service, env, moved, 'refund')
  })
  return refund
}

export function ordersOf(service, env, partner, { status, domain, from, to }) {
  const { broken, choices } = service
  const indexed = (order) =>
    order.wasHeld && order.status === choices.states.cleared && broken('cleared_orders_listed_as_held')
      ? choices.states.held
      : order.status
  let rows = env.orders.filter((order) => order.partner === partner || broken('orders_of_everybody'))
  const undone = [choices.states.refunded, choices.states.cancelled]
  const alike = (order) =>
    broken('refunded_filtered_as_cancelled') && undone.includes(status) && undone.includes(order.status)
  if (status !== undefined && !broken('order_status_ignored'))
    rows = rows.filter(
      (order) =>
        (broken('statuses_match_by_beginning') ? indexed(order).startsWith(status) : indexed(order) === status) ||
        alike(order),
    )
  const isOf = broken('order_domain_contains')
    ? (order) => order.domain.includes(domain)
    : (order) => order.domain === domain
  if (domain !== undefined && !broken('order_domain_ignored')) rows = rows.filter(isOf)
  if (rows.length === 0 && broken('empty_order_lists_not_found')) throw notFound('Order')
  if (!broken('order_dates_ignored') && !(broken('order_status_without_dates') && status !== undefined))
    rows = rows.filter((order) => (from === undefined || order.at >= from) && (to === undefined || order.at <= to))
  rows = visible(service, rows, 'orders')
  if (broken('quoted_orders_not_listed')) rows = rows.filter((order) => !order.quoteId)
  if (broken('orders_of_thirty_days') && from === undefined) rows = rows.filter((order) => order.at > monthAgo(service))
  if (broken('orders_listed_for_each_step')) rows = rows.flatMap((order) => order.timeline.map(() => order))
  if (broken('orders_listed_at_the_price_of_now'))
    rows = rows.map((order) => ({ ...order, price: env.listings.get(order.domain)?.price ?? order.price }))
  if (choices.ordersBy === 'name') return rows.sort((a, b) => (`${a.domain} ${a.id}` < `${b.domain} ${b.id}` ? -1 : 1))
  if (choices.ordersBy === 'id') return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
  return choices.ordersNewestFirst ? rows.reverse() : rows
}

export function orderOf(service, env, partner, id) {
  const { broken } = service
  const named = broken('orders_by_beginning') ? (each) => each.id.startsWith(id) : (each) => each.id === id
  const order = env.orders.find(named)
  if (order !== undefined && order.partner !== partner && broken('foreign_orders_forbidden')) {
    throw new Refusal('forbidden', 'The order belongs to another partner.')
  }
  const delivered = broken('delivered_orders_visible') && order?.status === 'TRANSFER_COMPLETED'
  if (order === undefined || (order.partner !== partner && !delivered && !broken('foreign_orders_visible')))
    throw notFound('Order')
  if (broken('reads_grow_the_timeline') && order.status === 'TRANSFER_IN_PROGRESS')
    order.timeline.push({ ...order.timeline.at(-1) })
  if (broken('orders_gone_in_transfer') && order.status === 'TRANSFER_IN_PROGRESS') throw notFound('Order')
  return order
}
