import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { callAfter, type WallClock } from '../../clock/wall-clock.ts'
import { explainPath } from '../../contract/diagnosis/explain-path.ts'
import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts'
import { ApiError } from '../../contract/errors.ts'
import { HEADERS } from '../../contract/headers.ts'
import { ID_PREFIXES } from '../../contract/ids.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Schema } from '../../contract/schema.ts'
import { TRACEPARENT, traceOf } from '../../contract/trace-context.ts'
import { ROUTES } from '../all-routes.ts'
import { atomically, type JobKind } from '../commit-queue.ts'
import { noteCall } from '../coverage/coverage.ts'
import { effectOf } from '../kernel/refusal-with-effect.ts'
import { carryTrace, nextDeliverySeq } from '../webhooks/deliveries.ts'
import {
  type AuthenticatedCall,
  announcesBody,
  type Call,
  headerValues,
  newCall,
  noteRefusal,
  PROMPT,
  requestIds,
} from '../wire/call.ts'
import { errorAnswer, fromFramework, withHint } from '../wire/error-answer.ts'
import { jsonObjectOf } from '../wire/json-body.ts'
import { type Answer, type Exchange, type Input, NO_QUERY, type Route } from '../wire/route.ts'
import { validated, validatedQuery } from '../wire/validation.ts'
import { wireNamesOf } from '../wire/wire-names.ts'
import { CHECK_ORDERS, checkHeaders, identify, runChecks } from './checks.ts'
import { answerTheUnusual, ChunkedHttp10, CONNECTION_LIMITS, partnerWords, unreadableHandler } from './connection.ts'
import type { Environment, Environments } from './environment.ts'
import { faultAfter, faultBefore } from './faults.ts'
import { keepAnswer, orRefusal, useOfKey } from './idempotency.ts'
import { isVisit, mountPages } from './serve-page.ts'

/** Says in a sentence why a call was refused; null where it has nothing to say. It never rejects. */
export type HintGiver = (refused: Exchange) => Promise<string | null>

/** What a call came to; `failure` is set where the answer hides an error of our own. */
interface Outcome {
  answer: Answer
  readonly failure: unknown
}

const NO_BODY = new Uint8Array(0)

/**
 * The partner API as a Fastify application. Fastify routes and reads bodies as bytes; everything else (query, JSON,
 * validation, errors) is ours, because signatures cover raw bytes and because nothing may be coerced.
 *
 * The way of a call is this file, from top to bottom: {@link received}, {@link outcomeOf} with its checks and its transaction,
 * {@link answerOf} with idempotency and the endpoint's handler, {@link hinted}, {@link kept}, {@link send}.
 *
 * @param worlds where a key id is looked up.
 * @param wall the machine's time.
 * @param hintFor says why a call was refused, where its world gives hints; null for none in any world.
 */
export function createPartnerApp(
  worlds: Environments,
  wall: WallClock,
  hintFor: HintGiver | null = null,
): FastifyInstance {
  const words = partnerWords(() => worlds.main.gaps['error-layout'])
  const newRequestId = requestIds(ID_PREFIXES.request)
  const chunked = new ChunkedHttp10()
  const app: FastifyInstance = Fastify({
    ...CONNECTION_LIMITS,
    bodyLimit: LIMITS.bodyBytes,
    clientErrorHandler: unreadableHandler(words),
    frameworkErrors: (error, request, reply) => refuseEarly(error, request as FastifyRequest, reply as FastifyReply),
  })
  app.addHook('onRequest', chunked.refuse)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  for (const id of ENDPOINT_IDS) {
    const { method, path } = ENDPOINTS[id]
    app.route({
      // A read answers HEAD as it answers GET, without the body (CANON-08).
      method: method === 'GET' ? [method, 'HEAD'] : method,
      url: path.replaceAll('{', ':').replaceAll('}', ''),
      handler: (request, reply) => void serve(request, reply, id),
    })
  }
  const refuseVisit = mountPages(app, {
    worlds,
    wall,
    newRequestId,
    serveUnknown: (request, reply) => void serve(request, reply, null),
  })
  app.get('/healthz', { exposeHeadRoute: true }, (_request, reply) =>
    reply.type('application/json').send('{"status":"ok"}'),
  )
  app.setNotFoundHandler((request, reply) =>
    isVisit(request) ? refuseVisit(request, reply, { statusCode: 404 }) : void serve(request, reply, null),
  )
  app.setErrorHandler((error, request, reply) => refuseUnread(error, request, reply))
  answerTheUnusual(app.server, words)
  return app

  async function serve(request: FastifyRequest, reply: FastifyReply, endpoint: EndpointId | null): Promise<void> {
    const startedMs = wall.monotonicMs()
    const call = received(request, endpoint, newRequestId(), wall)
    const outcome = await outcomeOf(call, worlds)
    // What the call did is committed, and nothing but its caller waits for a late answer.
    const { departure } = call
    if (departure.kind === 'late') await new Promise<void>((resolve) => void callAfter(departure.delayMs, resolve))
    if (call.refusedBy !== null) outcome.answer = await hinted(outcome.answer, call, startedMs)
    const answer = kept(call, outcome, wall.monotonicMs() - startedMs, worlds)
    if (call.departure.kind === 'lost') {
      reply.hijack()
      request.raw.socket.destroy()
    } else {
      send(reply, answer, call.id)
    }
  }

  /** The answer to a refused call, with the reason where its world gives it. */
  async function hinted(answer: Answer, call: Call<Environment>, startedMs: number): Promise<Answer> {
    const { settings, clock } = call.world ?? worlds.main
    if (hintFor === null || settings.hints !== true) return answer
    const hint = await hintFor({ call, answer, worldTimeMs: clock.nowMs(), tookMs: wall.monotonicMs() - startedMs })
    return hint === null ? answer : withHint(answer, hint)
  }

  /** What the framework refuses before any route is found, in words for a visitor's browser or for a program. */
  function refuseEarly(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    chunked.ends(request.raw, reply)
    if (isVisit(request)) void refuseVisit(request, reply, error)
    else refuseUnread(error, request, reply)
  }

  function refuseUnread(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const call = received(request, null, newRequestId(), wall)
    const cause = missingCredentials(call) ?? fromFramework(error, call)
    // Unread, and so unchecked: its key id says no more than whose log and whose words its refusal is for.
    call.world ??= worlds.findCredential(call.keyId)?.world ?? null
    noteRefusal(call, cause)
    const refused = {
      answer: errorAnswer(cause, call.world ?? worlds.main, call.id),
      failure: cause === error ? error : undefined,
    }
    send(reply, kept(call, refused, 0, worlds), call.id)
  }
}

