// What a buyer's browser sees: the hosted checkout, the progress of a brokerage case, tracked links and a small shop.
import { createHmac, randomBytes } from 'node:crypto'
import { click } from './earning.mjs'
import { payHosted, recordSale, sessionOf } from './hosted.mjs'
import { reservedByAnother } from './selling.mjs'

const page = (status, title, body) => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  text: `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`,
})
const goTo = (address, headers = {}) => ({ status: 303, headers: { location: address, ...headers }, text: '' })

const dollars = (cents) => `$${(cents / 100).toFixed(2)}`
const fields =
  '<label>Email <input type="email" name="email" required></label> <label>Name <input name="name" required></label>'

function linkOf(service, call) {
  const code = call.params.get('ref') ?? /(?:^|;\s*)ref=([^;]+)/u.exec(call.headers.cookie ?? '')?.[1]
  for (const env of Object.values(service.environments)) {
    const link = env.links.find((each) => each.code === code)
    if (link !== undefined) return { env, link }
  }
  return undefined
}

function checkout(service, call, step) {
  const { choices, broken } = service
  if (broken('checkout_wants_a_key') && !call.headers['x-partner-key-id'])
    return page(401, 'Sign in', '<p>Sign in first.</p>')
  const token = call.params.get('pt') ?? ''
  const found = sessionOf(service, token)
  if (found === undefined)
    return page(choices.pageStatuses.altered, 'Not a checkout', '<p>This address is not valid.</p>')
  const { env, session } = found
  if (session.expiresAt <= service.clock.now())
    return page(choices.pageStatuses.expired, 'Expired', '<p>This checkout has expired.</p>')
  if (broken('opened_sessions_live_an_hour'))
    session.expiresAt = Math.min(session.expiresAt, service.clock.now() + 3_600_000)
  if (session.paid) return page(200, 'Thank you', `<p>${session.domain} has been paid.</p>`)
  if (env.listings.get(session.domain)?.sold)
    return page(410, 'Sold', '<p>The domain has been sold to somebody else.</p>')
  if (reservedByAnother(service, env, session.partner, session.domain))
    return page(409, 'Reserved', '<p>The domain is reserved for another buyer.</p>')
  const here = (next) => `/${next}?pt=${encodeURIComponent(token)}`
  const pay = () => {
    const link = linkOf(service, call)
    payHosted(
      service,
      env,
      session,
      call.form.get('email') ?? 'buyer@example.com',
      service.broken('sale_of_the_links_partner') || link?.link.partner === session.partner ? link?.link : undefined,
    )
    return page(200, 'Thank you', `<p>You have bought ${session.domain} for ${dollars(session.price)}.</p>`)
  }
  const offer = `<p>${session.domain}: ${dollars(session.price)}</p>`
  if (choices.checkout === 'one form') {
    if (call.method === 'POST') return pay()
    return page(
      200,
      'Checkout',
      `${offer}<form method="post" action="${here('checkout')}">${fields}<button>Pay ${dollars(session.price)}</button></form><a href="/shop">Cancel</a>`,
    )
  }
  if (choices.checkout === 'two forms') {
    if (step === 'checkout' && call.method === 'GET')
      return page(
        200,
        'Your details',
        `${offer}<form method="post" action="${here('checkout')}">${fields}<button>Continue</button></form>`,
      )
    if (step === 'checkout')
      return goTo(`${here('checkout/confirm')}&email=${encodeURIComponent(call.form.get('email') ?? '')}`)
    if (call.method === 'POST') return pay()
    const email = `<input type="hidden" name="email" value="${(call.params.get('email') ?? '').replace(/[^\w@.+-]/gu, '')}">`
    return page(
      200,
      'Confirm',
      `${offer}<form method="post" action="${here('checkout/confirm')}">${email}<button>Buy now</button></form>`,
    )
  }
  if (choices.checkout === 'a step further') {
    if (step === 'checkout') return goTo(here('checkout/step'))
    if (call.method === 'POST' && call.form.get('do') === 'pay') return pay()
    if (call.method === 'POST') return goTo('/shop')
    const buttons = '<button name="do" value="cancel">Cancel</button><input type="submit" name="do" value="pay">'
    return page(200, 'Checkout', `${offer}<form method="post">${fields}${buttons}</form>`)
  }
  if (choices.checkout === 'with a token') {
    const known = /(?:^|;\s*)sid=([^;]+)/u.exec(call.headers.cookie ?? '')?.[1]
    const sid = known ?? randomBytes(8).toString('hex')
    const proof = createHmac('sha256', service.pageKey).update(sid).digest('hex')
    if (call.method === 'POST' && call.form.get('_token') !== proof) return page(422, 'Try again', '<p>Stale form.</p>')
    if (call.method === 'POST' && !call.form.get('terms')) return page(422, 'Try again', '<p>Accept the terms.</p>')
    if (call.method === 'POST') return pay()
    const hidden = `<input type="hidden" name="_token" value="${proof}">`
    const country =
      '<select name="country"><option value="NL" selected>NL</option><option value="BE">BE</option></select>'
    const terms = '<input type="checkbox" name="terms" value="1" required> terms'
    const form = `<form method="POST">${hidden}${fields}${country}${terms}<button type="submit">Pay</button></form>`
    const shown = page(200, 'Checkout', `${offer}${form}`)
    return {
      ...shown,
      headers: { ...shown.headers, 'set-cookie': `sid=${sid}; Path=/checkout; HttpOnly; SameSite=Lax` },
    }
  }
  if (step === 'checkout/done') return pay()
  return page(200, 'Checkout', `${offer}<p><a class="button" href="${here('checkout/done')}">Pay now</a></p>`)
}

