// Brokerage, referral, the webhook registration and the event history.
import {
  ApiError,
  broken,
  clock,
  day,
  decimal,
  invalid,
  isDomain,
  isEmail,
  isUrl,
  micros,
  money,
  notFound,
  random,
  seconds,
  share,
  text,
  ulid,
  uuid,
  validate,
  window,
} from './lib.mjs'
import { numbered, PERCENT } from './settling.mjs'
import { emit, LIVE_SITE, move } from './world.mjs'

// --- brokerage

const busy = (world, name) => world.cases.some((c) => c.domain === name && ['open', 'negotiating'].includes(c.status))

function hindrance(world, name) {
  if (LIVE_SITE.includes(name)) return 'active_site'
  if (busy(world, name) && !broken('brokered-twice')) return 'case_open'
  return null
}

function eligibility({ world, query }) {
  const name = query.get('domain')
  if (!name) throw invalid([['domain', 'The domain field is required.']])
  if (!isDomain(name)) throw invalid([['domain', 'The domain field must be a domain name.']])
  const reason = hindrance(world, name.toLowerCase())
  return { body: { data: { domain: name.toLowerCase(), eligible: reason === null, reason } } }
}

function openCase({ world, credential, body, base }) {
  validate(body, {
    tier: ['required', (v) => v === 'managed' || v === 'self_serve' || broken('any-tier'), 'managed or self_serve'],
    buyer_email: ['required', isEmail, 'an e-mail address'],
    budget: ['required', (v) => typeof v === 'number' && Number.isFinite(v) && v > 0, 'an amount above zero'],
    domain: ['optional', isDomain, 'a domain name'],
  })
  const name = body.domain?.toLowerCase() ?? null
  const reason = name && hindrance(world, name)
  if (reason) throw new ApiError(422, 'not_eligible', `The domain cannot be brokered: ${reason}.`)
  const made = {
    id: `case_${ulid()}`,
    partner: credential.partner,
    domain: name,
    tier: body.tier,
    email: body.buyer_email,
    budget: Math.round(body.budget * 100),
    status: 'open',
    progress: random(16),
    created: clock.now(),
    history: [{ status: 'open', at: clock.now() }],
  }
  world.cases.push(made)
  return { status: 201, body: { data: caseFacts(made, base) } }
}

const caseFacts = (c, base) => ({
  case_id: c.id,
  domain: c.domain,
  tier: c.tier,
  status: c.status,
  buyer_email: c.email,
  budget: decimal(c.budget),
  deal: c.deal ? { price: money(c.deal), your_cut: money(c.cut) } : null,
  progress_url: `${base}/progress/${c.progress}`,
  opened_at: seconds(c.created),
})

function oneCase({ world, credential, params, base }) {
  const found = world.cases.find(
    (c) => c.id === params[0] && (c.partner === credential.partner || broken('case-of-others')),
  )
  if (!found) throw notFound('The case')
  const timeline = found.history.map(({ status, at }) => ({ status, at: seconds(at) }))
  return { body: { data: { ...caseFacts(found, base), timeline } } }
}

function cases({ world, credential, query, path, base }) {
  const mine = world.cases.filter((c) => c.partner === credential.partner)
  return {
    body: numbered(
      mine.map((c) => ({ ...caseFacts(c, base), outcome: c.outcome ?? null })),
      query,
      path,
      base,
    ),
  }
}

export function closeCase(world, id, price) {
  const found = world.cases.find((c) => c.id === id)
  if (!found || found.outcome) return false
  found.outcome = price ? 'deal' : 'no_deal'
  found.status = price ? 'won' : 'lost'
  found.history.push({ status: found.status, at: clock.now() })
  if (price) {
    Object.assign(found, { deal: price, cut: share(price, PERCENT.BROKERAGE) })
    world.cuts.push({
      partner: found.partner,
      case: found.id,
      domain: found.domain,
      price,
      cents: found.cut,
      at: clock.now(),
    })
    const facts = {
      case_id: found.id,
      domain: found.domain,
      tier: found.tier,
      status: found.status,
      deal: { price: money(price), your_cut: money(found.cut) },
    }
    emit(found.partner, 'brokerage.case_completed', { brokerage_case: facts })
  }
  return true
}

// --- referral

function affiliate(handler) {
  return (call) => {
    if (!call.credential.partner.affiliate)
      throw new ApiError(403, 'affiliate_required', 'Your account is not an affiliate account.')
    return handler(call)
  }
}

function createLink({ world, credential, body, base }) {
  const kind = body.kind
  validate(body, {
    kind: ['required', (v) => ['generic', 'domain', 'product'].includes(v), 'generic, domain or product'],
    domain: [kind === 'domain' ? 'required' : 'optional', isDomain, 'a domain name'],
    product: [kind === 'product' ? 'required' : 'optional', text(60), 'the name of a product'],
    name: ['optional', text(120), 'text of at most 120 characters'],
  })
  if (kind === 'domain' && !world.listings.has(body.domain.toLowerCase())) throw notFound('The domain')
  const made = {
    id: uuid(),
    code: random(4),
    partner: credential.partner,
    kind,
    name: body.name ?? null,
    domain: body.domain?.toLowerCase() ?? null,
    product: body.product ?? null,
    created: clock.now(),
    sales: 0,
    clicks: 0,
  }
  world.links.push(made)
  return { status: 201, body: { data: linkFacts(made, base) } }
}

const linkFacts = (l, base) => ({
  id: l.id,
  kind: l.kind,
  name: l.name,
  domain: l.domain,
  product: l.product,
  tracking_url: `${base}/r/${l.code}`,
  statistics: { clicks: l.clicks, sales: l.sales },
  created_at: seconds(l.created),
})

