// Settlement and the reports of sales.
import { broken, clock, day, money, seconds, share, ulid, uuid, window } from './lib.mjs'
import { move } from './world.mjs'

export const PERCENT = { PARTNER_COLLECTED: 15, HOSTED_CHECKOUT: 20, REFERRAL: 10, BROKERAGE: 5 }

export function settle(world) {
  const now = clock.now()
  const done = world.orders.filter((o) => o.status === 'TRANSFER_COMPLETED')
  for (const partner of new Set([
    ...done.map((o) => o.partner),
    ...world.cuts.map((c) => c.partner),
    ...world.ledger.map((l) => l.partner),
  ])) {
    const mine = done.filter((o) => o.partner === partner)
    const collected = mine.filter((o) => o.model === 'PARTNER_COLLECTED')
    for (const order of mine) move(order, 'SETTLED', 'order.settled')
    if (collected.length) {
      const gross = collected.reduce((sum, o) => sum + o.price, 0)
      const kept = collected.reduce((sum, o) => sum + share(o.price, PERCENT.PARTNER_COLLECTED), 0)
      const before = world.statements.filter((s) => s.partner === partner).at(-1)
      world.statements.push({
        id: `st_${ulid()}`,
        partner,
        from: before?.to ?? now - 86_400_000,
        to: now,
        gross,
        kept,
        orders: collected.map((o) => o.id),
      })
    }
    const items = mine
      .filter((o) => o.model === 'HOSTED_CHECKOUT' && !o.link)
      .map((o) => ({ order_id: o.id, domain: o.domain, cents: o.commission }))
    for (const cut of world.cuts.filter((c) => c.partner === partner && !c.paid)) {
      cut.paid = true
      items.push({ case_id: cut.case, domain: cut.domain, cents: cut.cents })
    }
    if (items.length) {
      world.payouts.push({
        id: `po_${ulid()}`,
        partner,
        at: now,
        items,
        cents: items.reduce((sum, i) => sum + i.cents, 0),
        channel: 'sales',
      })
    }
    const due = world.ledger.filter((l) => l.partner === partner && l.kind === 'pending' && !l.paid)
    for (const line of due) line.paid = true
    const cents = due.reduce((sum, l) => sum + l.cents, 0)
    if (cents) {
      world.payouts.push({ id: `po_${ulid()}`, partner, at: now, items: [], cents, channel: 'referral' })
      world.ledger.push({ id: uuid(), partner, kind: 'paid_out', cents: -cents, at: now })
    }
  }
}

// Numbered pages, for lists that are looked at rather than followed.
export function numbered(rows, query, path, base, per = 25) {
  const page = Math.max(Number.parseInt(query.get('page') ?? '1', 10) || 1, 1)
  const last = Math.max(Math.ceil(rows.length / per), 1)
  const link = (n) => {
    const with_ = new URLSearchParams(query)
    with_.set('page', String(n))
    return `${base}${path}?${with_}`
  }
  const links = {
    first: link(1),
    last: link(last),
    prev: page > 1 ? link(page - 1) : null,
    next: page < last ? link(page + 1) : null,
  }
  return {
    data: rows.slice((page - 1) * per, page * per),
    links,
    meta: { current_page: page, last_page: last, per_page: per, total: rows.length },
  }
}

function settlements({ world, credential, query, path, base }) {
  const mine = world.statements.filter((s) => s.partner === credential.partner)
  const rows = mine.map((s) => ({
    id: s.id,
    period: { start: seconds(s.from), end: seconds(s.to) },
    gross_sold: money(s.gross),
    commission_retained: money(s.kept),
    amount_owed: money(s.gross - s.kept - (broken('owed-off') ? 1 : 0)),
    order_ids: s.orders,
  }))
  return { body: numbered(rows, query, path, base) }
}

const sold = (world, partner) => [
  ...world.orders
    .filter((o) => o.partner === partner)
    .map((o) => ({
      id: o.id,
      domain: o.domain,
      model: o.model,
      status: o.status,
      cents: o.price,
      commission: o.commission ?? share(o.price, PERCENT[o.model]),
      at: o.created,
    })),
  ...world.cuts
    .filter((c) => c.partner === partner)
    .map((c) => ({
      id: c.case,
      domain: c.domain,
      model: 'BROKERAGE',
      status: 'SETTLED',
      cents: c.price,
      commission: c.cents,
      at: c.at,
    })),
]

function transactions({ world, credential, query, path, base }) {
  const [status, model] = [query.get('status'), query.get('payment_model')]
  const { holds } = window(query)
  const all = sold(world, credential.partner).sort((a, b) => a.at - b.at)
  const kept = all.filter((t) => (!status || t.status === status) && (!model || t.model === model) && holds(t.at))
  const rows = kept.map((t) => ({
    reference: t.id,
    domain: t.domain,
    payment_model: t.model,
    status: t.status,
    amount: money(t.cents),
    commission: money(t.commission),
    sold_at: seconds(t.at),
  }))
  const sum = (list, key) => list.reduce((total, t) => total + t[key], 0)
  const counted = broken('totals-unfiltered') ? all : kept
  const body = numbered(rows, query, path, base)
  return {
    body: { ...body, totals: { gmv: money(sum(counted, 'cents')), commission: money(sum(counted, 'commission')) } },
  }
}

function payouts({ world, credential, query, path, base }) {
  const mine = world.payouts.filter((p) => p.partner === credential.partner && p.channel === 'sales')
  const rows = mine.map((p) => ({
    id: p.id,
    amount: money(p.cents),
    paid_on: day(p.at),
    items: p.items.map(({ cents, ...i }) => ({ ...i, amount: money(cents) })),
  }))
  return {
    body: { ...numbered(rows, query, path, base), total_paid: money(mine.reduce((sum, p) => sum + p.cents, 0)) },
  }
}

export const routes = [
  ['GET', '/settlements', ['buy'], settlements],
  ['GET', '/transactions', ['report'], transactions],
  ['GET', '/payouts', ['report'], payouts],
]
