import { ApiError } from '../../contract/errors.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { endpointOf } from '../../sandbox/webhooks/endpoints.ts'
import { type Fields, refilling, refusalsOf, without } from './answers.ts'
import { type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { altering, eachOf, handling, listing, listingEveryones } from './routes.ts'

const HOUR_MS = 3_600_000

/** Reports that may date a row by their own reading, and where. */
const DATED = [
  ['transactions', 'transactions.list', 'transactions', 'created_at', 'TXN-01'],
  ['payouts', 'payouts.list', 'payouts', 'paid_at', 'PAY-01'],
  ['referral-payouts', 'me.payouts', 'payouts', 'paid_at', 'RPT-04'],
] as const

/** Mistakes that no scenario looks for where they are made: only a rule about every call of a run finds them. */
export const wholeRunDefects: readonly Defect[] = [
  defect('long-pages-tell-another-currency', ['ORD-02'], {
    summary: 'A page of more than fifty events writes the currency in small letters.',
    ...eachOf('events.list', 'events', (event, { query }) => {
      const { order } = event['data'] as { order?: Fields }
      if (Number(query['limit'] ?? 0) <= 50 || !order) return event
      return { ...event, data: { order: { ...order, currency: String(order['currency']).toLowerCase() } } }
    }),
  }),
  ...DATED.map(([rows, endpoint, list, name, requirement]) =>
    defect(`${rows}-have-another-date-at-each-reading`, [requirement], {
      summary: `The rows of ${endpoint} have a date that is an hour later each time they are read.`,
      ...counting((readings) =>
        eachOf(endpoint, list, (row, { world }) => ({ ...row, [name]: later(row[name], readings(world) * HOUR_MS) })),
      ),
    }),
  ),
  defect('cases-listed-with-another-tier', ['BRKL-01'], {
    summary: 'The list of cases has the other tier for each.',
    ...eachOf('brokerage.list', 'cases', (made) => ({
      ...made,
      tier: made['tier'] === 'managed' ? 'self_serve' : 'managed',
    })),
  }),
  defect('links-listed-at-another-time', ['LINK-02'], {
    summary: 'The list of links has the time of a link to a domain an hour off.',
    ...eachOf('links.list', 'links', (link) =>
      link['kind'] === 'domain' ? { ...link, created_at: later(link['created_at'], HOUR_MS) } : link,
    ),
  }),
  defect('availability-is-of-another-name', ['INV-09'], {
    summary: 'The availability of an unlisted name is answered for the same name below www.',
    ...altering('availability', ({ domain, available }) => (available ? {} : { domain: `www.${String(domain)}` })),
  }),
  defect('cases-answered-as-managed', ['BRK-02'], {
    summary: 'The answer to a new case says managed, whatever its tier is.',
    ...altering('brokerage.create', () => ({ tier: 'managed' })),
  }),
  defect('registrations-answered-with-a-slash', ['HOOK-01'], {
    summary: 'The answer to a registration has the address with a slash at its end.',
    ...altering('webhooks.put', ({ url }) => ({ url: `${String(url)}/` })),
  }),
  defect('registrations-of-a-known-address-tell-the-secret', ['HOOK-01'], {
    summary: 'The answer to a registration that changes the secret of its address shows the new one.',
    ...handling('webhooks.put', (input, correct) => {
      const former = endpointOf(input.world.db, input.caller.partnerId)
      const reply = correct(input)
      const { url, secret } = input.body
      const isRotated = former?.url === url && former?.secret !== secret
      return isRotated ? { ...reply, body: { ...(reply.body as Fields), signing: { secret } } } : reply
    }),
  }),
  defect('malformed-refunds-have-no-code', ['ERR-01'], {
    summary: 'A malformed refund is refused without a code, as JSON with a message.',
    ...refilling(refusalsOf('refunds.create', 'validation_error'), (fields) => without(fields, 'code')),
  }),
  defect('settled-orders-forget-their-recording', ['ORD-09'], {
    summary: 'The timeline of a settled order begins with its transfer.',
    ...altering('orders.detail', ({ status, timeline }) =>
      status === 'SETTLED' ? { timeline: (timeline as unknown[]).slice(1) } : {},
    ),
  }),
  defect('closed-cases-forget-their-opening', ['BRK-04'], {
    summary: 'The timeline of a closed case has its closing only.',
    ...altering('brokerage.detail', ({ timeline }) => ({ timeline: (timeline as unknown[]).slice(-1) })),
  }),
  defect('case-list-shows-everyones-cases', ['BRKL-01'], {
    summary: 'The list of cases has the cases of all partners.',
    ...listingEveryones({ 'brokerage.list': 'cases' }),
  }),
  defect('statements-name-orders-of-others', ['SET-02'], {
    summary: 'A statement names the orders of other partners beside its own.',
    ...eachOf('settlements.list', 'settlements', (statement, { world, caller }) => ({
      ...statement,
      also_settled: world.db
        .prepare('SELECT public_id FROM orders WHERE partner_id <> ?')
        .pluck()
        .all(caller.partnerId),
    })),
  }),
  defect('orders-refused-for-their-quote-are-listed', ['QUOTE-03'], {
    summary: 'The order list of a domain has an order that was refused for its expired quote.',
    ...listingExpired(),
  }),
  defect('some-sessions-say-eight-days', ['CHK-02'], {
    summary: 'Every third checkout session says that it ends after eight days.',
    ...altering('checkout.create', ({ expires_at: at }, { world }) => {
      const count = world.db.prepare('SELECT count(*) FROM checkout_sessions').pluck().get() as number
      return count % 3 === 0 ? { expires_at: later(at, 24 * HOUR_MS) } : {}
    }),
  }),
  defect('some-quotes-say-an-hour', ['QUOTE-01'], {
    summary: 'Every third quote says that it ends after an hour.',
    ...altering('quotes.create', ({ expires_at: at }, { world }) => {
      const count = world.db.prepare('SELECT count(*) FROM quotes').pluck().get() as number
      return count % 3 === 0 ? { expires_at: later(at, HOUR_MS) } : {}
    }),
  }),
  ...(
    [
      ['orders.list', 'orders', 'ORD-08'],
      ['brokerage.list', 'cases', 'BRKL-01'],
      ['links.list', 'links', 'LINK-02'],
    ] as const
  ).map(([id, name, requirement]) =>
    defect(`long-pages-of-${name}-have-the-last-twice`, [requirement], {
      summary: `A page of more than two ${name} has its last one twice.`,
      ...listing(id, name, (rows) => (rows.length > 2 ? [...rows, ...rows.slice(-1)] : rows)),
    }),
  ),
]

/** A server that keeps what it refuses for an expired quote, and lists it. */
function listingExpired(): Tampered {
  const kept = perWorld((): Fields[] => [])
  return handling(['orders.create', 'orders.list'], (input, correct) => {
    const { world, call, body } = input
    const orders = kept(world)
    if (call.endpoint === 'orders.list') {
      const reply = correct(input)
      const listed = reply.body as { orders: Fields[] }
      return { ...reply, body: { ...listed, orders: [...listed.orders, ...orders] } }
    }
    try {
      return correct(input)
    } catch (error) {
      const { domain, currency, external_payment_ref } = body as Fields
      const facts = { domain, currency, external_payment_ref, status: 'EXTERNALLY_PAID', sale_price_cents: 1 }
      if (error instanceof ApiError && error.code === 'quote_expired')
        orders.push({ public_id: `ord_kept${orders.length}`, ...facts })
      throw error
    }
  })
}

function later(at: unknown, byMs: number): string {
  return new Date(Date.parse(String(at)) + byMs).toISOString()
}

/** A server that counts what it shows. */
function counting(show: (next: (world: World) => number) => Tampered): Tampered {
  const counts = perWorld(() => ({ shown: 0 }))
  return show((world) => ++counts(world).shown)
}
