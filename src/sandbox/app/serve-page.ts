import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WallClock } from '../../clock/wall-clock.ts'
import { HEADERS } from '../../contract/headers.ts'
import { atomically } from '../commit-queue.ts'
import { newCall } from '../wire/call.ts'
import { isFromThisMachine } from '../wire/loopback.ts'
import {
  LARGEST_FORM_BYTES,
  PAGES,
  type PageId,
  PageRefusal,
  type PageReply,
  type PageRequest,
  type PageRoute,
  pageHeaders,
  readPageRequest,
} from '../wire/page.ts'
import type { Environment, Environments } from './environment.ts'

/** What pages share with the API on the same port. */
interface PageServer {
  readonly worlds: Environments
  readonly wall: WallClock
  readonly newRequestId: () => string
  /** Answers a call of a path that the document does not have. */
  serveUnknown(request: FastifyRequest, reply: FastifyReply): void
}

type Handlers = typeof import('./page-handlers.ts')

/** What a page came to; `failure` is set where the answer hides an error of our own. */
interface ServedPage {
  reply: PageReply
  failure: unknown
}

const NO_BODY = new Uint8Array(0)

/** Answers with the plain page of an error that came before any page was found. */
type RefuseVisit = (
  request: FastifyRequest,
  reply: FastifyReply,
  error: { statusCode?: number | undefined },
) => Promise<FastifyReply>

/**
 * Adds a route for each of {@link PAGES}. Handlers and renderer are loaded by the first visitor, so that neither the start
 * nor the API waits for them.
 */
export function mountPages(app: FastifyInstance, server: PageServer): RefuseVisit {
  const refuse: RefuseVisit = async (request, reply, error) => {
    const handlers = await import('./page-handlers.ts')
    // Nothing has a name that long.
    const status = error.statusCode === 414 ? 404 : (error.statusCode ?? 500)
    const served = { reply: handlers.PAGE_FRAME.plainPage(status), failure: status >= 500 ? error : undefined }
    return send(request, reply, served, null, handlers, server)
  }
  for (const id of Object.keys(PAGES) as PageId[]) {
    const { methods, path } = PAGES[id]
    app.route({
      method: [...methods, 'HEAD'],
      url: path.replaceAll('{', ':').replaceAll('}', ''),
      bodyLimit: LARGEST_FORM_BYTES,
      handler: (request, reply) =>
        id === 'home' && !wantsHome(request) ? server.serveUnknown(request, reply) : visit(id, request, reply, server),
      errorHandler: (error, request, reply) => refuse(request, reply, error),
    })
  }
  return refuse
}

const FIRST_SEGMENTS = new Set(Object.values(PAGES).map(({ path }) => path.split('/')[1]))

/** Whether the caller is a browser rather than a partner's program: the address starts like that of a page. */
export function isVisit(request: FastifyRequest): boolean {
  const { method, raw } = request
  const [, first = ''] = (raw.url ?? '/').split(/[/?]/, 2)
  if (first === '') return wantsHome(request)
  return FIRST_SEGMENTS.has(first) && (method === 'GET' || method === 'HEAD' || method === 'POST')
}

/**
 * Browsers ask for HTML, programs do not; and a caller that sends a signature header means to call the API, no matter what it asks
 * for; the checks then say what is wrong.
 */
