import { hash } from 'node:crypto'
import { canonicalQuery, hasUnsignedBody } from '../../contract/canonical-string.ts'
import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import type { Subject } from '../../contract/endpoints/endpoint.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import type { Grounds, Remedy } from '../../contract/grounds.ts'
import { HEADERS } from '../../contract/headers.ts'
import { FAULT_LIMITS } from '../../contract/limits.ts'
import { counted } from '../../contract/words.ts'
import type { Db } from '../../storage/db.ts'
import { actOnce, type MagicKind, magicKind } from '../inventory/magic.ts'
import { seededBytes } from '../kernel/chance.ts'
import { normalizeDomain } from '../kernel/domain-name.ts'
import type { World } from '../kernel/world.ts'
import type { AuthenticatedCall, Call } from '../wire/call.ts'
import { BLAND } from '../wire/error-answer.ts'
import {
  type CallEffect,
  type CallMatch,
  type Fault,
  type FaultRule,
  type FaultStage,
  type GarbageKind,
  stageOf,
} from '../wire/fault.ts'
import { jsonObjectOf } from '../wire/json-body.ts'
import type { Answer } from '../wire/route.ts'

/** Something that goes wrong with a call on purpose, by a fault of the operator or by a magic name. */
interface InjectedFault {
  readonly effect: CallEffect
  readonly detail: string
  readonly id?: string
}

/**
 * Applies what is to go wrong with a call before it is served: one thing at most, and a fault of the operator before a
 * magic name. Call it where the call is allowed already, so that no check of authentication, nonce, rate limit or scope is
 * weakened, and outside of its savepoint: that something has acted outlives the refusal by which it did.
 *
 * @throws ApiError where the fault is a refusal.
 */
export function faultBefore(call: AuthenticatedCall): void {
  if (call.endpoint === null) return
  const fault = operatorFault(call, call.endpoint, 'before') ?? magicFault(call, 'before')
  if (fault) apply(call, fault)
}

/**
 * Applies what is to go wrong with the answer of a call that succeeded, unless something has gone wrong already. Call it
 * inside of the call's savepoint: where it breaks, the call is undone.
 */
export function faultAfter(call: AuthenticatedCall, answer: Answer): Answer {
  if (call.endpoint === null || answer.status >= 300 || call.departure.kind !== 'prompt') return answer
  const isNewOrder =
    ENDPOINTS[call.endpoint].creates?.kind === 'order' && !(HEADERS.idempotentReplayed in answer.headers)
  const fault = operatorFault(call, call.endpoint, 'after') ?? (isNewOrder ? magicFault(call, 'after') : null)
  if (!fault) return answer
  apply(call, fault)
  return fault.effect.kind === 'garbage' ? corruptBody(answer, fault.effect.garbage) : answer
}

/**
 * The first rule that acts on a call now, counted. Call it in the call's transaction and outside of its savepoint: that
 * a rule has acted outlives the refusal by which it acted.
 */
function operatorFault(call: AuthenticatedCall, endpoint: EndpointId, stage: FaultStage): InjectedFault | null {
  const { world, credential } = call
  if (!isArmed(world)) return null
  const subject = subjectOf(call)
  for (const fault of liveFaults(world.db, endpoint, credential.id)) {
    const { id, match, effect } = fault
    const fits = isAbout(match, subject) && stageOf(effect) === stage
    if (!fits || !isDrawn(world, fault, [endpoint, credential.name, subject.text])) continue
    world.db.statement('UPDATE faults SET hits = hits + 1, last_request_id = ? WHERE fault_id = ?').run(call.id, id)
    return { id, effect, detail: `the fault ${id} ${wordsOf(effect)}` }
  }
  return null
}

/** The endpoint and the credential were asked for in SQL. */
function isAbout({ domain, publicId }: CallMatch, subject: CallSubject): boolean {
  return (domain === null || domain === subject.domain) && (publicId === null || publicId === subject.publicId)
}

