// Starts one foreign server: node:http, in memory, on a free port. As a command:
//   node test/foreign-servers/server.mjs --personality A [--port 0] [--defect name] [--seed 1]
import { createServer } from 'node:http'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { startBusiness } from './busy.mjs'
import { createdStatus, routesOf } from './endpoints.mjs'
import { afterRefusal, afterWork, beforeWork } from './odd-input.mjs'
import { operate } from './operator.mjs'
import { browse } from './pages.mjs'
import { makePast } from './past.mjs'
import { A } from './personality-a.mjs'
import { B } from './personality-b.mjs'
import { C } from './personality-c.mjs'
import { D } from './personality-d.mjs'
import { F } from './personality-f.mjs'
import { G } from './personality-g.mjs'
import { H } from './personality-h.mjs'
import { I } from './personality-i.mjs'
import { J } from './personality-j.mjs'
import { createOrder } from './selling.mjs'
import { createService, Refusal } from './service.mjs'
import { authenticate, pairsOf } from './signing.mjs'

export const PERSONALITIES = { A, B, C, D, E: D, F, G, H, I, J }
const LARGEST_BODY = 65_536

async function read(request) {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size <= LARGEST_BODY) chunks.push(chunk)
  }
  return { raw: Buffer.concat(chunks), tooLarge: size > LARGEST_BODY }
}

/** JSON as lenient parsers of broken variants take it. */
function leniently({ broken }, text) {
  if (broken('trailing_commas_taken')) return text.replace(/,\s*([}\]])/gu, '$1')
  return broken('nan_taken') ? text.replace(/:\s*NaN\b/gu, ':null') : text
}

function bodyOf(service, call) {
  if (call.tooLarge) throw new Refusal('validation_error', 'The body is too large.', { status: 413 })
  if (service.broken('empty_bodies_crash') && call.raw.length === 0) throw new Error('Unexpected end of JSON input')
  const [type] = (call.headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase())
  if (type !== 'application/json')
    throw new Refusal('validation_error', 'The body must be application/json.', {
      status: service.choices.statuses.contentType,
    })
  let body
  try {
    if (service.broken('deep_bodies_crash') && call.raw.includes('['.repeat(1000))) throw new RangeError('stack')
    body = JSON.parse(leniently(service, new TextDecoder('utf-8', { fatal: true }).decode(call.raw)))
  } catch (error) {
    if (service.broken('malformed_json_crashes') || error.message === 'stack') throw error
    if (service.broken('malformed_put_crashes') && call.method === 'PUT') throw error
    throw new Refusal('validation_error', 'The body is not JSON.')
  }
  if (service.broken('null_registrations_crash') && body === null && call.method === 'PUT')
    throw new TypeError('Cannot read properties of null')
  if (service.broken('lists_as_cases_crash') && Array.isArray(body) && call.path.endsWith('/brokerage'))
    throw new TypeError('list indices must be integers')
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal('validation_error', 'The body must be a JSON object.')
  if (service.broken('null_characters_crash') && call.raw.includes('\\u0000'))
    throw new Error('unsupported Unicode escape sequence')
  return body
}

/** A fixed window of calls for each credential. */
function countCall(service, credential) {
  if (service.rateLimit === undefined) return
  const { calls, seconds } = service.rateLimit
  const now = service.clock.wall()
  const whose = service.choices.limitedBy === 'address' ? 'all' : credential.keyId
  const known = service.calls.get(whose)
  const window = known !== undefined && now < known.until ? known : { used: 0, until: now + seconds * 1000 }
  const again = window.used > calls
  service.calls.set(whose, window)
  window.used++
  if (window.used <= calls) return
  const wait = Math.max(1, Math.ceil((window.until - now) / 1000))
  const headers =
    service.broken('no_retry_after') || (again && service.broken('retry_after_once'))
      ? {}
      : { 'retry-after': String(service.broken('retry_after_too_short') ? 0 : wait) }
  throw new Refusal(service.broken('rate_limited_called_otherwise') ? 'too_many' : 'rate_limited', 'Too many calls.', {
    headers,
  })
}

function allowed(service, credential, scopes) {
  const enough = service.broken('orders_need_buy') && scopes.length > 1 ? ['buy'] : scopes
  if (enough.some((scope) => credential.scopes.includes(scope) || service.broken(`unchecked_scope_${scope}`))) return
  throw new Refusal('forbidden', `This needs the scope ${scopes.join(' or ')}.`)
}

