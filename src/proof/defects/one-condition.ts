import { sessionNamedBy } from '../../sandbox/checkout/sessions.ts'
import { normalizeDomain } from '../../sandbox/kernel/domain-name.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { visitCookieName } from '../../sandbox/referral/visits.ts'
import { answering, codeOf, type Fields } from './answers.ts'
import { type Defect, defect, perWorld } from './defect.ts'
import { fieldIn, type ServePage, serving, withField } from './pages.ts'
import { type AnyInput, altering, eachOf, handling } from './routes.ts'
import { withoutOrders } from './settlement.ts'

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
  defect('balance-is-of-all-partners', ['RPT-03'], {
    summary: 'The balance of a line of the ledger has the commissions that other partners had by then.',
    ...eachOf('me.commissions', 'entries', (line, { world, caller }) => {
      const others = world.db
        .prepare(
          'SELECT coalesce(sum(commission_cents), 0) FROM ledger_entries WHERE partner_id <> ? AND created_at < ?',
        )
        .pluck()
        .get(caller.partnerId, Date.parse(String(line['created_at'])))
      return { ...line, balance_cents: Number(line['balance_cents']) + Number(others) }
    }),
  }),
  defect('one-click-for-each-browser', ['LINK-03'], {
    summary: 'A browser that has followed one link is not counted at another one.',
    ...serving('tracking-link', (request, world, correct) => {
      const reply = correct(request, world)
      if (request.cookies.has(visitCookieName(world)))
        world.db.prepare('DELETE FROM clicks WHERE seq = (SELECT max(seq) FROM clicks)').run()
      return reply
    }),
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
  defect('statements-count-a-payment-once', ['SET-02'], {
    summary: 'Of the orders with one payment reference, a partner is settled one.',
    ...eachOf('settlements.list', 'settlements', (statement, input) => {
      const first = input.world.db
        .prepare(
          'SELECT min(seq) FROM orders WHERE external_payment_ref = (SELECT external_payment_ref FROM orders WHERE public_id = ?)',
        )
        .pluck()
      const isFirst = input.world.db.prepare(
        'SELECT 1 FROM orders WHERE public_id = ? AND (external_payment_ref IS NULL OR seq = ?)',
      )
      const repeated = (statement['orders'] as string[]).filter((id) => isFirst.get(id, first.get(id)) === undefined)
      return withoutOrders(statement, input, repeated)
    }),
  }),
  defect('floor-of-a-reserved-domain-is-null', ['INV-08'], {
    summary: 'A domain that another partner has reserved has no floor price.',
    ...altering('pricing', ({ domain }, { world, caller }) => {
      const others = world.db.prepare("SELECT 1 FROM quotes WHERE domain = ? AND partner_id <> ? AND state = 'open'")
      return others.get(domain, caller.partnerId) === undefined ? {} : { floor_price_cents: null }
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
  defect('settled-orders-are-listed-as-completed', ['ORD-07'], {
    summary: 'The list shows a settled order as TRANSFER_COMPLETED.',
    ...eachOf('orders.list', 'orders', (order) =>
      order['status'] === 'SETTLED' ? { ...order, status: 'TRANSFER_COMPLETED' } : order,
    ),
  }),
  defect('completions-without-a-reference-are-silent', ['STATE-06'], {
    summary: 'That the transfer of an order without a payment reference is completed is not in the history.',
    ...altering('events.list', ({ events }, { world }) => ({
      events: (events as Fields[]).filter((event) => {
        const { order } = event['data'] as { order?: Fields }
        if (event['type'] !== 'order.transfer_completed' || !order) return true
        const kept = world.db.prepare('SELECT external_payment_ref FROM orders WHERE public_id = ?').pluck()
        return kept.get(order['public_id']) !== null
      }),
    })),
  }),
]

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
