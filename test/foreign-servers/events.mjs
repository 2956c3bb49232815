// Events: the history, and the deliveries to a registered webhook.
import { createHmac } from 'node:crypto'
import { later, newId, Refusal } from './service.mjs'

const HANDLING = { 'order.transfer_started': 'transfer.started', 'order.transfer_completed': 'transfer.completed' }

const orderAt = (env, { order: told }) => env.orders.find((order) => order.id === told?.public_id)?.at

/** `isKept` is for a broken variant: the event is in the history only. */
export function emit(service, env, partner, type, data, at = service.clock.now(), isKept = false) {
  const { choices, broken } = service
  if (broken(`silent_${type}`)) return
  const event = {
    id: newId(service, 'evt'),
    type,
    created_at: choices.iso((broken('events_dated_by_the_order') && orderAt(env, data)) || at),
    partner_id: broken('partner_id_of_the_first') ? 'ptr_1main' : partner,
    data,
  }
  const before = env.events.at(-1)?.visibleAt ?? 0
  const visibleAt = Math.max(before, service.clock.wall() + choices.historyLagMs())
  if (broken('history_knows_delivered_only') && !env.hooks.has(partner)) return
  const row = { partner, event, visibleAt: at < service.clock.now() - 60_000 ? 0 : visibleAt }
  if (broken('history_out_of_order') && env.events.length % 5 === 4) env.events.splice(-1, 0, row)
  else env.events.push(row)
  const hook = hooksOf(service, env).get(broken('one_hook_for_all_partners') ? 'all' : partner)
  for (let n = choices.deliveredTimes ?? 1; n > 0; n--)
    if (hook !== undefined && row.visibleAt > 0 && !isKept) queue(service, hook, env, row)
  if (choices.otherEvents && type.startsWith('order.'))
    emit(service, env, partner, 'account.activity', { about: type }, at, true)
  // The document says that the history includes a family transfer.*; a server may tell them there and only there.
  if (choices.transferFamily && HANDLING[type]) emit(service, env, partner, HANDLING[type], data, at)
}

function queue(service, hook, env, row) {
  const { choices } = service
  if (row.event.type.startsWith('transfer.')) return
  if (choices.deliveryDelayMs !== undefined)
    return later(service, choices.deliveryDelayMs(), () => deliver(service, hook, env, row, 0))
  if (!choices.serialDeliveries) return void deliver(service, hook, env, row, 0)
  hook.last = (hook.last ?? Promise.resolve()).then(async () => {
    await new Promise((done) => later(service, choices.deliveryPauseMs, done))
    await deliver(service, hook, env, row, 0)
  })
}

async function deliver(service, hook, env, row, attempt) {
  const { choices, broken } = service
  if (service.closed) return
  const isOfWorker = broken('steps_told_to_the_first_hook') && row.event.type.startsWith('order.transfer')
  const { url, secret } = broken('webhook_never_replaced') || isOfWorker ? hook.first : hook
  const told = { ...row.event }
  if (broken('delivery_without_partner')) delete told.partner_id
  if (broken('partner_id_of_the_event')) told.partner_id = `ptr_${told.id.slice(4)}`
  if (broken('delivery_has_its_own_id')) told.id = newId(service, 'evt')
  if (broken('delivery_has_its_own_time')) told.created_at = choices.iso(service.clock.now() + 1000)
  const order = broken('retries_built_again') && attempt > 0 ? told.data.order : undefined
  if (order) {
    const { status } = env.orders.find((each) => each.id === order.public_id)
    told.data = { order: { ...order, status } }
  }
  let body = choices.dress?.(JSON.stringify(told)) ?? JSON.stringify(told)
  let key = broken('webhook_secret_never_replaced') ? hook.first.secret : secret
  if (broken('secrets_lose_outer_spaces')) key = key.trim()
  if (broken('long_secret_cut')) key = key.slice(0, 64)
  if (broken('secrets_read_as_latin1')) key = Buffer.from(key, 'latin1')
  let signature = createHmac('sha256', key).update(body).digest('hex')
  if (broken('delivery_signature_prefixed')) signature = `v1=${signature}`
  if (broken('retries_keep_a_signature') && attempt > 0) body = JSON.stringify(told, null, 2)
  if (broken('delivery_signature_upper_case')) signature = signature.toUpperCase()
  const headers = { 'content-type': 'application/json', 'x-partner-signature': signature }
  if (broken('secret_in_deliveries')) headers['x-webhook-secret'] = key
  if (broken('deliveries_as_text')) headers['content-type'] = 'text/plain'
  const patience = broken('receiver_may_take_a_minute') ? 60_000 : broken('receiver_has_one_second') ? 1000 : 5000
  let taken = false
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      ...(choices.deliveredInPieces ? { body: new Blob([body]).stream(), duplex: 'half' } : { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
    })
    await answer.arrayBuffer()
    taken = answer.status >= 200 && answer.status < 300
  } catch {}
  if (taken) return
  if (broken('failed_deliveries_are_lost')) env.events.splice(env.events.indexOf(row), 1)
  const pause = choices.retryAfterMs[attempt]
  if (pause !== undefined) later(service, pause, () => deliver(service, hook, env, row, attempt + 1))
}

