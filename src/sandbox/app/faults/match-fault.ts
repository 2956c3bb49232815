import { hash } from 'node:crypto'
import type { EndpointId } from '../../../contract/endpoints.ts'
import { type Db, statement } from '../../../storage/db.ts'
import { Chance } from '../../kernel/chance.ts'
import type { Credential, World } from '../../kernel/world.ts'
import { type CallMatch, type Fault, type FaultStage, stageOf } from '../../wire/fault.ts'
import { FAULT_COLUMNS, type FaultRow, toFault } from './faults.ts'

/** A call that is allowed, as far as faults look at it. */
interface AllowedCall {
  readonly requestId: string
  readonly endpoint: EndpointId
  readonly credential: Pick<Credential, 'id' | 'name'>
  /** The normalized name that it names. */
  readonly domain: string | null
  readonly publicId: string | null
  /** What it is about: the same for every try of one thing that a client wants. */
  readonly subject: string
}

/**
 * The first rule that acts on a call now, counted. Call it in the call's transaction and outside of its savepoint: that
 * a rule has acted outlives the refusal by which it acted. Ask only where the world may have rules.
 */
export function matchFault(world: World, stage: FaultStage, call: AllowedCall): Fault | null {
  for (const fault of liveFaults(world.db, call.endpoint, call.credential.id)) {
    if (stageOf(fault.effect) !== stage || !fits(fault.match, call) || !isDrawn(world, fault, call)) continue
    countHit(world.db, fault.id, call.requestId)
    return fault
  }
  return null
}

/** The endpoint and the credential were asked for in SQL. */
function fits({ domain, publicId }: CallMatch, call: AllowedCall): boolean {
  return (domain === null || domain === call.domain) && (publicId === null || publicId === call.publicId)
}

const DRAW_BYTES = 6

/**
 * A draw is a function of the seed, of what the rule says, of the operation and of how often that has been tried, and of
 * nothing else: calls running side by side do not shift each other's, and a retry draws again. The Idempotency-Key is no
 * part of it, because clients make a new one in every run.
 */
function isDrawn(world: World, { id, match, effect, probability, seed }: Fault, call: AllowedCall): boolean {
  if (probability === 1) return true
  const operation = hash('sha256', JSON.stringify([call.endpoint, call.credential.name, call.subject]), 'base64url')
  const key = [JSON.stringify([match, effect]), operation, nextDraw(world.db, id, operation)].join('\0')
  const drawn = new Chance(seed).bytes('fault', key).readUIntBE(0, DRAW_BYTES)
  return drawn < probability * 256 ** DRAW_BYTES
}

/** Those that may still act on calls of a credential to an endpoint, in the order they were made. */
function liveFaults(db: Db, endpoint: EndpointId, credential: number): Fault[] {
  const rows = statement<FaultRow>(
    db,
    `SELECT ${FAULT_COLUMNS} FROM faults
     WHERE (times IS NULL OR hits < times) AND (endpoint IS NULL OR endpoint = ?) AND (credential IS NULL OR credential = ?)
     ORDER BY seq`,
  ).all(endpoint, credential)
  return rows.map(toFault)
}

function countHit(db: Db, id: string, requestId: string): void {
  statement(db, 'UPDATE faults SET hits = hits + 1, last_request_id = ? WHERE fault_id = ?').run(requestId, id)
}

/** Which draw this is for one operation under one rule, counting from 1. */
function nextDraw(db: Db, id: string, operation: string): number {
  return statement(
    db,
    `INSERT INTO fault_draws (fault_id, operation, draws) VALUES (?, ?, 1)
     ON CONFLICT (fault_id, operation) DO UPDATE SET draws = draws + 1 RETURNING draws`,
  )
    .pluck()
    .get(id, operation) as number
}