function wordsOf(effect: CallEffect): string {
  if (effect.kind === 'refuse') return 'refused the call, which did nothing else'
  if (effect.kind === 'delay')
    return `held the answer back for ${effect.delayMs} ms; the call itself was served at once`
  if (effect.kind === 'garbage') return `spoilt the body of the answer (${effect.garbage}); the call itself succeeded`
  return effect.when === 'after-commit'
    ? 'closed the connection instead of answering; what the call did is committed'
    : 'closed the connection before the call did anything'
}

function apply(call: AuthenticatedCall, { effect, detail, id }: InjectedFault): void {
  call.detail = detail
  call.fault = id ?? null
  call.faultKind = effect.kind
  if (effect.kind === 'delay') call.departure = { kind: 'late', delayMs: effect.delayMs }
  if (effect.kind === 'drop') call.departure = { kind: 'lost' }
  if (effect.kind === 'drop' && effect.when === 'before-commit') throw new ApiError('internal_error', BLAND)
  if (effect.kind === 'refuse')
    throw refusal(effect, { says: detail, ...(id === undefined && { remedies: [SEND_AGAIN] }) })
}

/** What helps against a fault of the operator is found when that is asked: it may be used up or removed by then. */
const SEND_AGAIN: Remedy = { says: 'Send the call again: the name acts once.' }

type Refusing = Extract<CallEffect, { kind: 'refuse' }>

function refusal({ code, status, message, retryAfterSeconds }: Refusing, grounds: Grounds): ApiError {
  return new ApiError(code, message ?? usualMessage(code, retryAfterSeconds), {
    ...(status !== null && { status }),
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
    grounds,
  })
}

function usualMessage(code: ErrorCode, seconds: number | null): string {
  if (code === 'internal_error') return BLAND
  if (code !== 'rate_limited') return 'a fault of this sandbox refuses the call'
  return `too many calls at the moment; wait ${counted(seconds ?? 0, 'second')} and sign again`
}

const PROXY_PAGE = '<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>\n'

/** An answer whose status says success and whose body cannot be read. What is kept for its Idempotency-Key is the correct one. */
function corruptBody(answer: Answer, kind: GarbageKind): Answer {
  if (kind === 'html') {
    return { ...answer, headers: { ...answer.headers, 'content-type': 'text/html; charset=utf-8' }, body: PROXY_PAGE }
  }
  return { ...answer, body: CORRUPTED[kind](answer.body) }
}

const CORRUPTED: Record<Exclude<GarbageKind, 'html'>, (body: string) => string> = {
  truncated: (body) => body.slice(0, Math.floor(body.length / 2)),
  'not-json': () => 'OK',
  empty: () => '',
}

const DRAW_BYTES = 6

/**
 * A draw is a function of the seed, of what the rule says, of the operation and of how often that has been tried, and of
 * nothing else: calls running side by side do not shift each other's, and a retry draws again. The Idempotency-Key is no
 * part of it, because clients make a new one in every run.
 */
function isDrawn({ db }: World, { id, match, effect, probability, seed }: Fault, about: readonly string[]): boolean {
  if (probability === 1) return true
  const operation = hash('sha256', JSON.stringify(about), 'base64url')
  const key = [JSON.stringify([match, effect]), operation, nextDraw(db, id, operation)].join('\0')
  const drawn = seededBytes(seed, 'fault', key).readUIntBE(0, DRAW_BYTES)
  return drawn < probability * 256 ** DRAW_BYTES
}

/** Those that may still act on calls of a credential to an endpoint, in the order they were made. */
function liveFaults(db: Db, endpoint: EndpointId, credential: number): Fault[] {
  const sql = `SELECT ${FAULT_COLUMNS} FROM faults
    WHERE (times IS NULL OR hits < times) AND (endpoint IS NULL OR endpoint = ?) AND (credential IS NULL OR credential = ?)
    ORDER BY seq`
  return db.statement<FaultRow>(sql).all(endpoint, credential).map(toFault)
}

