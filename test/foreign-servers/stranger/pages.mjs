// Pages of buyers: hosted checkout in two steps with a session cookie, the storefront, tracking links, progress.

import { closeCase, delivered, sale } from './earning.mjs'
import { broken, clock, isEmail, later, money, random, same, seconds, share, unseal } from './lib.mjs'
import { giveBack, record, reservation, session } from './selling.mjs'
import { PERCENT, settle } from './settling.mjs'
import { environments, move } from './world.mjs'

const visits = new Map()
const escaped = (v) => String(v ?? '').replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
const worlds = Object.values(environments)
const across = (find) => {
  for (const world of worlds) {
    const found = find(world)
    if (found) return { world, found }
  }
  return {}
}

function page(status, title, content, headers = {}) {
  const html = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<meta name="viewport" content="width=device-width"></head><body><header><a href="/">Kontor</a></header>
<main><h1>${escaped(title)}</h1>${content}</main></body></html>`
  return { status, headers: { 'Content-Type': 'text/html; charset=UTF-8', ...headers }, text: html }
}
const go = (location, headers = {}) => ({ status: 303, headers: { Location: location, ...headers }, text: '' })

function visitor(cookies) {
  const known = visits.get(cookies.kontor_session)
  if (known) return { visit: known, headers: {} }
  const id = random(16)
  const visit = { csrf: random(20) }
  visits.set(id, visit)
  return { visit, headers: { 'Set-Cookie': `kontor_session=${id}; Path=/; HttpOnly; SameSite=Lax` } }
}

// --- hosted checkout: /pay/{session}?pt=..., then /pay/{session}/payment, then the partner's return_url

const total = (made) => `<p><strong>${escaped(made.domain)}</strong> for ${money(made.price).amount} EUR</p>`

function pay({ method, id, step, query, form, cookies }) {
  const token = unseal(query.get('pt'))
  const { world, found: made } = across((w) => w.sessions.get(id))
  if (!made || token?.session !== id)
    return page(403, 'This address is not valid', '<p>Please go back to the shop.</p>')
  if (clock.now() > made.expires && !broken('session-never-expires'))
    return page(410, 'This checkout has expired', '<p>Please start again.</p>')
  const { visit, headers } = visitor(cookies)
  const here = `/pay/${id}`
  const pt = `?pt=${encodeURIComponent(query.get('pt'))}`
  if (made.paid) return page(200, 'Paid already', total(made), headers)
  if (method === 'POST' && form.get('_token') !== visit.csrf)
    return page(419, 'Page expired', '<p>Please load the page again.</p>', headers)
  if (method === 'POST' && step === 'cancel') return go(made.cancels ?? made.returns, headers)
  const hidden = `<input type="hidden" name="_token" value="${visit.csrf}">`
  if (method === 'POST' && step === undefined) {
    const [email, name] = [form.get('email'), form.get('full_name')]
    if (isEmail(email) && name?.trim() && form.get('terms') === '1') {
      made.buyer = { email, name, country: form.get('country') }
      return go(`${here}/payment${pt}`, headers)
    }
  }
  if (step === 'payment' && made.buyer) {
    if (method === 'POST') {
      const digits = (form.get('card_number') ?? '').replaceAll(/\D/g, '')
      if (/^4242/.test(digits) && digits.length === 16 && /^\d{2}\/\d{2}$/.test(form.get('expiry') ?? ''))
        return bought(world, made, cookies, headers)
    }
    return page(
      method === 'POST' ? 422 : 200,
      'Payment',
      `${total(made)}
<form method="post" action="${here}/payment${escaped(pt)}">${hidden}
<p>This is a test environment: use the card 4242 4242 4242 4242.</p>
<label>Card number <input type="text" name="card_number" inputmode="numeric" autocomplete="cc-number" placeholder="4242 4242 4242 4242" required></label>
<label>Expires <input type="text" name="expiry" autocomplete="cc-exp" placeholder="12/39" pattern="[0-9]{2}/[0-9]{2}" required></label>
<button type="submit">Pay ${money(made.price).amount} EUR</button></form>`,
      headers,
    )
  }
  return page(
    method === 'POST' ? 422 : 200,
    'Your details',
    `${total(made)}
<form method="post" action="${here}${escaped(pt)}">${hidden}
<label>E-mail <input type="email" name="email" value="${escaped(made.email)}" required></label>
<label>Name <input type="text" name="full_name" required></label>
<label>Country <select name="country"><option value="">Choose</option><option value="DE">Germany</option><option value="FR">France</option></select></label>
<label><input type="checkbox" name="terms" value="1" required> I accept the terms</label>
<button type="submit">Continue to payment</button></form>
<form method="post" action="${here}/cancel${escaped(pt)}">${hidden}<button type="submit">Cancel</button></form>`,
    headers,
  )
}

function bought(world, made, cookies, headers) {
  const item = world.listings.get(made.domain)
  const held = item && reservation(world, made.domain)
  if (!item || (held && held.partner !== made.partner)) return page(409, 'No longer for sale', total(made), headers)
  made.paid = true
  const { found: link } = across((w) => w.links.find((l) => l.code === cookies.kontor_ref))
  const via = link && link.partner === made.partner ? link : undefined
  const model = made.own ? 'REFERRAL' : 'HOSTED_CHECKOUT'
  const commission = share(made.price, PERCENT[model])
  const order = record(
    world,
    made.partner,
    { name: made.domain, price: made.price },
    { model, buyer: made.buyer, commission },
  )
  if (via) sale(world, order, via)
  const target = new URL(made.returns)
  target.searchParams.set('checkout', made.id)
  return go(target.href, headers)
}

// --- tracking links and the shop they lead to

function follow(code) {
  const { found: link } = across((w) => w.links.find((l) => l.code === code))
  if (!link) return page(404, 'Nothing here', '')
  const { world } = across((w) => w.links.includes(link))
  later(() => {
    link.clicks += 1
    if (!broken('clicks-unlisted')) world.clicks.push({ link, at: clock.now() })
  })
  const cookie = `kontor_ref=${code}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax`
  return { status: 302, headers: { Location: link.domain ? `/d/${link.domain}` : '/', 'Set-Cookie': cookie }, text: '' }
}

function shop({ method, name, form, cookies, base }) {
  const { visit, headers } = visitor(cookies)
  const item = environments.sandbox.listings.get(name)
  if (!item) return page(404, 'Not for sale', '', headers)
  if (method === 'POST') {
    if (form.get('_token') !== visit.csrf) return page(419, 'Page expired', '', headers)
    const { world, found: link } = across((w) => w.links.find((l) => l.code === cookies.kontor_ref))
    if (!link) return page(200, 'Please call us', '', headers)
    const made = session(world, link.partner, item, {
      returns: `${base}/thanks`,
      own: true,
      link,
      created: clock.now(),
    })
    return go(`/pay/${made.id}?pt=${encodeURIComponent(tokenOf(made))}`, headers)
  }
  return page(
    200,
    item.name,
    `<p>${money(item.price).amount} EUR</p><form method="post" action="/d/${item.name}">
<input type="hidden" name="_token" value="${visit.csrf}"><button type="submit">Buy now</button></form>`,
    headers,
  )
}
let tokenOf
export const sealing = (make) => {
  tokenOf = make
}

function home() {
  const names = [...environments.sandbox.listings.keys()].slice(-12)
  return page(200, 'Domains for sale', `<ul>${names.map((n) => `<li><a href="/d/${n}">${n}</a></li>`).join('')}</ul>`)
}

function progress(code) {
  const { found } = across((w) => w.cases.find((c) => c.progress === code))
  if (!found) return page(404, 'Nothing here', '')
  const rows = found.history.map(({ status, at }) => `<li>${escaped(status)} since ${seconds(at)}</li>`).join('')
  return page(200, `Your case for ${found.domain ?? 'a domain'}`, `<p>Status: ${found.status}</p><ol>${rows}</ol>`)
}

export function open({ method, path, query, body, cookies, base }) {
  const form = new URLSearchParams(method === 'POST' ? body : '')
  const [, first, second, third, more] = path.split('/')
  if (more !== undefined || (method !== 'GET' && method !== 'POST')) return null
  if (path === '/') return home()
  if (path === '/thanks') return page(200, 'Thank you', '')
  if (first === 'pay' && second) return pay({ method, id: second, step: third, query, form, cookies })
  if (first === 'r' && second && !third) return follow(second)
  if (first === 'd' && second && !third) return shop({ method, name: second, form, cookies, base })
  if (first === 'progress' && second && !third) return progress(second)
  return null
}

// --- back office: POST /backoffice/..., with a bearer token

const order = (id) => across((w) => w.orders.find((o) => o.id === id))
const step = (from, run) => (input) => {
  const { world, found } = order(input.order)
  if (!found) return 404
  if (!from.includes(found.status)) return 409
  run(world, found, input)
  return 204
}
const OPEN = ['EXTERNALLY_PAID', 'ON_HOLD', 'TRANSFER_IN_PROGRESS']
const [most = 0, inSeconds = 1] = (process.env.K_RATE ?? '').split('/').map(Number)
const USUAL = { requests: most, seconds: inSeconds }
let limit = USUAL
export const state = { skew: 0, fail: 0, rate: () => limit }
const DESK = {
  travel: (i) => clock.travel(i.seconds) ?? 204,
  skew: (i) => {
    state.skew = i.seconds
    return 204
  },
  rate: (i) => {
    limit = i.requests ? { requests: i.requests, seconds: i.seconds } : USUAL
    return 204
  },
  fail: (i) => {
    state.fail = i.count
    return 204
  },
  hold: step(['EXTERNALLY_PAID'], (_, o) => move(o, 'ON_HOLD')),
  release: step(['ON_HOLD'], (_, o) => {
    move(o, 'TRANSFER_IN_PROGRESS', 'order.manual_review_cleared')
    move(o, 'TRANSFER_IN_PROGRESS', 'order.transfer_started')
    o.timeline.pop()
  }),
  push: step(['EXTERNALLY_PAID'], (_, o) =>
    move(o, 'TRANSFER_IN_PROGRESS', broken('started-silent') ? null : 'order.transfer_started'),
  ),
  deliver: step(['TRANSFER_IN_PROGRESS'], (w, o) => delivered(w, o)),
  refund: step([...OPEN, 'TRANSFER_COMPLETED'], (w, o) => giveBack(w, o, 'REFUNDED')),
  cancel: step(OPEN, (w, o) => giveBack(w, o, 'CANCELED')),
  settle: () => {
    for (const world of worlds) settle(world)
    return 204
  },
  price: (i) => {
    const item = environments.sandbox.listings.get(i.domain)
    if (item) Object.assign(item, { price: i.cents, floor: share(i.cents, 80) })
    return item || environments.sandbox.orders.some((o) => o.domain === i.domain) ? 204 : 404
  },
  deal: (i) => (closeCase(environments.sandbox, i.case, i.cents) ? 204 : 404),
  no_deal: (i) => (closeCase(environments.sandbox, i.case, 0) ? 204 : 404),
}
export function desk(path, headers, body, token) {
  if (!same(headers.authorization ?? '', `Bearer ${token}`)) return 401
  const run = DESK[path.split('/')[2]]
  return run ? run(JSON.parse(body || '{}')) : 404
}
