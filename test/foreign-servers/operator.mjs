// The operator's side of a foreign server: POST /ops/<what> with JSON, on the same port, behind one word in a header.
import { closeCase } from './brokering.mjs'
import { mature, payOut, settle } from './earning.mjs'
import { payHosted, recordSale, sessionOf } from './hosted.mjs'
import { moveOrder } from './selling.mjs'

export const OPERATOR_WORD = 'let-me-operate'

function orderFor(service, id) {
  for (const env of Object.values(service.environments)) {
    const order = env.sales.find((each) => each.id === id)
    if (order !== undefined) return { env, order }
  }
  throw Object.assign(new Error(`There is no order ${id}.`), { status: 404 })
}

const sandbox = (service) => service.environments.sandbox
const moving = (step) => (service, body) => {
  const { env, order } = orderFor(service, body.order)
  moveOrder(service, env, order, step)
  return { order: order.id, status: order.status }
}
const everywhere = (service, work) => {
  for (const env of Object.values(service.environments)) work(env)
  return {}
}

const OPERATIONS = {
  time: (service) => ({ now: service.clock.now(), iso: new Date(service.clock.now()).toISOString() }),
  advance: (service, body) => {
    service.clock.advance(Number(body.seconds))
    return { now: service.clock.now() }
  },
  hold: moving('hold'),
  clear: moving('clear'),
  start_transfer: moving('start_transfer'),
  complete_transfer: moving('complete_transfer'),
  refund: moving('refund'),
  cancel: moving('cancel'),
  settle: (service) => everywhere(service, (env) => settle(service, env, moveOrder)),
  payout: (service) =>
    everywhere(service, (env) => {
      for (const partner of service.partners.keys()) {
        mature(service, env, partner)
        payOut(service, env, partner)
      }
    }),
  set_price: (service, body) => {
    sandbox(service).listings.get(body.domain).price = body.cents
    return {}
  },
  list_domain: (service, body) => {
    const [first] = body.domain.split('.')
    sandbox(service).listings.set(body.domain, {
      name: body.domain,
      words: [first],
      topics: body.topics ?? [],
      price: body.cents,
      floor: Math.floor(body.cents / 500) * 400,
      site: body.site === true,
      sold: false,
    })
    return { domain: body.domain }
  },
  unlist_domain: (service, body) => ({ gone: sandbox(service).listings.delete(body.domain) }),
  close_deal: (service, body) => {
    for (const env of Object.values(service.environments)) {
      const made = env.cases.find((each) => String(each.id) === String(body.case))
      if (made !== undefined) closeCase(service, env, made, body.cents, recordSale)
    }
    return {}
  },
  referral_sale: (service, body) => {
    for (const env of Object.values(service.environments)) {
      const link = env.links.find((each) => each.id === body.link)
      const listing = env.listings.get(body.domain)
      if (link === undefined || listing === undefined) continue
      if (service.choices.soldNames !== 'stay') listing.sold = true
      recordSale(service, env, link.partner, {
        domain: body.domain,
        price: listing.price,
        model: 'referral',
        buyer: { email: body.email },
        link,
        at: service.clock.now(),
      })
    }
    return {}
  },
  close_no_deal: (service, body) => {
    for (const env of Object.values(service.environments)) {
      const made = env.cases.find((each) => String(each.id) === String(body.case))
      if (made !== undefined) closeCase(service, env, made, undefined, recordSale)
    }
    return {}
  },
  pay_session: (service, body) => {
    const { env, session } = sessionOf(service, new URL(body.checkout_url).searchParams.get('pt'))
    payHosted(service, env, session, 'buyer@example.com')
    return {}
  },
  fail_next: (service, body) => {
    service.failNext = body.count ?? 1
    return {}
  },
  rate_limit: (service, body) => {
    service.rateLimit = body.calls === 0 ? service.choices.rateLimit : { calls: body.calls, seconds: body.seconds }
    service.calls.clear()
    return {}
  },
}

export function operate(service, call) {
  if (call.headers['x-operator'] !== OPERATOR_WORD) return { status: 403, body: { error: 'Operators only.' } }
  const operation = OPERATIONS[call.path.slice('/ops/'.length)]
  if (operation === undefined) return { status: 404, body: { error: 'No such operation.' } }
  try {
    const text = call.raw.toString()
    return { status: 200, body: operation(service, text === '' ? {} : JSON.parse(text)) }
  } catch (error) {
    return { status: error.status ?? 409, body: { error: error.message } }
  }
}