function progress(service, id) {
  for (const env of Object.values(service.environments)) {
    const made = env.cases.find((each) => each.view === id)
    if (made === undefined) continue
    const lines = made.timeline.map((line) => `<li>${line.status} (${service.choices.iso(line.at)})</li>`).join('')
    return page(200, 'Progress', `<p>${made.domain}: ${made.state}</p><ul>${lines}</ul>`)
  }
  return page(404, 'Not found', '<p>No such case.</p>')
}

function followLink(service, call, code) {
  for (const env of Object.values(service.environments)) {
    const link = env.links.find((each) => each.code === code)
    if (link === undefined) continue
    if (service.broken('second_partner_links_lead_nowhere') && link.partner !== 'ptr_1main') continue
    const isKnown = /ref=/u.test(call.headers.cookie ?? '') && service.broken('one_click_a_browser')
    if (call.method === 'GET' && !isKnown) click(service, env, link)
    if (service.choices.linkStatus === 200) {
      const next = link.kind === 'domain' ? `/shop/${link.domain}` : '/shop'
      const shown = page(200, 'One moment', `<p><a href="${next}?ref=${code}">On to the shop</a></p>`)
      return { ...shown, headers: { ...shown.headers, 'set-cookie': `ref=${code}; Path=/; Max-Age=2592000; HttpOnly` } }
    }
    const target = link.kind === 'domain' ? `/shop/${link.domain}` : '/shop'
    return {
      ...goTo(`${target}?ref=${code}`, { 'set-cookie': `ref=${code}; Path=/; Max-Age=2592000; HttpOnly` }),
      status: service.choices.linkStatus,
    }
  }
  return page(404, 'Not found', '<p>No such link.</p>')
}

function shop(service, call, domain) {
  const from = linkOf(service, call)
  const env = from?.env ?? service.environments.sandbox
  if (domain === undefined) {
    const some = [...env.listings.values()].filter((listing) => !listing.sold).slice(0, 20)
    return page(
      200,
      'Domains for sale',
      some.map((listing) => `<p><a href="/shop/${listing.name}">${listing.name}</a></p>`).join(''),
    )
  }
  const listing = env.listings.get(domain)
  if (listing === undefined || listing.sold) return page(404, 'Not found', '<p>No such domain.</p>')
  if (reservedByAnother(service, env, from?.link.partner, domain))
    return page(409, 'Reserved', '<p>The domain is reserved for another buyer.</p>')
  if (call.method === 'POST') {
    if (service.choices.soldNames !== 'stay') listing.sold = true
    if (from !== undefined) {
      const buyer = { email: call.form.get('email') ?? 'buyer@example.com' }
      recordSale(service, env, from.link.partner, {
        domain,
        price: listing.price,
        model: 'referral',
        buyer,
        link: from.link,
        at: service.clock.now(),
      })
    }
    return page(200, 'Thank you', `<p>You have bought ${domain}.</p>`)
  }
  return page(
    200,
    domain,
    `<p>${dollars(listing.price)}</p><form method="post" action="/shop/${domain}">${fields}<button>Buy now</button></form>`,
  )
}

/** The page at a path outside the API, or undefined. */
export function browse(service, call) {
  const path = call.path
  if (['/checkout', '/checkout/confirm', '/checkout/done', '/checkout/step'].includes(path))
    return checkout(service, call, path.slice(1))
  const [, first, second, third] = path.split('/')
  if (third !== undefined) return undefined
  if (first === 'progress' && second)
    return service.broken('progress_wants_a_login') ? page(401, 'Sign in', '<form></form>') : progress(service, second)
  if (first === 'go' && second) return followLink(service, call, second)
  if (first === 'shop') return shop(service, call, second ? decodeURIComponent(second) : undefined)
  return undefined
}