const hooksOf = ({ broken, environments }, env) =>
  (broken('one_hook_for_both_environments') ? environments.sandbox : env).hooks

export function registerHook(service, env, partner, { url, secret }) {
  const whose = service.broken('one_hook_for_all_partners') ? 'all' : partner
  const hooks = hooksOf(service, env)
  const known = hooks.get(whose)
  const at = (!service.choices.newRegistrations && known?.createdAt) || service.clock.now()
  const shown = service.choices.urlsInForm ? new URL(url).href : url
  hooks.set(whose, { ...known, url: shown, secret, createdAt: at, first: known?.first ?? { url, secret } })
  return hooks.get(whose)
}

/** `keyId` is that of the reader, for a broken variant. `after` is exclusive. What "after" means follows the order in which a personality writes its history. */
export function history(service, env, partner, after, limit, keyId) {
  const { choices, broken } = service
  const now = service.clock.wall()
  const source = broken('history_of_all_environments') ? service.environments.sandbox : env
  const orderOf = ({ event }) => source.orders.find((order) => order.id === event.data.order?.public_id)
  const isByAnotherKey = (row) => ![undefined, keyId].includes(orderOf(row)?.keyId)
  const isOfRefunded = (row) => row.event.type !== 'order.refunded' && orderOf(row)?.status === choices.states.refunded
  const own = source.events.filter(
    (row) =>
      (row.partner === partner ||
        broken('history_of_everybody') ||
        (broken('deals_told_to_everybody') && row.event.type.startsWith('brokerage'))) &&
      row.visibleAt <= now &&
      !(broken('history_of_the_key') && isByAnotherKey(row)) &&
      !(broken('history_loses_refunded_orders') && isOfRefunded(row)),
  )
  const rows = own.map((row) => row.event)
  if (choices.history === 'newest page first') rows.reverse()
  if (limit !== undefined && !/^[1-9]\d{0,5}$/u.test(limit))
    throw new Refusal('validation_error', 'limit must be a positive integer.')
  const asked = limit === undefined ? choices.historyDefault : Number(limit)
  if (asked > choices.historyMaximum && choices.historyOverMaximum === 'refuse') {
    throw new Refusal('validation_error', `limit must be at most ${choices.historyMaximum}.`)
  }
  const size = Math.min(asked, choices.historyMaximum)
  const place = rows.findIndex((event) => event.id === after)
  if (broken('history_refuses_its_cursor') && place >= 0 && place % 7 === 6)
    throw new Refusal('validation_error', 'after_id is malformed.')
  if (after !== undefined && place < 0 && choices.historyUnknownId !== 'from the start') {
    throw new Refusal(choices.historyUnknownId, 'after_id is not an event of yours.')
  }
  const start = broken('after_id_inclusive')
    ? Math.max(place, 0)
    : broken('after_id_skips_one') && place >= 0
      ? place + 2
      : place + 1
  const page = rows.slice(start, start + size).map(({ id, type, created_at, data }) => ({ id, type, created_at, data }))
  if (broken('second_partner_events_lack_data') && partner !== 'ptr_1main') for (const event of page) event.data = {}
  if (broken('event_without_time')) for (const event of page) delete event.created_at
  const isLast = broken('oversized_limits_end_the_history') && asked > choices.historyMaximum
  const more = start + size < rows.length
  const cursor = page.at(-1)?.id ?? after ?? null
  if (choices.history === 'pages written newest first') page.reverse()
  if (isLast) return { events: page, next_cursor: null }
  const next = more || choices.lastPageHasCursor ? cursor : null
  return { events: page, ...((next !== null || !choices.noCursorAtTheEnd) && { next_cursor: next }) }
}
