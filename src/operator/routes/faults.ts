import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.ts'
import { id, integer, nullable, number, type ObjectOf, object, optional, text } from '../../contract/schema.ts'
import { didYouMean } from '../../contract/words.ts'
import { addFault, clearFaults, listFaults, removeFault } from '../../sandbox/app/faults/faults.ts'
import { normaliseDomain } from '../../sandbox/kernel/domain-name.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import { DOMAIN_NAMERS, ORDER_NAMERS } from '../../sandbox/wire/call-subject.ts'
import { FAULT_LIMITS, type Fault, type FaultMatch } from '../../sandbox/wire/fault.ts'
import { quoted } from '../../sandbox/wire/validation.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import { presentEffect, readEffect, writtenEffect } from '../fault-effect.ts'
import { Problem } from '../problem.ts'
import { created, DONE, ok, worldRoute } from '../route.ts'

const matchMembers = {
  endpoint: optional(text({ maxLength: 64 })),
  credential: optional(text({ maxLength: 128 })),
  key_id: optional(text({ maxLength: 128 })),
  domain: optional(text({ format: 'domain', maxLength: 255 })),
  public_id: optional(id('order')),
}

type WrittenMatch = ObjectOf<typeof matchMembers>

const list = worldRoute('GET', '/faults', {
  summary:
    'The rules by which calls go wrong on purpose, in the order they are asked: `faults`, with `hits` and `left`.',
  handle: ({ world }) => ok({ faults: listFaults(world).map((fault) => presentFault(world, fault)) }),
})

const add = worldRoute('POST', '/faults', {
  summary:
    'Adds a rule: 201 with it. `match` takes `endpoint`, `credential` (name or key id), `domain`, `public_id`, and all must fit; `effect` is one of `status` or `code`, `delay_ms`, `drop`, `garbage`; `times` is 1 unless said otherwise, null for ever.',
  body: object({
    match: optional(object(matchMembers)),
    effect: writtenEffect,
    times: optional(nullable(integer({ minimum: 1, maximum: FAULT_LIMITS.times }))),
    probability: optional(number({ minimum: 0, maximum: 1 })),
    seed: optional(text({ format: 'plain', minLength: 1, maxLength: 200 })),
  }),
  handle({ world, body }) {
    const { probability, seed, times = 1 } = body
    if (probability === 0) throw new Problem(400, 'probability must be more than 0: such a fault would do nothing')
    if (seed !== undefined && probability === undefined)
      throw new Problem(400, 'seed goes with probability: nothing is drawn without one')
    const fault = {
      match: readMatch(world, body.match ?? {}),
      effect: readEffect(body.effect),
      times,
      probability: probability ?? 1,
      seed: seed ?? world.chance.seed,
    }
    return created(presentFault(world, addFault(world, fault)))
  },
})

const remove = worldRoute('DELETE', '/faults/{id}', {
  summary: 'Removes a rule: 204.',
  handle({ world, params }) {
    removeFault(world, params['id'] ?? '')
    return DONE
  },
})

const clear = worldRoute('DELETE', '/faults', {
  summary: 'Removes all rules: 204.',
  handle({ world }) {
    clearFaults(world)
    return DONE
  },
})

/** A rule that could never act is a mistake of whoever wrote it, and is told. */
function readMatch(
  world: Environment,
  { endpoint, credential, key_id: keyId, domain, public_id: publicId }: WrittenMatch,
): FaultMatch {
  if (credential !== undefined && keyId !== undefined) {
    throw new Problem(400, 'match.credential takes a name or a key id; give it or match.key_id')
  }
  const named = credential ?? keyId
  const match = {
    endpoint: endpoint === undefined ? null : readEndpoint(endpoint),
    credential: named === undefined ? null : readCredential(world, named),
    domain: domain === undefined ? null : (normaliseDomain(domain) as string),
    publicId: publicId ?? null,
  }
  if (match.domain !== null) refuseNeverNaming('domain', match.endpoint, DOMAIN_NAMERS)
  if (publicId !== undefined) refuseNeverNaming('public_id', match.endpoint, ORDER_NAMERS)
  if (domain !== undefined && publicId !== undefined) {
    throw new Problem(400, 'match.domain and match.public_id exclude each other: no call names both')
  }
  if (publicId !== undefined && findOrder(world, publicId) === null) {
    throw new Problem(400, `match.public_id: there is no order ${quoted(publicId)}`)
  }
  return match
}

function readEndpoint(written: string): EndpointId {
  const found = ENDPOINT_IDS.find((known) => known === written)
  if (found) return found
  const near = didYouMean(written, ENDPOINT_IDS)
  const hint = near === '' ? `; there are ${ENDPOINT_IDS.join(', ')}` : near
  throw new Problem(400, `match.endpoint: there is no endpoint ${quoted(written)}${hint}`)
}

function readCredential(world: Environment, written: string): number {
  const all = [...world.credentials.values()]
  const found = all.find(({ name, keyId }) => keyId === written || name === written)
  if (found) return found.id
  const names = all.map(({ name }) => name)
  throw new Problem(
    400,
    `match.credential: there is no credential ${quoted(written)} in this world${didYouMean(written, names)}`,
  )
}

function refuseNeverNaming(
  member: 'domain' | 'public_id',
  endpoint: EndpointId | null,
  namers: readonly EndpointId[],
): void {
  if (endpoint === null || namers.includes(endpoint)) return
  throw new Problem(400, `match.${member}: no call to ${endpoint} names one; these do: ${namers.join(', ')}`)
}

function presentFault(
  world: Environment,
  { id: faultId, match, effect, times, probability, seed, hits, lastRequestId }: Fault,
) {
  const credential = [...world.credentials.values()].find(({ id: row }) => row === match.credential)
  return {
    id: faultId,
    match: {
      endpoint: match.endpoint,
      credential: credential?.name ?? null,
      key_id: credential?.keyId ?? null,
      domain: match.domain,
      public_id: match.publicId,
    },
    effect: presentEffect(effect),
    times,
    probability,
    seed: probability === 1 ? null : seed,
    hits,
    left: times === null ? null : times - hits,
    last_request_id: lastRequestId,
  }
}

export const faultRoutes = [list, add, remove, clear]