function wantsHome({ method, raw, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (!/^\/(?:\?|$)/.test(raw.url ?? '/') || !/\btext\/html\b/i.test(headers.accept ?? '')) return false
  return [HEADERS.keyId, HEADERS.timestamp, HEADERS.nonce, HEADERS.signature].every(
    (name) => headers[name.toLowerCase()] === undefined,
  )
}

async function visit(
  id: PageId,
  request: FastifyRequest,
  reply: FastifyReply,
  server: PageServer,
): Promise<FastifyReply> {
  const handlers = await import('./page-handlers.ts')
  const correct = handlers.PAGE_HANDLERS[id]
  const page = server.worlds.hooks.pages?.[id]?.(correct) ?? correct
  const { served, world } = await visited(page, request, handlers, server)
  return send(request, reply, served, world, handlers, server)
}

async function visited(
  page: PageRoute,
  request: FastifyRequest,
  handlers: Handlers,
  { worlds }: PageServer,
): Promise<{ served: ServedPage; world: Environment | null }> {
  let world: Environment | null = null
  try {
    const asked = { worlds, ...readPageRequest(rawOf(request)) }
    const found = page.worldOf(asked)
    world = found && worlds.find(found.name)
    const home = world
    if (home === null) return { served: { reply: page.handle(asked, null), failure: undefined }, world }
    // Answers after the commit, as calls of the API do.
    const isHead = request.method === 'HEAD'
    const work = () => worked(home, page, asked)
    const reply = await home.commits.perform(
      { durability: page.writes && !isHead ? 'power-loss' : 'process-death' },
      () => (isHead ? undone(home, work) : atomically(home.db, work)),
    )
    return { served: { reply, failure: undefined }, world }
  } catch (error) {
    return { served: refusal(error, handlers), world }
  }
}

function rawOf(request: FastifyRequest) {
  const bound = request.server.server.address()
  return {
    method: request.method,
    target: request.raw.url ?? '/',
    headers: request.headers,
    body: request.body instanceof Uint8Array ? request.body : NO_BODY,
    params: request.params as Record<string, string>,
    isFromThisMachine: isFromThisMachine(request.raw, typeof bound === 'object' && bound ? bound.address : ''),
  }
}

/**
 * Pages carry no credential, so all of a world share one window of its rate limit. Asked once the page has been worked
 * out, which a refusal undoes: a stranger whose token or link is made up must not use up the window of buyers.
 */
function refuseTooMany({ settings, pageRateWindow, wall }: Environment): void {
  const waitSeconds = settings.rateLimit ? pageRateWindow.admit(wall.monotonicMs(), settings.rateLimit) : 0
  if (waitSeconds > 0) throw new PageRefusal(429, 'too many visits', waitSeconds)
}

function worked(world: Environment, page: PageRoute, request: PageRequest): PageReply {
  let isKnown = true
  try {
    return page.handle(request, world)
  } catch (error) {
    isKnown = !(error instanceof PageRefusal && error.status === 404)
    throw error
  } finally {
    if (isKnown) refuseTooMany(world)
  }
}

/** Who only asks for the headers has not visited: nothing is counted, and nothing is remembered with the browser. */
function undone(world: Environment, visit: () => PageReply): PageReply {
  let reply: PageReply | undefined
  const undo = new Error('undo')
  try {
    atomically(world.db, () => {
      reply = { ...visit(), cookies: [] }
      throw undo
    })
  } catch (error) {
    if (error !== undo) throw error
  }
  return reply as PageReply
}

function refusal(error: unknown, { PAGE_FRAME }: Handlers): ServedPage {
  if (error instanceof PageRefusal) {
    const { status, retryAfterSeconds } = error
    return { reply: { ...PAGE_FRAME.plainPage(status), retryAfterSeconds }, failure: undefined }
  }
  return { reply: PAGE_FRAME.plainPage(500), failure: error }
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { reply: page, failure }: ServedPage,
  world: Environment | null,
  { PAGE_FRAME }: Handlers,
  server: PageServer,
): FastifyReply {
  if (failure !== undefined) logFailure(request, page, failure, world ?? server.worlds.main, server)
  reply.code(page.status).headers(pageHeaders(page, PAGE_FRAME.styleHash))
  for (const cookie of page.cookies ?? []) reply.header('set-cookie', cookie)
  return reply.send(page.body ?? '')
}

/** Kept without the query, which may hold a token. */
function logFailure(
  { method, raw }: FastifyRequest,
  { status }: PageReply,
  failure: unknown,
  world: Environment,
  { wall, newRequestId }: PageServer,
): void {
  const call = newCall<Environment>({
    id: newRequestId(),
    receivedAtMs: wall.nowMs(),
    method,
    target: (raw.url ?? '/').split('?', 1)[0] as string,
    rawHeaders: [],
    body: NO_BODY,
    endpoint: null,
    params: {},
  })
  const answer = { status, headers: {}, body: '' }
  world.log.add({ call, answer, worldTimeMs: world.clock.nowMs(), tookMs: 0, failure })
}