/** The request as it arrived, byte for byte. */
function received(
  request: FastifyRequest,
  endpoint: EndpointId | null,
  id: string,
  wall: WallClock,
): Call<Environment> {
  const { method = 'GET', url = '/', rawHeaders } = request.raw
  const params = (request.params ?? {}) as Record<string, string>
  return newCall({
    id,
    receivedAtMs: wall.nowMs(),
    method,
    target: url,
    rawHeaders,
    body: request.body instanceof Uint8Array ? request.body : NO_BODY,
    // A path that ends where its parameter belongs is that of no endpoint.
    endpoint: Object.values(params).includes('') ? null : endpoint,
    params,
  })
}

/**
 * Takes a call through the checks to its answer. A refusal is an answer, too, and so is an error of our own.
 *
 * The checks and the handler share one transaction, which is that of all calls of this turn of the event loop, so that an answered
 * write is a synced write. A handler that waits for something outside of it runs in a second one.
 */
async function outcomeOf(call: Call<Environment>, worlds: Environments): Promise<Outcome> {
  const { findCredential, hooks } = worlds
  const { endpoint } = call
  const route = endpoint && (hooks.routes?.[endpoint]?.(ROUTES[endpoint]) ?? ROUTES[endpoint])
  try {
    const known = identify(call, findCredential, hooks.checks)
    const order = CHECK_ORDERS[known.world.gaps['check-order']]
    runChecks(order.beforeTransaction, known, findCredential, hooks.checks)
    const decided = await committed(known, () => {
      runChecks(order.inTransaction, known, findCredential, hooks.checks)
      faultBefore(known)
      // What has to be awaited first, such as the addresses of a name; nothing for nearly every call.
      const preparation = route?.prepare?.(inputOf(known, endpoint as EndpointId, route))
      return preparation ?? answerOf(known, route)
    })
    if (typeof decided !== 'function') return { answer: decided, failure: undefined }
    await decided()
    // Its world may be gone meanwhile.
    const still = identify(call, findCredential, hooks.checks, ['key'])
    return { answer: await committed(still, () => answerOf(still, route)), failure: undefined }
  } catch (error) {
    noteRefusal(call, error)
    const isRefusal = error instanceof ApiError
    // An error of our own is answered at once, no matter what was to become of the answer of a call that succeeded.
    if (!isRefusal) call.departure = PROMPT
    return { answer: errorAnswer(error, call.world ?? worlds.main, call.id), failure: isRefusal ? undefined : error }
  }
}

/**
 * Does work in the shared transaction of the turn.
 *
 * @returns once that is committed, and the webhooks of the work were tried where its world asks for that first. Rejects with what
 *   the work threw, or with the reason why the commit failed.
 */
function committed<Result>(call: AuthenticatedCall<Environment>, work: () => Result): Promise<Result> {
  const { world, endpoint } = call
  const isRead = endpoint === null || ENDPOINTS[endpoint].effect === 'read'
  const kind = { durability: isRead ? 'process-death' : 'power-loss', isRead } as const
  return world.settings.delivery.beforeResponse ? delivered(world, kind, work) : world.commits.perform(kind, work)
}

/** The same where webhooks of the work are tried before its answer is sent; a refusal may leave events behind, too. */
async function delivered<Result>(
  { commits, deliverer }: Environment,
  kind: JobKind,
  work: () => Result,
): Promise<Result> {
  let attempts: () => Promise<void> | null = () => null
  try {
    return await commits.perform(kind, () => deliverer.follow(work, (wait) => (attempts = wait)))
  } finally {
    await attempts()?.catch(() => {})
  }
}

