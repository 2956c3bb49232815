import type { EndpointId } from '../../../contract/endpoint-ids.ts'
import type { ErrorCode } from '../../../contract/errors.ts'
import { checkNonce } from '../../../sandbox/app/checks.ts'
import { recordEvent } from '../../../sandbox/events/events.ts'
import type { World } from '../../../sandbox/kernel/world.ts'
import { orderFacts } from '../../../sandbox/sales/order-steps.ts'
import { findOrder } from '../../../sandbox/sales/orders.ts'
import { ok } from '../../../sandbox/wire/route.ts'
import { answeringWhere, codeOf, type Fields, orderIn, refusalsOf } from '../answers.ts'
import { type Defect, defect, perWorld, type Tampered } from '../defect.ts'
import { readable, tellOfRefused } from '../orders.ts'
import { type AnyInput, eachOf, handling, keeping, listing, refusingLater, refusingTooLate } from '../routes.ts'
import { withoutOrders } from '../settlement.ts'

type Show = (items: Fields[], input: AnyInput, isRefused: (id: unknown) => boolean) => readonly unknown[]

/** Mistakes by which one list shows what was refused, cancelled or too late. */
export const traceDefects: readonly Defect[] = [
  defect('statements-lack-orders-whose-refund-was-refused', ['SET-02'], {
    summary: 'An order whose refund was refused is in no statement.',
    ...showingRefusedRefunds('settlements.list', 'settlements', (statements, input, isRefused) =>
      statements.map((one) => withoutOrders(one, input, (one['orders'] as string[]).filter(isRefused))),
    ),
  }),
  defect('hosted-sales-lose-their-commission-to-a-refused-refund', ['REF-03'], {
    summary: 'A hosted sale whose refund was refused has no commission among the transactions.',
    ...showingRefusedRefunds('transactions.list', 'transactions', (sales, { world }, isRefused) =>
      sales.map((sale) => {
        const id = sale['public_id']
        return isRefused(id) && isHosted(world, id) ? { ...sale, commission_cents: 0 } : sale
      }),
    ),
  }),
  defect('refused-refunds-are-reversed-in-the-ledger', ['REF-03'], {
    summary: 'The ledger has a reversed line for a sale whose refund was refused.',
    ...showingRefusedRefunds('me.commissions', 'entries', (entries, _, isRefused) =>
      entries.flatMap((entry) =>
        isRefused(entry['public_id']) ? [entry, { ...entry, kind: 'reversed', amount_cents: 0 }] : [entry],
      ),
    ),
  }),
  defect('refused-refunds-are-taken-from-their-link', ['REF-03'], {
    summary: 'A sale whose refund was refused does not count for its link.',
    ...showingRefusedRefunds('links.list', 'links', (links, { world }, isRefused) =>
      links.map((link) => {
        const ids = world.db.prepare('SELECT public_id FROM orders WHERE link_id = ?').pluck().all(link['link_id'])
        return { ...link, sales: Number(link['sales']) - ids.filter(isRefused).length }
      }),
    ),
  }),
  defect('refused-cases-are-listed', ['BRK-03'], {
    summary: 'A case that is refused as malformed is in the list of cases.',
    ...listingRefusedCases(),
  }),
  ...(
    [
      ['cancelled', 'CHK-03', "state = 'cancelled'", 'cancelled by its buyer'],
      ['late', 'CHK-02', "state = 'expired'", 'over'],
      ['unpaid', 'CHK-02', "state = 'open' AND link_id IS NULL", 'open'],
    ] as const
  ).map(([which, requirement, where, words]) =>
    defect(`${which}-sessions-are-orders`, [requirement], {
      summary: `The list of orders has a checkout session that is ${words}.`,
      ...listing('orders.list', 'orders', (orders, { world, caller, query }) => {
        const sql = `SELECT domain FROM checkout_sessions WHERE ${where} AND partner_id = ? AND domain = ?`
        const domains = world.db.prepare(sql).pluck().all(caller.partnerId, query['domain'])
        const facts = { status: 'TRANSFER_IN_PROGRESS', sale_price_cents: 100, currency: 'USD' }
        return [...orders, ...domains.map((domain) => ({ public_id: `ord_${which}`, domain, ...facts }))]
      }),
    }),
  ),
  defect('orders-with-a-used-nonce-are-recorded', ['NONCE-02'], {
    summary: 'An order with a used nonce is refused after it was recorded.',
    ...refusingTooLate('orders.create', 'nonce', checkNonce),
  }),
  defect('conflicts-are-transactions', ['IDEM-03'], {
    summary: 'An order that is refused for its key is among the transactions.',
    ...listingRefused('conflict'),
  }),
  defect('conflicts-are-listed', ['IDEM-03'], {
    summary: 'An order that is refused for its key is in the list of orders.',
    ...listingRefused('conflict', 'orders.list', 'orders'),
  }),
  defect('orders-with-a-late-quote-are-transactions', ['QUOTE-03'], {
    summary: 'An order that is refused for its expired quote is among the transactions.',
    ...listingRefused('quote_expired'),
  }),
  defect('mismatches-are-delivered', ['ORD-03'], {
    summary: 'An order that is refused for its price is delivered to the webhook, and in no history.',
    ...hiding(
      answeringWhere(refusalsOf('orders.create', 'price_mismatch'), (answer, call) => {
        tellOfRefused(call)
        return answer
      }),
    ),
  }),
  defect('late-refunds-are-delivered', ['REF-02'], {
    summary: 'A refund that comes too late is delivered to the webhook, and in no history.',
    ...hiding(
      refusingLater('refunds.create', 'conflict', ({ world, body }) => {
        const order = findOrder(world, String(body['public_id']))
        if (order?.status === 'SETTLED')
          recordEvent(world, {
            partnerId: order.partnerId,
            type: 'order.refunded',
            data: { order: { ...orderFacts(order), currency: HIDDEN } },
          })
        return ok({})
      }),
    ),
  }),
  defect('links-count-cancelled-sessions', ['LINK-03'], {
    summary: 'The sales of a link include visitors who have cancelled.',
    ...eachOf('links.list', 'links', (link, { world }) => {
      const cancelled = "SELECT count(*) FROM checkout_sessions WHERE state = 'cancelled' AND domain = ?"
      const count = world.db.prepare(cancelled).pluck().get(link['domain'])
      return { ...link, sales: Number(link['sales']) + Number(count) }
    }),
  }),
  defect('sales-include-cancelled-sessions', ['LINK-03'], {
    summary: 'The attributed sales include those of visitors who have cancelled.',
    ...listing('me.sales', 'sales', (sales, { world, caller }) => {
      const sql = `SELECT domain, links.link_id FROM checkout_sessions JOIN links USING (partner_id, domain)
        WHERE state = 'cancelled' AND partner_id = ?`
      const cancelled = world.db.prepare(sql).all(caller.partnerId) as Fields[]
      const facts = { public_id: 'ord_cancelled', buyer: { email: 'visitor@example.com', country: null } }
      return [...sales, ...cancelled.map((one) => ({ ...facts, ...one, amount_cents: 100, commission_cents: 20 }))]
    }),
  }),
]