/** Which draw this is for one operation under one rule, counting from 1. */
function nextDraw(db: Db, id: string, operation: string): number {
  const sql = `INSERT INTO fault_draws (fault_id, operation, draws) VALUES (?, ?, 1)
    ON CONFLICT (fault_id, operation) DO UPDATE SET draws = draws + 1 RETURNING draws`
  return db.statement<number>(sql).pluck().get(id, operation) as number
}

const SLOW_MS = 6_000

/** The kinds of magic names that act on calls: on any call before it is served, or on the answer to an order. */
const EFFECTS: Partial<Record<MagicKind, CallEffect>> = {
  slow: { kind: 'delay', delayMs: SLOW_MS },
  error: { kind: 'refuse', code: 'internal_error', status: null, message: null, retryAfterSeconds: null },
  'rate-limited': { kind: 'refuse', code: 'rate_limited', status: null, message: null, retryAfterSeconds: 1 },
  'lost-reply': { kind: 'drop', when: 'after-commit' },
}

/**
 * Finds in a name or a whole body that it may name a domain that acts on calls: a quick look that spares all other calls the careful
 * one. It may find one where none is, and misses none: beside plain spellings it finds everything that may be a disguised one, an escape
 * of JSON or a letter that is mapped to another. Without the flag u, under which the range would take in s and k, being case variants of
 * letters in it.
 */
export const MAY_ACT = new RegExp(
  [...Object.keys(EFFECTS).map((kind) => `${kind}-`), '[\\\\\\u0080-\\uffff]'].join('|'),
  'i',
)

/**
 * What the magic name that a call is about does to it at a stage, once. That cannot be an id: an
 * order, session, case or link of a name can only be there after a call that named it, and on that call it has acted.
 */
function magicFault(call: AuthenticatedCall, stage: FaultStage): InjectedFault | null {
  const named = namedBy(call, 'domain', MAY_ACT)
  const domain = named === null ? null : normalizeDomain(named)
  const kind = domain === null ? null : magicKind(domain)
  const effect = kind === null ? undefined : EFFECTS[kind]
  if (domain === null || kind === null || effect === undefined || stageOf(effect) !== stage) return null
  if (!actOnce(call.world, domain, kind)) return null
  const lost = `${named} loses the answer to its first order: it is recorded, and the connection was closed instead`
  return { effect, detail: stage === 'after' ? lost : `${named} does this to the first call about it` }
}

const armed = new WeakMap<Db, boolean>()

/**
 * Whether there may be a rule at all: this spares the calls of most worlds a query. Remembered of a database, because a
 * world that is restored or reset moves to another one.
 */
export function isArmed({ db }: Pick<World, 'db'>): boolean {
  let known = armed.get(db)
  if (known === undefined) {
    known = db.statement('SELECT 1 FROM faults LIMIT 1').get() !== undefined
    armed.set(db, known)
  }
  return known
}

/** What a query of {@link toFault} selects. */
const FAULT_COLUMNS = `fault_id AS id, endpoint, credential, domain, public_id AS publicId, effect, times, probability,
  seed, hits, last_request_id AS lastRequestId`

type FaultRow = CallMatch & Omit<Fault, 'match' | 'effect'> & { readonly effect: string }

function toFault({ endpoint, credential, domain, publicId, effect, ...rest }: FaultRow): Fault {
  return { ...rest, match: { endpoint, credential, domain, publicId }, effect: JSON.parse(effect) as CallEffect }
}

/** In the order they were made, which is the order they are asked in. */
export function listFaults({ db }: World): Fault[] {
  return db.statement<FaultRow>(`SELECT ${FAULT_COLUMNS} FROM faults ORDER BY seq`).all().map(toFault)
}

/**
 * Adds a rule after the others; it acts from the next call on.
 *
 * @throws ApiError conflict where there are too many.
 */