/** A strict personality knows the parameters of each path, and takes each once. */
function refuseUnknown({ choices }, call, path) {
  const known = choices.knownQuery?.[Object.keys(choices.knownQuery).find((end) => path.endsWith(end))]
  if (choices.knownQuery === undefined) return
  const names = call.query
    .split('&')
    .filter(Boolean)
    .map((pair) => decodeURIComponent(pair.split('=')[0]))
  const odd = names.find((name, n) => !(known ?? []).includes(name) || names.indexOf(name) !== n)
  if (odd !== undefined) throw new Refusal('validation_error', `The parameter ${odd.slice(0, 40)} is not known here.`)
}

/** A strict personality knows the members of each body. */
function refuseMembers({ choices }, body, path) {
  const known = choices.knownMembers?.[Object.keys(choices.knownMembers).find((end) => path.endsWith(end))]
  const odd = body && known && Object.keys(body).find((name) => !known.includes(name))
  if (odd !== undefined && odd !== false)
    throw new Refusal('validation_error', `${odd.slice(0, 40)} is not a member of this body.`)
}

async function answer(service, call, base) {
  const { choices, broken } = service
  let path = call.path
  if (broken('webhooks_with_version') && path === '/api/partner/v1/webhooks') path = '/api/partner/webhooks'
  else if (broken('webhooks_with_version') && path === '/api/partner/webhooks') path = '/nowhere'
  const routes = routesOf(path)
  if (choices.options && call.method === 'OPTIONS') return { status: 204, headers: { allow: 'GET, POST' }, text: '' }
  const headsServed = choices.heads || ['heads_unsigned', 'heads_unscoped', 'heads_signed_as_gets'].some(broken)
  const verb = headsServed && call.method === 'HEAD' ? 'GET' : call.method
  if (broken('patches_crash') && verb === 'PATCH') throw new Error('no handler')
  const reads = broken('posts_read_as_gets') && verb === 'POST' && routes.every((each) => each.method === 'GET')
  const route = routes.find((each) => each.method === (reads ? 'GET' : verb))
  const unknown = () =>
    routes.length === 0
      ? new Refusal('not_found', 'There is no such endpoint.')
      : new Refusal('method_not_allowed', 'Not with this verb.', {
          status: 405,
          headers: { allow: routes.map((each) => each.method).join(', ') },
        })
  if (route === undefined && !choices.authenticateUnknownRoutes) throw unknown()
  const unsigned = broken('heads_unsigned') && call.method === 'HEAD'
  const isFirst = choices.limitedBy === 'address'
  if (isFirst) countCall(service)
  const readBody = choices.bodyFirst && verb !== 'GET' ? () => bodyOf(service, call) : undefined
  const credential = unsigned ? [...service.credentials.values()][0] : authenticate(service, call, readBody)
  if (route === undefined) throw unknown()
  let limited
  try {
    if (!isFirst) countCall(service, credential)
  } catch (error) {
    if (!broken('limited_writes_are_done') || call.method !== 'POST') throw error
    limited = error
  }
  if (broken('apostrophes_crash') && /'|%27/u.test(path)) throw new Error('unterminated string literal')
  if (broken('long_paths_crash') && path.length > 255) throw new Error('value too long for type character varying(255)')
  if (broken('letters_beyond_ascii_crash') && /domain=[^&]*%[C-F]/u.test(call.query))
    throw new Error('label is not ASCII')
  if (broken('zero_bytes_crash') && call.query.includes('%00')) throw new Error('invalid byte sequence 0x00')
  if (service.failNext > 0) {
    service.failNext--
    throw new Error('database connection lost at 10.0.0.7:5432')
  }
  if (broken('registrations_crash') && call.method === 'PUT') throw new Error('no such table: hooks')
  if (broken('sessions_crash') && path.endsWith('/checkout-session')) throw new Error('no such table: sessions')
  const late =
    (broken('forbidden_links_kept') && call.method === 'POST' && path.endsWith('/links')) ||
    (broken('forbidden_registrations_replace') && call.method === 'PUT') ||
    (broken('forbidden_quotes_reserve') && path.endsWith('/quotes'))
  const anyone = broken('heads_unscoped') && call.method === 'HEAD'
  if (!late && !anyone) allowed(service, credential, route.scopes)
  const partner = service.partners.get(credential.partner)
  if (route.work.referral && !partner.affiliate && !broken('unlinked_partners_refer'))
    throw new Refusal(...(choices.unlinked ?? ['forbidden', 'This credential is not linked to an affiliate account.']))
  let parts
  try {
    parts = route.parts.map(decodeURIComponent)
  } catch {
    throw new Refusal('validation_error', 'The path holds a malformed percent escape.')
  }
  refuseUnknown(service, call, path)
  const env = service.environments[broken('environments_shared') ? 'sandbox' : credential.env]
  const body = verb === 'GET' || reads ? undefined : bodyOf(service, call)
  refuseMembers(service, body, path)
  const c = {
    service,
    choices,
    shape: choices.shape(service),
    env,
    partner: partner.id,
    credential,
    call,
    body,
    parts,
    base,
  }
  if (broken('long_keys_crash') && call.headers['idempotency-key']?.length > 255) throw new Error('value too long')
  beforeWork(c)
  const told = afterWork(c, await route.work(c))
  if (limited !== undefined) throw limited
  if (late) allowed(service, credential, route.scopes)
  if (told.text !== undefined && told.status !== undefined) return told
  const { _headers: headers = {}, _array: array, ...rest } = told
  const status = route.work.creates ? createdStatus(c) : 200
  if (status === 204) return { status, headers, text: '' }
  if (broken('reports_as_text') && call.path.endsWith('/analytics')) headers['content-type'] = 'text/plain'
  return { status, headers, text: JSON.stringify(array ?? rest) }
}

function refuse(service, error, accept) {
  const { choices, broken } = service
  const known = error instanceof Refusal
  const code = known ? error.code : 'internal_error'
  const status = error.status ?? choices.statuses[code] ?? 400
  const message = known
    ? error.message
    : broken('errors_tell_their_cause')
      ? error.stack
      : 'Something went wrong; try again.'
  if (broken('not_found_is_html') && code === 'not_found')
    return { status, headers: { 'content-type': 'text/html' }, text: '<h1>Not found</h1>' }
  if (broken('rate_limited_as_text') && code === 'rate_limited')
    return {
      status,
      headers: { ...error.headers, 'content-type': 'text/plain' },
      text: JSON.stringify(choices.error(status, code, message)),
    }
  if (broken('html_unless_json_is_asked_for') && !/json/u.test(accept ?? ''))
    return { status, headers: { 'content-type': 'text/html' }, text: `<h1>${message}</h1>` }
  if (broken('refusals_without_message'))
    return { status, headers: { 'content-type': 'application/json' }, text: JSON.stringify({ code }) }
  return {
    status,
    headers: { ...choices.errorHeaders, ...error.headers },
    text: JSON.stringify(choices.error(status, code, message)),
  }
}

/** A broken variant records the order of a call that it refuses for its signature. */
async function recordForged(service, call) {
  const credential = service.credentials.get(call.headers['x-partner-key-id'])
  const env = service.environments[credential?.env]
  if (call.method !== 'POST' || !call.path.endsWith('/v1/orders') || env === undefined) return
  try {
    await createOrder(service, env, credential.partner, call, JSON.parse(call.raw), () => ({}))
  } catch {}
}

/** A broken variant gives the stored answer of an order to any credential of its partner, before it looks at scopes. */
function storedBeforeScopes(service, call) {
  if (!service.broken('stored_answers_before_scopes') || !call.path.endsWith('/v1/orders')) return undefined
  const { partner, env } = service.credentials.get(call.headers['x-partner-key-id']) ?? {}
  const stored = service.environments[env]?.idempotency.get(`${partner} ${call.headers['idempotency-key']}`)
  if (stored === undefined) return undefined
  authenticate(service, call)
  return stored.answer
}

async function handle(service, request) {
  // Addresses are told as the caller reaches the server, which may be through a proxy.
  const host = service.choices.pagesAt
    ? request.headers.host.replace('127.0.0.1', service.choices.pagesAt)
    : request.headers.host
  const base = `http://${host}`
  const [path, ...rest] = request.url.split('?')
  const call = {
    method: request.method,
    url: request.url,
    path,
    query: rest.join('?'),
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    ...(await read(request)),
  }
  if (path.startsWith('/ops/')) {
    const { status, body } = operate(service, call)
    return { status, headers: {}, text: JSON.stringify(body) }
  }
  try {
    if (!path.startsWith('/api/')) {
      call.params = new URLSearchParams(call.query)
      call.form = new URLSearchParams(call.raw.toString())
      const page = browse(service, call)
      if (page !== undefined) return page
    }
    call.params = new Map(pairsOf(service, call.query))
    return storedBeforeScopes(service, call) ?? (await answer(service, call, base))
  } catch (error) {
    afterRefusal(service, call, error)
    if (service.broken('nonces_rolled_back') && call.method !== 'GET') service.nonces.delete(call.nonceKey)
    if (service.broken('forged_orders_recorded') && error.code === 'invalid_signature')
      await recordForged(service, call)
    return refuse(service, error, request.headers.accept)
  }
}

/** The market: each second one name in so many costs more than before. */
function movePrices({ choices, environments }, second) {
  for (const [n, listing] of [...environments.sandbox.listings.values()].entries())
    if (n % choices.pricesMove === second % choices.pricesMove) listing.price += 100
}

/** A personality that works on a few calls at a time refuses more, and takes its time for each. */
async function handleInTurn(service, request) {
  const { choices } = service
  if (choices.workers === undefined || !request.url.startsWith('/api/')) return handle(service, request)
  if (service.working >= choices.workers) {
    await read(request)
    return refuse(service, new Refusal('rate_limited', 'Too many calls at once.', { headers: { 'retry-after': '1' } }))
  }
  service.working++
  try {
    await new Promise((done) => setTimeout(done, choices.latencyMs()))
    return await handle(service, request)
  } finally {
    service.working--
  }
}

export async function startForeignServer(personality, { defect, seed = 1, port = 0, busyMs, lagOf } = {}) {
  const service = createService(PERSONALITIES[personality], { defect, seed, lagOf })
  makePast(service)
  const { choices } = service
  const server = createServer(async (request, response) => {
    const told = await handleInTurn(service, request)
    const { status, headers } = told
    const isJson = (headers['content-type'] ?? choices.contentType).includes('json')
    const isDressed = choices.dress && isJson && request.url.startsWith('/api/') && told.text
    const plain = isDressed ? choices.dress(told.text) : told.text
    const isZipped = choices.zips && plain.length > 400 && /gzip/u.test(request.headers['accept-encoding'] ?? '')
    const text = isZipped ? gzipSync(plain) : plain
    const at = choices.timestampClock === 'moved' ? service.clock.now() : service.clock.wall()
    response.sendDate = false
    if (choices.earlyHints) response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' })
    response.writeHead(status, {
      ...(status !== 204 && { 'content-type': choices.contentType }),
      ...(isZipped && { 'content-encoding': 'gzip', vary: 'Accept-Encoding' }),
      ...(choices.silent
        ? { connection: 'close' }
        : { date: new Date(at - (choices.clockAheadOfDateMs ?? 0)).toUTCString() }),
      ...headers,
    })
    response.end(request.method === 'HEAD' ? '' : text)
  })
  server.maxRequestsPerSocket = choices.callsOfConnection ?? 0
  if (choices.idleMs !== undefined) server.keepAliveTimeout = choices.idleMs
  let second = 0
  const ends = busyMs && startBusiness(service, busyMs)
  const moves = choices.pricesMove && setInterval(() => movePrices(service, second++), 1000)
  await new Promise((ready) => server.listen(port, '127.0.0.1', ready))
  const url = `http://127.0.0.1:${server.address().port}`
  const credentials = Object.fromEntries([...service.credentials.values()].map((each) => [each.name, each]))
  const close = () => {
    service.closed = true
    if (ends) ends()
    for (const timer of [...service.timers, moves]) clearTimeout(timer)
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  }
  return { url, credentials, service, close }
}

if (pathToFileURL(process.argv[1] ?? '').href === import.meta.url) {
  const { parseArgs } = await import('node:util')
  const text = { type: 'string' }
  const { values } = parseArgs({ options: { personality: text, port: text, defect: text, seed: text } })
  const running = await startForeignServer(values.personality ?? 'A', {
    defect: values.defect,
    seed: Number(values.seed ?? 1),
    port: Number(values.port ?? 0),
  })
  process.stdout.write(
    `${JSON.stringify({ url: running.url, credentials: running.credentials, program: fileURLToPath(import.meta.url) })}\n`,
  )
}