function links({ world, credential, query, path, base }) {
  const mine = world.links.filter((l) => l.partner === credential.partner).reverse()
  return {
    body: numbered(
      mine.map((l) => linkFacts(l, base)),
      query,
      path,
      base,
    ),
  }
}

const attributed = (world, partner) => world.orders.filter((o) => o.partner === partner && o.link)
const cents = (list) => list.reduce((sum, one) => sum + one, 0)

function clicks({ world, credential, query }) {
  const { from, to, holds } = window(query)
  const mine = world.clicks.filter((c) => c.link.partner === credential.partner && holds(c.at))
  const days = new Map()
  for (const click of mine) days.set(day(click.at), (days.get(day(click.at)) ?? 0) + 1)
  const daily = [...days].map(([date, count]) => ({ date, count }))
  const edge = (ms) => (ms === undefined ? null : seconds(ms))
  return { body: { data: { total_clicks: mine.length, window: { from: edge(from), to: edge(to) }, daily } } }
}

function sales({ world, credential, query, path, base }) {
  const { holds } = window(query)
  const rows = attributed(world, credential.partner).filter((o) => holds(o.created))
  const data = rows.map((o) => ({
    sale_id: o.id,
    buyer: o.buyer.email,
    domain: o.domain,
    amount: money(o.price),
    commission: money(o.commission),
    link_id: o.link.id,
    sold_at: seconds(o.created),
  }))
  return { body: numbered(data, query, path, base) }
}

// The newest line first: the balance of a line is the sum of this and all older ones.
function commissions({ world, credential, query, path, base }) {
  const { holds } = window(query)
  let balance = 0
  const rows = world.ledger
    .filter((l) => l.partner === credential.partner)
    .map((l) => {
      balance += l.cents
      return {
        line: l,
        row: {
          id: l.id,
          type: l.kind,
          amount: money(l.cents),
          running_balance: money(balance),
          domain: l.order?.domain ?? null,
          booked_at: seconds(l.at),
        },
      }
    })
    .filter(({ line }) => holds(line.at))
    .map(({ row }) => row)
    .reverse()
  return { body: { ...numbered(rows, query, path, base), balance: money(balance) } }
}

function myPayouts({ world, credential, query, path, base }) {
  const mine = world.payouts.filter((p) => p.partner === credential.partner && p.channel === 'referral')
  const rows = mine.map((p) => ({ id: p.id, amount: money(p.cents), paid_on: day(p.at) }))
  return { body: { ...numbered(rows, query, path, base), total_paid: money(cents(mine.map((p) => p.cents))) } }
}

function analytics({ world, credential, query }) {
  const { from, to, holds } = window(query)
  const mine = attributed(world, credential.partner).filter((o) => holds(o.created))
  const visits = world.clicks.filter((c) => c.link.partner === credential.partner && holds(c.at))
  const opened = [...world.sessions.values()].filter(
    (s) => s.link?.partner === credential.partner && holds(s.created ?? 0),
  )
  const edge = (ms) => (ms === undefined ? null : seconds(ms))
  return {
    body: {
      data: {
        range: { from: edge(from), to: edge(to) },
        funnel: { clicks: visits.length, checkouts: opened.length, sales: mine.length },
        gmv: money(cents(mine.map((o) => o.price)) * (broken('analytics-gmv') ? 2 : 1)),
        commission: money(cents(mine.map((o) => o.commission))),
      },
    },
  }
}

export function sale(world, order, link) {
  order.link = link
  link.sales += 1
  world.ledger.push({
    id: uuid(),
    partner: order.partner,
    kind: 'accrued',
    cents: order.commission,
    order,
    at: clock.now(),
  })
}
export function delivered(world, order) {
  move(order, 'TRANSFER_COMPLETED', 'order.transfer_completed')
  for (const line of world.ledger) if (line.order === order && line.kind === 'accrued') line.kind = 'pending'
}

// --- webhooks

function register({ credential, body }) {
  validate(body, {
    url: ['required', isUrl, 'an http or https URL'],
    secret: ['required', text(255), 'text of at most 255 characters'],
  })
  const { partner } = credential
  partner.hook = { url: body.url, secret: body.secret, active: true, created: partner.hook?.created ?? clock.now() }
  const { url, active, created } = partner.hook
  return { body: { url, active, created_at: micros(created) } }
}

function history({ credential, query }) {
  const all = credential.partner.events
  const after = query.get('after_id') || null
  const asked = Number(query.get('limit'))
  const size = Number.isInteger(asked) && asked > 0 ? Math.min(asked, 100) : 25
  let start = 0
  if (after !== null) {
    start = all.findIndex((e) => e.id === after) + (broken('after-inclusive') ? 0 : 1)
    if (start === 0 && all[0]?.id !== after) throw notFound('The event')
  }
  const events = all.slice(start, start + size)
  return { body: { events, next_cursor: events.at(-1)?.id ?? after } }
}

export const routes = [
  ['GET', '/brokerage/eligibility', ['broker'], eligibility],
  ['POST', '/brokerage', ['broker'], openCase],
  ['GET', '/brokerage', ['report'], cases],
  ['GET', '/brokerage/*', ['broker'], oneCase],
  ['POST', '/links', ['refer'], affiliate(createLink)],
  ['GET', '/links', ['refer'], affiliate(links)],
  ['GET', '/me/clicks', ['report'], affiliate(clicks)],
  ['GET', '/me/sales', ['report'], affiliate(sales)],
  ['GET', '/me/commissions', ['report'], affiliate(commissions)],
  ['GET', '/me/payouts', ['report'], affiliate(myPayouts)],
  ['GET', '/analytics', ['report'], affiliate(analytics)],
  ['PUT', '/api/partner/webhooks', ['webhook'], register],
  ['GET', '/events', ['webhook'], history],
]