export function addFault(world: World, fault: FaultRule): Fault {
  const id = world.commits.commitNow(() => {
    const { db } = world
    if ((db.statement('SELECT count(*) FROM faults').pluck().get() as number) >= FAULT_LIMITS.rules)
      throw new ApiError('conflict', `there are ${FAULT_LIMITS.rules} faults already; remove some first`)
    // Numbers are never given twice, so an old id never means a new rule.
    const last = db.statement<number>("SELECT seq FROM sqlite_sequence WHERE name = 'faults'").pluck().get() ?? 0
    const seq = last + 1
    const made = world.chance.id('fault', seq)
    const { match, effect, ...rest } = fault
    db.statement(
      `INSERT INTO faults (seq, fault_id, endpoint, credential, domain, public_id, effect, times, probability, seed)
       VALUES (@seq, @id, @endpoint, @credential, @domain, @publicId, @effect, @times, @probability, @seed)`,
    ).run({ seq, id: made, ...match, ...rest, effect: JSON.stringify(effect) })
    return made
  })
  armed.set(world.db, true)
  return { ...fault, id, hits: 0, lastRequestId: null }
}

/** @throws ApiError not_found where no rule has that id. */
export function removeFault(world: World, id: string): void {
  world.commits.commitNow(() => {
    const { changes } = world.db.statement('DELETE FROM faults WHERE fault_id = ?').run(id)
    if (changes === 0) throw new ApiError('not_found', 'no fault has that id')
  })
  armed.delete(world.db)
}

/** From the next call on nothing goes wrong on purpose any more. */
export function clearFaults(world: World): void {
  world.commits.commitNow(() => world.db.statement('DELETE FROM faults').run())
  armed.delete(world.db)
}

/** Removes the rules about a credential that goes; call it in the transaction in which it does. */
export function removeFaultsOf({ db }: World, credential: number): void {
  db.statement('DELETE FROM faults WHERE credential = ?').run(credential)
}

/** Endpoints whose calls may name a domain, or name an order. */
export const DOMAIN_NAMERS = namersOf('domain')
export const ORDER_NAMERS = namersOf('order')

function namersOf(kind: Subject['kind']): EndpointId[] {
  return ENDPOINT_IDS.filter((id) => ENDPOINTS[id].subject?.kind === kind)
}

/** What a call is about, as far as it says so itself: ids are not looked up. */
interface CallSubject {
  /** Normalized. */
  readonly domain: string | null
  readonly publicId: string | null
  /** The domain, else the order, else the path's ids and the query; the same for every try of one thing. */
  readonly text: string
}

function subjectOf(call: Call): CallSubject {
  const named = namedBy(call, 'domain')
  const domain = named === null ? null : normalizeDomain(named)
  const publicId = namedBy(call, 'order')
  return { domain, publicId, text: domain ?? publicId ?? `${call.path}?${canonicalQuery(call.rawQuery)}` }
}

/**
 * The domain or order that a call names, as it writes it; null if it names none, or none worth a careful look.
 *
 * @param isWorthReading finds whether it may be in a name in any spelling, or in a whole body. A false yes is harmless.
 */
function namedBy(call: Call, kind: Subject['kind'], isWorthReading?: RegExp): string | null {
  const subject = call.endpoint === null ? null : ENDPOINTS[call.endpoint].subject
  if (subject?.kind !== kind) return null
  const { name } = subject
  if (hasUnsignedBody(call.method)) {
    const named = call.params[name] ?? call.query.find(([key]) => key === name)?.[1]
    return named === undefined || isWorthReading?.test(named) === false ? null : named
  }
  const { buffer, byteOffset, length } = call.body
  if (isWorthReading?.test(Buffer.from(buffer, byteOffset, length).toString('latin1')) === false) return null
  try {
    const named = (jsonObjectOf(call) as Record<string, unknown>)[name]
    return typeof named === 'string' ? named : null
  } catch {
    // The endpoint will say what is wrong with it.
    return null
  }
}