/** The answer of a call that is allowed. A write that is refused is undone, and so is one whose answer breaks. */
function answerOf(call: AuthenticatedCall, route: Route | null): Answer {
  const { endpoint } = call
  if (route === null || endpoint === null) {
    throw new ApiError('not_found', explainPath(call.method, call.path).says)
  }
  const { method, effect, idempotencyKey }: Endpoint = ENDPOINTS[endpoint]
  // The body of a GET is not part of its signature, so it is not authenticated.
  if (method === 'GET' && announcesBody(call)) {
    const compared = [{ name: 'bytes of the body', sent: String(call.body.length), expected: '0' }]
    throw new ApiError('validation_error', `a ${call.method} carries no body`, { grounds: { compared } })
  }
  if (effect === 'read') return faultAfter(call, handled(call, endpoint, route))
  const trace = traceOf(headerValues(call, TRACEPARENT))
  return atomically(
    call.world.db,
    () => {
      const firstDelivery = trace && nextDeliverySeq(call.world)
      const answer = idempotencyKey ? handledOnce(call, endpoint, route) : handled(call, endpoint, route)
      if (trace && firstDelivery) carryTrace(call.world, trace.traceparent, firstDelivery)
      return faultAfter(call, answer)
    },
    effectOf,
  )
}

function handledOnce(call: AuthenticatedCall, endpoint: EndpointId, route: Route): Answer {
  const { gaps } = call.world
  if (gaps['idempotency-key-checked'] === 'after the body' && route.body) bodyOf(call, endpoint, route.body)
  const use = useOfKey(call)
  if (use.earlier !== null) return use.earlier
  const leavesKeyFree = gaps['refused-attempt'] === 'leaves it free'
  const answer = leavesKeyFree ? handled(call, endpoint, route) : orRefusal(call, () => handled(call, endpoint, route))
  keepAnswer(call.world, use, answer)
  return answer
}

/** Reads and validates what a call says, and writes down what the endpoint's handler answers. */
export function handled(call: AuthenticatedCall, endpoint: EndpointId, route: Route): Answer {
  const { gaps } = call.world
  const reply = route.handle(inputOf(call, endpoint, route))
  const body = wireNamesOf(gaps)?.answer(endpoint, reply.body) ?? reply.body
  return { status: reply.created ? gaps['created-status'] : 200, headers: {}, body: JSON.stringify(body) }
}

/** What the handler gets: parameters and body, valid, in the words of the route; a world may have chosen others. */
function inputOf(call: AuthenticatedCall, endpoint: EndpointId, route: Route): Input<unknown, unknown> {
  const { world, credential: caller, params } = call
  const schema = route.query ?? NO_QUERY
  const names = wireNamesOf(world.gaps)
  const query =
    names === null
      ? validatedQuery(schema, call.query)
      : names.query(endpoint, validatedQuery(names.schema({ endpoint, part: 'query' }, schema), call.query))
  return { world, caller, call, params, query, body: route.body && bodyOf(call, endpoint, route.body) }
}

/** The body, valid, in the words of the route. */
function bodyOf(call: AuthenticatedCall, endpoint: EndpointId, schema: Schema<unknown>): unknown {
  const names = wireNamesOf(call.world.gaps)
  if (names === null) return validated(schema, jsonObjectOf(call), 'body')
  const onWire = names.schema({ endpoint, part: 'body' }, schema)
  return names.body(onWire, validated(onWire, jsonObjectOf(call), 'body'))
}

/**
 * Writes an answered call down wherever calls are kept: log, live feed, coverage.
 *
 * @returns the answer as it is kept and sent.
 */
function kept(
  call: Call<Environment>,
  { answer: decided, failure }: Outcome,
  tookMs: number,
  worlds: Environments,
): Answer {
  const { log, clock, feed } = call.world ?? worlds.main
  // A message quotes what was sent, and a secret may have been sent in any place.
  const shown = decided.status < 400 ? decided : { ...decided, body: worlds.redactor().text(decided.body) }
  const answer = worlds.hooks.answer?.(shown, call) ?? shown
  const entry = log.add({ call, answer, worldTimeMs: clock.nowMs(), tookMs, failure })
  feed.publish({ kind: 'request', entry })
  noteCall(worlds, call.world, entry)
  return answer
}

function send(reply: FastifyReply, answer: Answer, requestId: string): void {
  reply.code(answer.status)
  reply.header('content-type', 'application/json; charset=utf-8')
  reply.header('cache-control', 'no-store')
  reply.header(HEADERS.requestId, requestId)
  for (const name in answer.headers) reply.header(name, answer.headers[name])
  // Of HEAD only the length is sent, so the framework cannot count it.
  if (reply.request.method === 'HEAD') reply.header('content-length', Buffer.byteLength(answer.body))
  reply.send(answer.body)
}

/** A call without a key id gets its own code, no matter what else is wrong with it (AUTH-02). */
function missingCredentials(call: Call): ApiError | null {
  try {
    checkHeaders(call, () => null)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'missing_credentials') return error
  }
  return null
}