/** Marks an event that only deliveries show. */
const HIDDEN = 'XTS'

/** A server whose history lacks events of orders that there are not, and those that are marked. */
function hiding({ hooks }: Tampered): Tampered {
  const shown = keeping('events.list', 'events', (event, { world }) => {
    const order = orderIn(event)
    return (
      order === undefined || (order['currency'] !== HIDDEN && findOrder(world, String(order['public_id'])) !== null)
    )
  })
  return { hooks: { ...hooks, routes: { ...hooks?.routes, ...shown.hooks?.routes } } }
}

/** A server that has a sale, or an order, for each order that it refuses with a code. */
function listingRefused(
  code: ErrorCode,
  list: 'transactions.list' | 'orders.list' = 'transactions.list',
  name = 'transactions',
): Tampered {
  const refused = perWorld((): Fields[] => [])
  const listed = listing(list, name, (rows, { world, query }) => [
    ...rows,
    ...refused(world).filter(({ domain }) => query['domain'] === undefined || query['domain'] === domain),
  ])
  const noted = answeringWhere(refusalsOf('orders.create', code), (answer, { world, body }) => {
    const { domain } = readable(body)
    const facts = { sale_price_cents: 0, commission_cents: 0, currency: 'USD', status: 'EXTERNALLY_PAID' }
    if (world !== null)
      refused(world).push({
        ...{ transaction_id: `txn_${refused(world).length}`, public_id: `ord_${code}`, domain, ...facts },
        ...{ payment_model: 'partner_collected', created_at: new Date(world.clock.nowMs()).toISOString() },
      })
    return answer
  })
  return { hooks: { ...listed.hooks, ...noted.hooks } }
}

/** A server that remembers for which orders it has refused a refund, and shows it in a list. */
function showingRefusedRefunds(list: EndpointId, name: string, show: Show): Tampered {
  const refused = perWorld(() => new Set<unknown>())
  const shown = listing(list, name, (items, input) => show(items, input, (id) => refused(input.world).has(id)))
  const noted = handling('refunds.create', (input, correct) => {
    try {
      return correct(input)
    } catch (error) {
      const id = input.body['public_id']
      if (findOrder(input.world, String(id))?.partnerId === input.caller.partnerId) refused(input.world).add(id)
      throw error
    }
  })
  return { hooks: { routes: { ...shown.hooks?.routes, ...noted.hooks?.routes } } }
}

function isHosted(world: World, id: unknown): boolean {
  return findOrder(world, String(id))?.paymentModel === 'hosted_checkout'
}

function listingRefusedCases(): Tampered {
  const refused = perWorld((): Fields[] => [])
  const listed = listing('brokerage.list', 'cases', (cases, { world, caller }) => [
    ...cases,
    ...refused(world).filter((one) => one['partner'] === caller.partnerId),
  ])
  const noted = answeringWhere(
    (answer, call) => call.endpoint === 'brokerage.create' && codeOf(answer) === 'validation_error',
    (answer, { world, credential, body }) => {
      const { domain, buyer_email } = readable(body)
      if (world !== null && typeof domain === 'string')
        refused(world).push({ case_id: 'brk_refused', domain, buyer_email, partner: credential?.partnerId })
      return answer
    },
  )
  return { hooks: { ...listed.hooks, ...noted.hooks } }
}
