import type { EndpointId } from '../../../contract/endpoint-ids.ts'
import type { Credential, World } from '../../../sandbox/kernel/world.ts'
import type { Fields } from '../answers.ts'
import { type Defect, defect, type Tampered } from '../defect.ts'
import { type AnyInput, handling, listing } from '../routes.ts'

/** Mistakes of a service that keeps something by its name or id alone, so that one environment meets what another has. */
export const environmentDefects: readonly Defect[] = [
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

/** A server that has one list for all environments. */
function listingElsewhere(id: EndpointId, name: string): Tampered {
  const lists = new Map<World, Fields[]>()
  return listing(id, name, (items, { world }) => {
    if (items.length > (lists.get(world)?.length ?? 0)) lists.set(world, items)
    return items.length > 0 ? items : [...lists.values()].flat()
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
