import { hash } from 'node:crypto'
import type { EndpointId } from '../../../contract/endpoints.ts'
import { Chance } from '../../kernel/chance.ts'
import type { Credential, World } from '../../kernel/world.ts'
import { type Fault, type FaultMatch, type FaultStage, stageOf } from '../../wire/fault.ts'
import * as store from './store.ts'

/** A call that is allowed, as far as faults look at it. */
interface AllowedCall {
  readonly requestId: string
  readonly endpoint: EndpointId
  readonly credential: Pick<Credential, 'id' | 'name'>
  /** The normalised name that it names. */
  readonly domain: string | null
  readonly publicId: string | null
  /** What it is about, in whatever words: the same for every try of one thing that a client wants. */
  readonly subject: string
}

/**
 * The first rule that acts on a call now, counted. Call it in the call's transaction and outside of its savepoint: that
 * a rule has acted outlives the refusal by which it acted. Ask only where the world may have rules.
 */
export function matchFault(world: World, stage: FaultStage, call: AllowedCall): Fault | null {
  for (const fault of store.selectLiveFaults(world.db, call.endpoint, call.credential.id)) {
    if (stageOf(fault.effect) !== stage || !fits(fault.match, call) || !isDrawn(world, fault, call)) continue
    store.countHit(world.db, fault.id, call.requestId)
    return fault
  }
  return null
}

/** The endpoint and the credential were asked for in SQL. */
function fits({ domain, publicId }: FaultMatch, call: AllowedCall): boolean {
  return (domain === null || domain === call.domain) && (publicId === null || publicId === call.publicId)
}

const DRAW_BYTES = 6

/**
 * A draw is a function of the seed, of what the rule says, of the operation and of how often that has been tried, and of
 * nothing else: calls running side by side do not shift each other's, and a retry draws anew. The Idempotency-Key is no
 * part of it, because clients make a new one in every run.
 */
function isDrawn(world: World, { id, match, effect, probability, seed }: Fault, call: AllowedCall): boolean {
  if (probability === 1) return true
  const operation = hash('sha256', JSON.stringify([call.endpoint, call.credential.name, call.subject]), 'base64url')
  const key = [JSON.stringify([match, effect]), operation, store.nextDraw(world.db, id, operation)].join('\0')
  const drawn = new Chance(seed).bytes('fault', key).readUIntBE(0, DRAW_BYTES)
  return drawn < probability * 256 ** DRAW_BYTES
}
