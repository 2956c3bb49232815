import { randomBytes } from 'node:crypto'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { callAfter, type WallClock } from '../../clock/wall-clock.ts'
import { ENDPOINT_IDS, ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { ApiError } from '../../contract/errors.ts'
import { HEADERS } from '../../contract/headers.ts'
import { ID_PREFIXES } from '../../contract/ids.ts'
import { LIMITS } from '../../contract/limits.ts'
import { ROUTES } from '../all-routes.ts'
import { noteCall } from '../coverage/coverage.ts'
import { base32 } from '../kernel/chance.ts'
import { type Call, type Departure, newCall, noteRefusal } from '../wire/call.ts'
import { errorAnswer, fromFramework, withHint } from '../wire/error-answer.ts'
import type { Answer, Route } from '../wire/route.ts'
import { checkHeaders } from './authenticate/check-headers.ts'
import { answerTheUnusual, ChunkedHttp10, CONNECTION_LIMITS, partnerWords, unreadableHandler } from './connection.ts'
import type { AnsweredCall, LoggedCall } from './request-log.ts'
import { type Served, serveCall } from './serve-call.ts'
import { isVisit, mountPages } from './serve-page.ts'
import type { ServedCall, ServedWorld, ServedWorlds } from './served-world.ts'

const NO_BODY = new Uint8Array(0)

/**
 * The partner API as a Fastify application. Fastify routes and reads bodies as bytes; everything else (query, JSON,
 * validation, errors) is ours, because signatures cover raw bytes and because nothing may be coerced.
 *
 * @param worlds where a key id is looked up.
 * @param wall the machine's time.
 * @param hintFor says why a call was refused, where its world gives hints; null for none in any world.
 */
export function createPartnerApp(
  worlds: ServedWorlds,
  wall: WallClock,
  hintFor: HintGiver | null = null,
): FastifyInstance {
  const words = partnerWords(() => worlds.main.gaps['error-layout'])
  const chunked = new ChunkedHttp10()
  const app: FastifyInstance = Fastify({
    ...CONNECTION_LIMITS,
    bodyLimit: LIMITS.bodyBytes,
    clientErrorHandler: unreadableHandler(words),
    frameworkErrors: (error, request, reply) => refuseEarly(error, request as FastifyRequest, reply as FastifyReply),
  })
  const newRequestId = createRequestIds()
  const serve = createServer(worlds, wall, newRequestId, hintFor)

  app.addHook('onRequest', chunked.refuse)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  for (const id of ENDPOINT_IDS) {
    const { method, path } = ENDPOINTS[id]
    app.route({
      // A read answers HEAD as it answers GET, without the body (CANON-08).
      method: method === 'GET' ? [method, 'HEAD'] : method,
      url: path.replaceAll('{', ':').replaceAll('}', ''),
      handler: (request, reply) => serve(request, reply, id),
    })
  }
  const refuseVisit = mountPages(app, {
    worlds,
    wall,
    newRequestId,
    serveUnknown: (request, reply) => serve(request, reply, null),
  })
  app.get('/healthz', (_request, reply) => reply.type('application/json').send('{"status":"ok"}'))
  app.setNotFoundHandler((request, reply) =>
    isVisit(request) ? refuseVisit(request, reply, { statusCode: 404 }) : serve(request, reply, null),
  )
  app.setErrorHandler((error, request, reply) => refuseUnread(error, request, reply))
  answerTheUnusual(app.server, words)

  function refuseEarly(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    chunked.ends(request.raw, reply)
    if (isVisit(request)) void refuseVisit(request, reply, error)
    else refuseUnread(error, request, reply)
  }

  function refuseUnread(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const call = incomingCall(request, null, newRequestId(), wall)
    const shown = missingCredentials(call) ?? fromFramework(error, call)
    // Unread, and so unchecked: its key id says no more than in which words it is refused.
    const world = worlds.findCredential(call.keyId)?.world ?? worlds.main
    noteRefusal(call, shown)
    const refusal = withoutSecrets(errorAnswer(shown, world, call.id), worlds)
    const answer = worlds.hooks.answer?.(refusal, call) ?? refusal
    keep(worlds, worlds.main, { call, answer, tookMs: 0, failure: shown === error ? error : undefined })
    send(reply, answer, call.id)
  }

  return app
}

/** The way of every call: in, through the checks, into the log, out. */
function createServer(worlds: ServedWorlds, wall: WallClock, newRequestId: () => string, hintFor: HintGiver | null) {
  return (request: FastifyRequest, reply: FastifyReply, endpoint: EndpointId | null): void => {
    const startedMs = wall.monotonicMs()
    const call = incomingCall(request, endpoint, newRequestId(), wall)
    const leave = ({ answer: refusedOrNot, failure }: Served) => {
      const sound = withoutSecrets(refusedOrNot, worlds)
      const answer = worlds.hooks.answer?.(sound, call) ?? sound
      const tookMs = wall.monotonicMs() - startedMs
      keep(worlds, call.world ?? worlds.main, { call, answer, tookMs, failure })
      if (call.departure.kind === 'lost') hangUp(request, reply)
      else send(reply, answer, call.id)
    }
    serveCall(call, routeOf(endpoint, worlds), worlds, (served) =>
      whenDue(call.departure, () => {
        if (hintFor !== null && givesHint(call, worlds)) void hinted(served, call, worlds, hintFor).then(leave)
        else leave(served)
      }),
    )
  }
}

/** Says in a sentence why a call was refused; null where it has nothing to say. It never rejects. */
export type HintGiver = (refused: AnsweredCall) => Promise<string | null>

function givesHint({ refusedBy, world }: ServedCall, { main }: ServedWorlds): boolean {
  return refusedBy !== null && (world ?? main).settings.hints === true
}

async function hinted(
  { answer, failure }: Served,
  call: ServedCall,
  { main }: ServedWorlds,
  hintFor: HintGiver,
): Promise<Served> {
  const hint = await hintFor({ call, answer, worldTimeMs: (call.world ?? main).clock.nowMs() })
  return { answer: hint === null ? answer : withHint(answer, hint), failure }
}

/** Writes an answered call down wherever calls are kept: log, live feed, coverage. */
function keep(
  worlds: ServedWorlds,
  world: ServedWorld,
  { call, answer, tookMs, failure }: Pick<LoggedCall, 'answer' | 'tookMs' | 'failure'> & { call: ServedCall },
): LoggedCall {
  const entry = world.log.add({ call, answer, worldTimeMs: world.clock.nowMs(), tookMs, failure })
  world.feed.publish({ kind: 'request', entry })
  noteCall(worlds, call.world, entry)
  return entry
}

/** A message quotes what was sent, and a secret may have been sent in any place. */
function withoutSecrets(answer: Answer, worlds: ServedWorlds): Answer {
  return answer.status < 400 ? answer : { ...answer, body: worlds.redactor().text(answer.body) }
}

/** Nothing waits for a late answer but its own caller: the work is done and committed. */
function whenDue(departure: Departure, leave: () => void): void {
  if (departure.kind === 'late') callAfter(departure.delayMs, leave)
  else leave()
}

function hangUp(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack()
  request.raw.socket.destroy()
}

function routeOf(endpoint: EndpointId | null, worlds: ServedWorlds): Route | null {
  if (endpoint === null) return null
  const defective = worlds.hooks.routes?.[endpoint]?.(ROUTES[endpoint])
  // What a defect does may depend on anything.
  return defective ? { ...defective, isKept: false } : ROUTES[endpoint]
}

function incomingCall(request: FastifyRequest, endpoint: EndpointId | null, id: string, wall: WallClock): ServedCall {
  const { method = 'GET', url = '/', rawHeaders } = request.raw
  return newCall({
    id,
    receivedAtMs: wall.nowMs(),
    method,
    target: url,
    rawHeaders,
    body: request.body instanceof Uint8Array ? request.body : NO_BODY,
    endpoint,
    params: request.params as Record<string, string>,
  })
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

/** Unique over restarts by a random part, and cheap by a counter. */
function createRequestIds(): () => string {
  const start = base32(randomBytes(5))
  let count = 0
  return () => `${ID_PREFIXES.request}${start}${(++count).toString(36).padStart(6, '0')}`
}

/** A call without a key id gets its own code, no matter what else is wrong with it (AUTH-02). */
function missingCredentials(call: Call): ApiError | null {
  try {
    checkHeaders(call)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'missing_credentials') return error
  }
  return null
}
