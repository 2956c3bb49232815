import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.ts'
import { didYouMean } from '../../contract/words.ts'
import type { WrittenMatch } from '../../operator-api/rows/faults.ts'
import { addFault, clearFaults, listFaults, removeFault } from '../../sandbox/app/faults/faults.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import { DOMAIN_NAMERS, ORDER_NAMERS } from '../../sandbox/wire/call-subject.ts'
import type { Fault, FaultMatch } from '../../sandbox/wire/fault.ts'
import { canonical } from '../../sandbox/wire/fields.ts'
import { quoted } from '../../sandbox/wire/validation.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import { presentEffect, readEffect } from '../fault-effect.ts'
import { problem } from '../problems.ts'
import { created, DONE, type HandlersOf, ok } from '../route.ts'

export const faultHandlers: HandlersOf<'faults'> = {
  'faults.list': ({ world }) => ok({ faults: listFaults(world).map((fault) => presentFault(world, fault)) }),
  'faults.add'({ world, body }) {
    const { probability, seed, times = 1 } = body
    if (probability === 0) throw problem('fault-never')
    if (seed !== undefined && probability === undefined) throw problem('fault-seed-alone')
    const fault = {
      match: readMatch(world, body.match ?? {}),
      effect: readEffect(body.effect),
      times,
      probability: probability ?? 1,
      seed: seed ?? world.chance.seed,
    }
    return created(presentFault(world, addFault(world, fault)))
  },
  'faults.remove'({ world, params }) {
    removeFault(world, params.id)
    return DONE
  },
  'faults.clear'({ world }) {
    clearFaults(world)
    return DONE
  },
}

/** A rule that could never act is a mistake of its author, and is refused. */
function readMatch(
  world: Environment,
  { endpoint, credential, key_id: keyId, domain, public_id: publicId }: WrittenMatch,
): FaultMatch {
  if (credential !== undefined && keyId !== undefined) throw problem('match-credential-twice')
  const named = credential ?? keyId
  const match = {
    endpoint: endpoint === undefined ? null : readEndpoint(endpoint),
    credential: named === undefined ? null : readCredential(world, named),
    domain: domain === undefined ? null : canonical(domain),
    publicId: publicId ?? null,
  }
  if (match.domain !== null) refuseNeverNaming('domain', match.endpoint, DOMAIN_NAMERS)
  if (publicId !== undefined) refuseNeverNaming('public_id', match.endpoint, ORDER_NAMERS)
  if (domain !== undefined && publicId !== undefined) throw problem('match-domain-and-order')
  if (publicId !== undefined && findOrder(world, publicId) === null) {
    throw problem('match-no-order', { value: quoted(publicId) })
  }
  return match
}

function readEndpoint(written: string): EndpointId {
  const found = ENDPOINT_IDS.find((known) => known === written)
  if (found) return found
  const near = didYouMean(written, ENDPOINT_IDS)
  const hint = near === '' ? `; there are ${ENDPOINT_IDS.join(', ')}` : near
  throw problem('match-no-endpoint', { value: quoted(written), hint })
}

function readCredential(world: Environment, written: string): number {
  const all = [...world.credentials.values()]
  const found = all.find(({ name, keyId }) => keyId === written || name === written)
  if (found) return found.id
  const names = all.map(({ name }) => name)
  throw problem('match-no-credential', { value: quoted(written), hint: didYouMean(written, names) })
}

function refuseNeverNaming(
  member: 'domain' | 'public_id',
  endpoint: EndpointId | null,
  namers: readonly EndpointId[],
): void {
  if (endpoint === null || namers.includes(endpoint)) return
  throw problem('match-never-named', { member, endpoint, namers: namers.join(', ') })
}

function presentFault(world: Environment, fault: Fault) {
  const { match, times, hits, probability } = fault
  const credential = [...world.credentials.values()].find(({ id }) => id === match.credential)
  return {
    id: fault.id,
    match: {
      endpoint: match.endpoint,
      credential: credential?.name ?? null,
      key_id: credential?.keyId ?? null,
      domain: match.domain,
      public_id: match.publicId,
    },
    effect: presentEffect(fault.effect),
    times,
    probability,
    seed: probability === 1 ? null : fault.seed,
    hits,
    left: times === null ? null : times - hits,
    last_request_id: fault.lastRequestId,
  }
}
