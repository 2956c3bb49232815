import type { EndpointId } from '../../../contract/endpoint-ids.ts'
import { recordEvent } from '../../../sandbox/events/events.ts'
import type { Credential, World } from '../../../sandbox/kernel/world.ts'
import type { Reply } from '../../../sandbox/wire/route.ts'
import type { Fields } from '../answers.ts'
import { type Defect, defect, type Tampered } from '../defect.ts'
import { type AnyInput, handling, itemsOf, listing, type RouteHandler } from '../routes.ts'

/** Mistakes of a service that keeps something by its name or id alone, so that one environment meets what another has. */
export const environmentDefects: readonly Defect[] = [
  defect('refunds-reach-other-environments', ['CRED-02'], {
    summary: 'An order is refunded at the request of a key of another environment.',
    ...knowingHomes('orders.create', 'public_id', 'refunds.create', (input, correct, home) => {
      const { world, caller } = home
      return world.commits.commitNow(() => correct({ ...input, world, caller }))
    }),
  }),
  defect('quotes-are-taken-by-orders-of-other-environments', ['CRED-02'], {
    summary: 'A quote is over once an order of another environment has named it.',
    ...knowingHomes('quotes.create', 'quote_id', 'orders.create', (input, correct, { world }) => {
      const seq = world.chance.numberOf('quote', String(input.body['quote_id']))
      const ending = world.db.prepare("UPDATE quotes SET state = 'expired' WHERE seq = ?")
      world.commits.commitNow(() => ending.run(seq))
      return correct(input)
    }),
  }),
  defect('cases-count-in-all-environments', ['CRED-02'], {
    summary: 'A domain that is in a case in one environment cannot be brokered in another one.',
    ...knowingHomes('brokerage.create', 'domain', 'brokerage.eligibility', (input, correct) => {
      const reply = correct(input)
      return { ...reply, body: { ...(reply.body as Fields), eligible: false, reason: 'in_case' } }
    }),
  }),
  ...(
    [
      ['sales', 'me.sales', 'sales'],
      ['ledgers', 'me.commissions', 'entries'],
    ] as const
  ).map(([which, id, name]) =>
    defect(`${which}-are-those-of-all-environments`, ['CRED-02'], {
      summary: `In an environment without sales, the list of ${id} is that of another one.`,
      ...listingElsewhere(id, name),
    }),
  ),
  defect('events-behind-one-of-another-environment-are-shown', ['EVT-02'], {
    summary: 'A history that is read behind an event of another environment is that of the other one.',
    ...readingBehind(),
  }),
  defect('events-go-to-the-webhooks-of-all-environments', ['CRED-02'], {
    summary: 'An order makes an event for the webhooks of all environments that have registered one.',
    ...tellingEverywhere(),
  }),
  defect('cursors-name-their-environment', ['CRED-02'], {
    summary: 'A cursor leads on in the environment that it came from, whatever key sends it.',
    ...leadingOnFor((home, { world }) => home.world !== world),
  }),
  defect('cursors-name-their-partner', ['ORD-06'], {
    summary: 'A cursor leads on in the list of the partner that it was given to, whatever key sends it.',
    ...leadingOnFor((home, { world, caller }) => home.world === world && home.caller.partnerId !== caller.partnerId),
  }),
]

/** Where something was made, and by whom. */
interface Home {
  readonly world: World
  readonly caller: Credential
}

/** A server that knows things by a name which is the same in all environments: `use` meets one of another environment. */
function knowingHomes(
  makes: EndpointId,
  name: string,
  uses: EndpointId,
  use: (input: AnyInput, correct: RouteHandler, home: Home) => Reply,
): Tampered {
  const homes = new Map<unknown, Home>()
  return handling([makes, uses], (input, correct) => {
    const { world, caller, call, body, query } = input
    if (call.endpoint === uses) {
      const home = homes.get(body?.[name] ?? query?.[name])
      return home !== undefined && home.world !== world ? use(input, correct, home) : correct(input)
    }
    const reply = correct(input)
    homes.set((reply.body as Fields)[name], { world, caller })
    return reply
  })
}

/** A server that has one list for all environments. */
function listingElsewhere(id: EndpointId, name: string): Tampered {
  const lists = new Map<World, Fields[]>()
  return listing(id, name, (items, { world }) => {
    if (items.length > (lists.get(world)?.length ?? 0)) lists.set(world, items)
    return items.length > 0 ? items : [...lists.values()].flat()
  })
}

function tellingEverywhere(): Tampered {
  const hooks = new Map<World, string>()
  return handling(['webhooks.put', 'orders.create'], (input, correct) => {
    const { world, caller, call } = input
    const reply = correct(input)
    if (call.endpoint === 'webhooks.put') {
      hooks.set(world, caller.partnerId)
      return reply
    }
    const { public_id, domain, status, sale_price_cents, currency } = reply.body as Fields
    const order = { public_id, domain, status, sale_price_cents, currency }
    for (const [other, partnerId] of hooks)
      if (other !== world)
        other.commits.commitNow(() => recordEvent(other, { partnerId, type: 'order.recorded', data: { order } }))
    return reply
  })
}

function readingBehind(): Tampered {
  const homes = new Map<unknown, Home>()
  return handling('events.list', (input, correct) => {
    const { world, caller, query } = input
    const home = homes.get(query['after_id'])
    if (home !== undefined && home.world !== world) return correct({ ...input, ...home })
    const reply = correct(input)
    for (const { id } of itemsOf(reply.body as Fields, 'events')) homes.set(id, { world, caller })
    return reply
  })
}

/** A server whose cursors of orders say whose list they lead on in; `obeys` says when it looks at that. */
function leadingOnFor(obeys: (home: Home, input: AnyInput) => boolean): Tampered {
  const homes: Home[] = []
  return handling('orders.list', (input, correct) => {
    const { world, caller, query } = input
    const [cursor, mark] = String(query['cursor'] ?? '').split('~')
    const home = homes[Number(mark)]
    const own = cursor ? { ...input, query: { ...query, cursor } } : input
    const { body, ...reply } = correct(home && obeys(home, input) ? { ...own, ...home } : own)
    const { next_cursor: next, ...page } = body as Fields
    homes.push({ world, caller })
    return { ...reply, body: { ...page, next_cursor: next === null ? null : `${next}~${homes.length - 1}` } }
  })
}
