import { ENDPOINT_IDS } from '../../contract/endpoint-ids.ts'
import type { EndpointId } from '../../contract/endpoints.ts'
import { ApiError } from '../../contract/errors.ts'
import type { HmacKey } from '../../contract/signature.ts'
import { checkKey } from '../../sandbox/app/checks.ts'
import { findListing } from '../../sandbox/inventory/listings.ts'
import { fixedLoopbackKeys } from '../../sandbox/kernel/credentials.ts'
import type { Credential, World } from '../../sandbox/kernel/world.ts'
import { domainIn, type Fields } from './answers.ts'
import { type Defect, defect, type Tampered } from './defect.ts'
import { type AnyInput, type Handling, handling, type ListId, listing } from './routes.ts'
import { acceptsKeys, isElsewhere, mainPartnerOf } from './signature/authentication.ts'

/** The main key of the default world, on loopback. */
const DEFAULT_MAIN = `pk_sandbox_${fixedLoopbackKeys('key', 'main')}`

/** Mistakes about which environment answers: each has its own things, and all have one address. */
export const environmentDefects: readonly Defect[] = [
  defect('environment-ignored', ['CRED-02'], {
    summary: 'The default world answers every caller.',
    ...answeredByDefault(ENDPOINT_IDS),
  }),
  defect('environments-share-their-history', ['EVT-02'], {
    summary: 'The event history is that of the default world.',
    ...answeredByDefault(['events.list']),
  }),
  defect('secret-of-another-environment', ['CRED-02'], {
    summary: 'A signature made with a secret of another environment passes, if the server has seen its key before.',
    ...rememberingKeys(),
  }),
  defect('environments-share-their-statements', ['CRED-02'], {
    summary: 'Statements come from a cache that all environments share, where the own environment has none.',
    ...sharing('settlements.list', () => ''),
  }),
  defect('environments-share-their-payouts', ['CRED-02'], {
    summary: 'Payouts come from a cache that all environments share, where the own environment has none.',
    ...sharing('payouts.list', () => ''),
  }),
  defect('environments-share-their-searches', ['CRED-02'], {
    summary: 'What a search has found is kept for all environments that search for the same.',
    ...sharing('domains.search', ({ query }) => String(query['q'])),
  }),
  defect('domains-of-other-environments-are-sold', ['CRED-02'], {
    summary: 'An order finds its domain in the inventory of any environment.',
    ...reachingEverywhere(
      ['domains.search', 'orders.create'],
      ({ body, call }) => (call.endpoint === 'orders.create' ? String(body['domain']) : undefined),
      (world, name) => (findListing(world, domainIn({ domain: name })) ? mainPartnerOf(world) : undefined),
    ),
  }),
  ...(['me.sales', 'me.commissions'] as const).map((id) =>
    defect(`${id === 'me.sales' ? 'sales' : 'ledgers'}-are-those-of-all-environments`, ['CRED-02'], {
      summary: `In an environment without sales, the list of ${id} is that of another one.`,
      ...listingElsewhere(id),
    }),
  ),
  defect('names-that-another-environment-lacks-are-not-found', ['CRED-02'], {
    summary: 'A name that was not found is kept as such, for all environments.',
    ...handling('domains.detail', rememberingWhatIsMissing()),
  }),
]

function rememberingKeys(): Tampered {
  const keys = new Map<HmacKey, World>()
  return acceptsKeys(({ world, credential }) => {
    keys.set(credential.hmacKey, world)
    return [...keys].flatMap(([key, seenIn]) => (seenIn === world ? [] : [key]))
  })
}

/**
 * A server that looks for a thing that it does not find in the environments that it has seen before.
 *
 * @param nameIn what a call asks for, if it asks for such a thing; `ownerIn` says whose it is in a world, if it is there.
 */
function reachingEverywhere(
  ids: readonly EndpointId[],
  nameIn: (input: AnyInput) => string | undefined,
  ownerIn: (world: World, name: string) => string | undefined,
): Tampered {
  const worlds = new Set<World>()
  return handling(ids, (input, correct) => {
    const { world } = input
    worlds.add(world)
    const name = nameIn(input)
    const elsewhere =
      name !== undefined && isElsewhere(input.call) && ownerIn(world, name) === undefined
        ? [...worlds].find((other) => ownerIn(other, name) !== undefined)
        : undefined
    if (elsewhere === undefined) return correct(input)
    const partnerId = String(ownerIn(elsewhere, String(name)))
    return correct({ ...input, world: elsewhere, caller: { ...input.caller, partnerId } })
  })
}

/** A server that keeps what a list had, for all environments that ask for the same. */
function sharing(id: ListId, markOf: (input: AnyInput) => string): Tampered {
  const kept = new Map<string, Fields[]>()
  return listing(id, (items, input) => {
    if (items.length > 0) kept.set(markOf(input), items)
    return kept.get(markOf(input)) ?? items
  })
}

/** A server that accepts any caller with a good key for the main credential of its default world, at some of its endpoints. */
function answeredByDefault(ids: readonly EndpointId[]): Tampered {
  return {
    hooks: {
      checks: {
        key(call, find) {
          checkKey(call, find)
          const main = find(DEFAULT_MAIN)
          if (!main?.credential || call.world === main.world || call.endpoint === null || !ids.includes(call.endpoint))
            return
          const { hmacKey } = call.credential as Credential
          Object.assign(call, { world: main.world, credential: { ...main.credential, hmacKey } })
        },
      },
    },
  }
}

/** A server that has one list for all environments. */
function listingElsewhere(id: ListId): Tampered {
  const lists = new Map<World, Fields[]>()
  return listing(id, (items, { world }) => {
    if (items.length > (lists.get(world)?.length ?? 0)) lists.set(world, items)
    return items.length > 0 ? items : [...lists.values()].flat()
  })
}

/** Worlds are environments here, so that what is kept is of all. */
function rememberingWhatIsMissing(): Handling {
  const missing = new Set<unknown>()
  return (input, correct) => {
    const name = input.params['name']
    try {
      if (missing.has(name)) throw new ApiError('not_found', 'there is no such domain')
      return correct(input)
    } catch (error) {
      missing.add(name)
      throw error
    }
  }
}
