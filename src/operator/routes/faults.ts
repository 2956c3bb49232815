import { GAPS, type GapId } from '../../contract/choices.ts'
import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ERROR_CODES, ERRORS, type ErrorCode, MORE_EXACT } from '../../contract/errors.ts'
import { didYouMean } from '../../contract/words.ts'
import type { EFFECT_KINDS, WrittenEffect, WrittenMatch } from '../../operator-api/rows/faults.ts'
import type { Environment } from '../../sandbox/app/environment.ts'
import {
  addFault,
  clearFaults,
  DOMAIN_NAMERS,
  listFaults,
  ORDER_NAMERS,
  removeFault,
} from '../../sandbox/app/faults.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import type { CallEffect, CallMatch, Fault } from '../../sandbox/wire/fault.ts'
import { canonical } from '../../sandbox/wire/fields.ts'
import { quoted } from '../../sandbox/wire/validation.ts'
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
): CallMatch {
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

type Kind = CallEffect['kind']
type Member = Exclude<keyof WrittenEffect, 'kind'>

const EFFECT_OF: Record<Member, Kind> = {
  status: 'refuse',
  code: 'refuse',
  message: 'refuse',
  retry_after: 'refuse',
  retry_after_seconds: 'refuse',
  delay_ms: 'delay',
  drop: 'drop',
  garbage: 'garbage',
}

/** The effect that a name stands for, and what goes without saying then. */
const NAMED: Record<(typeof EFFECT_KINDS)[number], readonly [Kind, WrittenEffect]> = {
  status: ['refuse', {}],
  rate_limit: ['refuse', { code: 'rate_limited' }],
  delay: ['delay', {}],
  drop_before: ['drop', { drop: 'before-commit' }],
  drop_after_commit: ['drop', { drop: 'after-commit' }],
  garbage: ['garbage', { garbage: true }],
}

/**
 * Reads an effect.
 *
 * @throws Problem 400 where it is none, more than one, or a code with a status that it never has.
 * @example readEffect({ drop: 'after-commit' }) // { kind: 'drop', when: 'after-commit' }
 */
function readEffect({ kind: name, ...said }: WrittenEffect): CallEffect {
  const [named, implied] = name ? NAMED[name] : [undefined, {}]
  const kind = onlyKindOf(said, named)
  const written = { ...implied, ...said }
  if (name && kind !== 'garbage') refuseContradiction(written, implied, name)
  if (kind === 'refuse') return readRefusal(written)
  if (kind === 'delay' && written.delay_ms !== undefined) return { kind, delayMs: written.delay_ms }
  if (kind === 'drop' && written.drop !== undefined) return { kind, when: written.drop }
  if (kind === 'garbage' && written.garbage) {
    return { kind, garbage: written.garbage === true ? 'truncated' : written.garbage }
  }
  throw problem(kind === 'garbage' ? 'effect-garbage-false' : 'effect-delay-missing')
}

function onlyKindOf(said: WrittenEffect, named: Kind | undefined): Kind {
  const members = Object.keys(said) as Member[]
  const kinds = new Set([...(named ? [named] : []), ...members.map((member) => EFFECT_OF[member])])
  const [kind] = kinds
  if (kind === undefined || kinds.size > 1) throw problem('effect-not-one')
  return kind
}

function refuseContradiction(written: WrittenEffect, implied: WrittenEffect, kind: string): void {
  for (const [member, value] of Object.entries(implied)) {
    if (written[member as Member] !== value) throw problem('effect-contradiction', { member, kind })
  }
}

function readRefusal({ status, code: saidCode, message, ...rest }: WrittenEffect): CallEffect {
  const code = saidCode ?? onlyCodeWith(status)
  const legal = legalStatuses(code)
  if (status !== undefined && !legal.includes(status)) {
    throw problem('effect-status-illegal', { legal: legal.join(' or '), code, status })
  }
  if (code === 'internal_error' && message !== undefined) throw problem('effect-message-unsaid')
  return {
    kind: 'refuse',
    code,
    status: status ?? null,
    message: message ?? null,
    retryAfterSeconds: retryAfterOf(code, rest),
  }
}

function onlyCodeWith(status: number | undefined): ErrorCode {
  if (status === undefined) throw problem('effect-code-missing')
  // The codes whose status the document gives, or HTTP, as this one.
  const codes = ERROR_CODES.filter((code) => ERRORS[code].status === status || MORE_EXACT[code]?.includes(status))
  if (codes.length === 1) return codes[0] as ErrorCode
  const hint =
    codes.length === 0
      ? 'no code of the API has it; say effect.code'
      : `say which as effect.code: ${codes.join(' or ')}`
  throw problem('effect-code-open', { status, hint })
}

/** A 429 always says how long to wait (ERR-03). */
function retryAfterOf(code: ErrorCode, { retry_after, retry_after_seconds }: WrittenEffect): number | null {
  if (retry_after !== undefined && retry_after_seconds !== undefined) throw problem('effect-retry-after-twice')
  const said = retry_after ?? retry_after_seconds
  if (code === 'rate_limited') return said ?? 1
  if (said !== undefined) throw problem('effect-retry-after-alone', { code })
  return null
}

/** An effect as it is shown; it can be sent back like that. */
function presentEffect(effect: CallEffect): WrittenEffect {
  if (effect.kind === 'delay') return { kind: 'delay', delay_ms: effect.delayMs }
  if (effect.kind === 'garbage') return { kind: 'garbage', garbage: effect.garbage }
  if (effect.kind === 'drop') {
    return { kind: effect.when === 'after-commit' ? 'drop_after_commit' : 'drop_before', drop: effect.when }
  }
  return {
    kind: effect.code === 'rate_limited' ? 'rate_limit' : 'status',
    code: effect.code,
    ...(effect.status !== null && { status: effect.status }),
    ...(effect.message !== null && { message: effect.message }),
    ...(effect.retryAfterSeconds !== null && { retry_after_seconds: effect.retryAfterSeconds }),
  }
}

/** Every status that a code may be answered with: the document's, or where it gives none the values of its open point. */
function legalStatuses(code: ErrorCode): readonly number[] {
  const row: { status: number | null; gap?: GapId } = ERRORS[code]
  const usual = row.status === null ? (GAPS[row.gap as GapId].values as readonly number[]) : [row.status]
  return [...usual, ...(MORE_EXACT[code] ?? [])]
}
