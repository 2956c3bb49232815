import type { EndpointId } from '../../contract/endpoint-ids.ts'
import { ApiError } from '../../contract/errors.ts'
import { sessionNamedBy } from '../../sandbox/checkout/sessions.ts'
import { normalizeDomain } from '../../sandbox/kernel/domain-name.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { answering, codeOf, type Fields, orderIn } from './answers.ts'
import { type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { fieldIn, type ServePage, serving, withField } from './pages.ts'
import { type AnyInput, altering, handling, keeping } from './routes.ts'

/** Mistakes that show under one condition: another spelling, a second time, letters beyond ASCII, an order without what it may lack. */
export const oneConditionDefects: readonly Defect[] = [
  defect('reservations-hold-in-one-spelling', ['QUOTE-04'], {
    summary: 'Another partner that writes the name in capitals gets a domain that is reserved.',
    ...handling('orders.create', (input, correct) => {
      const name = String(input.body['domain'])
      if (name !== name.toLowerCase()) endQuotes(input.world, name)
      return correct(input)
    }),
  }),
  defect('sessions-take-what-others-reserved', ['QUOTE-04'], {
    summary: 'A checkout session sells a domain that another partner has reserved.',
    ...handling('checkout.create', (input, correct) => {
      endQuotes(input.world, String(input.body['domain']))
      return correct(input)
    }),
  }),
  defect('second-quotes-reserve-nothing', ['QUOTE-04'], {
    summary: 'Once its partner has quoted a domain again, others can buy it.',
    ...handling('orders.create', (input, correct) => {
      const name = normalizeDomain(String(input.body['domain']))
      const made = input.world.db.prepare('SELECT count(*) FROM quotes WHERE domain = ? AND partner_id <> ?').pluck()
      if (Number(made.get(name, input.caller.partnerId)) > 1) endQuotes(input.world, String(name))
      return correct(input)
    }),
  }),
  defect('quotes-are-of-their-key', ['QUOTE-02'], {
    summary: 'A quote is good for the credential that asked for it, and not for another one of the partner.',
    ...servingItsKey('quotes.create', 'quote_id', 'orders.create', ({ body }) => body['quote_id']),
  }),
  defect('refunds-are-for-the-key-of-the-order', ['REF-01'], {
    summary: 'An order is refunded for the credential that recorded it, and not for another one of the partner.',
    ...servingItsKey('orders.create', 'public_id', 'refunds.create', ({ body }) => body['public_id']),
  }),
  defect('cases-are-read-by-their-key', ['BRK-04'], {
    summary: 'A case is shown to the credential that opened it, and not to another one of the partner.',
    ...servingItsKey('brokerage.create', 'case_id', 'brokerage.detail', ({ params }) => params['case_id']),
  }),
  defect('forbidden-quotes-end-those-of-others', ['SCOPE-02'], {
    summary: 'A quote that is refused for its scope ends the reservation of another partner.',
    ...answering((answer, call) => {
      if (call.endpoint === 'quotes.create' && codeOf(answer) === 'forbidden')
        endQuotes(call.world as World, String(JSON.parse(String(call.body))['domain']))
      return answer
    }),
  }),
  defect('references-beyond-ascii-are-mangled', ['ORD-11'], {
    summary: 'A payment reference has a question mark in the place of each letter beyond ASCII.',
    ...altering('orders.detail', ({ external_payment_ref: ref }) =>
      typeof ref === 'string' ? { external_payment_ref: ref.replace(/[^ -~]/g, '?') } : {},
    ),
  }),
  defect('references-are-composed', ['ORD-11'], {
    summary: 'A payment reference is kept in the composed form of its letters.',
    ...altering('orders.detail', ({ external_payment_ref: ref }) =>
      typeof ref === 'string' ? { external_payment_ref: ref.normalize('NFC') } : {},
    ),
  }),
  defect('opened-sessions-end-after-an-hour', ['CHK-02'], {
    summary: 'A checkout page that was opened is good for one hour more.',
    ...serving('checkout', endingAnHourAfter()),
  }),
  defect('eligibility-of-unlisted-crashes', ['BRK-01'], {
    summary: 'Whether a domain can be brokered that is not listed is answered 500.',
    ...handling('brokerage.eligibility', (input, correct) => {
      const listed = input.world.db.prepare('SELECT 1 FROM listings WHERE domain = ?')
      if (listed.get(normalizeDomain(String(input.query['domain']))) === undefined) throw new Error('no such row')
      return correct(input)
    }),
  }),
  defect('live-sites-have-no-metadata', ['INV-06'], {
    summary: 'The detail of a domain with a live site has no metadata.',
    ...altering('domains.detail', (body, input) => (hasLiveSite(body, input) ? { metadata: null } : {})),
  }),
  ...(['available', 'price_cents'] as const).map((name) =>
    defect(`availability-of-live-sites-has-another-${name.replace('_cents', '')}`, ['INV-09'], {
      summary: `Availability shows another ${name} than the detail of a domain with a live site.`,
      ...altering('availability', (body, input) =>
        hasLiveSite(body, input) ? { [name]: name === 'available' ? false : 100 } : {},
      ),
    }),
  ),
  ...(['availability', 'domains.detail'] as const).map((endpoint) =>
    defect(`${endpoint.replace('domains.', '')}-cuts-higher-prices`, ['INV-09'], {
      summary: `The call ${endpoint} shows a price above 1,201 in whole thousands.`,
      ...altering(endpoint, ({ price_cents: cents }) => {
        const price = Number(cents)
        return price > 120_100 ? { price_cents: price - (price % 100_000) } : {}
      }),
    }),
  ),
  defect('completions-after-a-review-are-silent', ['STATE-02'], {
    summary: 'That the transfer of an order that was held once is completed is not in the history.',
    ...keeping('events.list', 'events', (event, { world }) => {
      if (event['type'] !== 'order.transfer_completed') return true
      const cleared = world.db.prepare(
        "SELECT 1 FROM events WHERE type = 'order.manual_review_cleared' AND json_extract(data, '$.order.public_id') = ?",
      )
      return cleared.get(orderIn(event)?.['public_id']) === undefined
    }),
  }),
]

/** A server that takes what one credential has made for its own, and not for that of its partner. */
function servingItsKey(makes: EndpointId, id: string, uses: EndpointId, idIn: (input: AnyInput) => unknown): Tampered {
  const makers = perWorld(() => new Map<unknown, string>())
  return handling([makes, uses], (input, correct) => {
    const { world, caller, call } = input
    const maker = call.endpoint === uses ? makers(world).get(idIn(input)) : undefined
    if (maker !== undefined && maker !== caller.keyId) throw new ApiError('not_found', 'there is no such thing')
    const reply = correct(input)
    if (call.endpoint === makes) makers(world).set((reply.body as Fields)[id], caller.keyId)
    return reply
  })
}

function endQuotes(world: World, name: string): void {
  world.db.prepare("UPDATE quotes SET state = 'expired' WHERE domain = ? AND state = 'open'").run(normalizeDomain(name))
}

/** A page that looks at when it was opened first. */
function endingAnHourAfter(): ServePage {
  const opened = perWorld(() => new Map<number, number>())
  return (request, world, correct) => {
    const session = sessionNamedBy(world, fieldIn(request.query, 'pt'))
    if (!session) return correct(request, world)
    const first = opened(world)
    const now = world.clock.nowMs()
    if (!first.has(session.seq)) first.set(session.seq, now)
    const isOver = now > (first.get(session.seq) ?? now) + HOUR_MS
    return correct(isOver ? withField(request, 'query', 'pt', 'over') : request, world)
  }
}

const HOUR_MS = 3_600_000

function hasLiveSite({ domain }: Fields, { world }: AnyInput): boolean {
  return world.db.prepare('SELECT 1 FROM listings WHERE domain = ? AND live_site = 1').get(domain) !== undefined
}
