// K, a program of its own: it shares no line with the other servers of the folder, so that their readings of the document are not
// its own. node test/foreign-servers/stranger/server.mjs [port] [--defect name,name]
// What it chooses where the document is silent:
// - "response payload shapes": `data` around most answers, beside links and meta; what the document spells out has no envelope.
//   Amounts are objects of a decimal text and a currency; availability is a word in one read and a flag in another.
// - "error body layout": a list of errors, one for each field. Unknown addresses and verbs are refused before any signature.
// - "statuses of the four codes": 400, 401, 409 and 428. Refusals are stored under an Idempotency-Key, too; keys are of a credential.
// - "the cursor of list endpoints": orders by cursor, oldest first; all else by numbers of pages, 25 a page; the ledger newest first.
// - "parameter names": created_after, created_before, per_page. An unknown status is refused, an unknown parameter is not.
// - "requiredness": an order needs the buyer's name and country and the partner's own reference; bodies may hold anything more.
// - A sold domain is not listed any more; a quote that is asked for again is the same; a refund is carried out by a queue a moment later.
// - Events are written by that queue and have microseconds; next_cursor is always the last id; an unknown after_id is 404.
// - Checkout has two steps, a session cookie and a token in each form; it wants a test card that the page names.
// - JSON has escaped slashes and no letter beyond ASCII. A percent sign that starts no escape stays, and so does a plus sign.
import { createServer } from 'node:http'
import { routes as earning } from './earning.mjs'
import { ApiError, broken, clock, encode, hmac, invalid, notFound, same, seal, sha256, uuid } from './lib.mjs'
import { desk, open as openPage, sealing, state } from './pages.mjs'
import { routes as selling } from './selling.mjs'
import { settle, routes as settling } from './settling.mjs'
import { credentials, environments, open } from './world.mjs'

const ROOT = '/api/partner/v1'
const TOKEN = process.env.K_TOKEN ?? 'backoffice'
const LIMIT = 512 * 1024
const NONCE_MS = 15 * 60_000
const DELAY = Number(process.env.K_DELAY ?? 0)
sealing((made) => seal({ session: made.id, exp: made.expires }))

const routes = [...selling, ...settling, ...earning].map(([method, path, scopes, handler]) => {
  const full = path.startsWith('/api') ? path : ROOT + path
  const pattern = new RegExp(`^${full.replaceAll(/[.]/g, '\\.').replace('*', '([^/]+)')}$`)
  return { method, pattern, scopes, handler }
})

function find(method, path) {
  const here = routes.filter((r) => r.pattern.test(path))
  if (here.length === 0) throw notFound('This address')
  const route = here.find((r) => r.method === method)
  if (!route) {
    const allow = [...new Set(here.map((r) => r.method))].join(', ')
    throw new ApiError(405, 'method_not_allowed', `Use ${allow} here.`, undefined, { Allow: allow })
  }
  // The first one that fits: /domains/search stands before /domains/*.
  return { route, params: route.pattern.exec(path).slice(1).map(decode) }
}

// Percent signs that start no escape stay as they are; a plus sign is a plus sign.
const decode = (part) =>
  part.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
const strict = (part) =>
  encodeURIComponent(part.toWellFormed()).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

function pairs(raw) {
  return raw
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=')
      return at < 0 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))]
    })
}
const order = (a, b) => Number(a > b) - Number(a < b)
function canonicalQuery(list) {
  const sorted = [...list].sort((a, b) => order(a[0], b[0]) || (broken('values-unsorted') ? 0 : order(a[1], b[1])))
  return sorted.map(([k, v]) => `${strict(k)}=${strict(v)}`).join('&')
}

const NAMES = ['x-partner-timestamp', 'x-partner-nonce', 'x-partner-signature']

function authenticate(method, path, list, headers, body) {
  const keyId = headers['x-partner-key-id']
  if (keyId === undefined) throw new ApiError(401, 'missing_credentials', 'The header X-Partner-Key-Id is missing.')
  const missing = [...(keyId === '' ? ['x-partner-key-id'] : []), ...NAMES.filter((n) => !headers[n])]
  if (missing.length) throw new ApiError(400, 'missing_signature_headers', `Missing: ${missing.join(', ')}.`)
  const [timestamp, nonce, signature] = NAMES.map((n) => headers[n])
  const credential = credentials.get(keyId)
  const canonical = [
    method,
    path,
    canonicalQuery(list),
    timestamp,
    nonce,
    sha256(method === 'GET' || (broken('put-body-unsigned') && method === 'PUT') ? '' : body),
  ].join('\n')
  const right = `v1=${hmac(credential?.secret ?? 'none', canonical)}`
  const given = broken('signature-any-case') ? signature.toLowerCase() : signature
  if (!same(given, right) || !credential) throw new ApiError(401, 'invalid_signature', 'The signature is not valid.')
  const now = Date.now() + state.skew * 1000
  const away = now / 1000 - Number(timestamp)
  const lax = broken('future-taken') ? away > 300 : Math.abs(away) > (broken('window-wide') ? 310 : 300.999)
  if (!/^\d{1,12}$/.test(timestamp) || lax) {
    throw new ApiError(401, 'invalid_timestamp', 'The timestamp must be in seconds and at most five minutes away.')
  }
  const seen = credential.nonces
  for (const [old, at] of seen) {
    if (at > now - NONCE_MS) break
    seen.delete(old)
  }
  const marked = broken('nonce-per-path') ? path + nonce : nonce
  if (seen.has(marked)) throw new ApiError(409, 'replay_detected', 'This nonce was used before.')
  seen.set(marked, now)
  return credential
}

const windows = new Map()
function throttle(credential) {
  const { requests, seconds } = state.rate()
  if (!requests) return {}
  const now = Date.now()
  let window = windows.get(credential)
  if (!window || now >= window.ends || window.requests !== requests)
    window = { left: requests, ends: now + seconds * 1000, requests }
  windows.set(credential, window)
  if (window.left <= 0) {
    const wait = Math.max(1, Math.ceil((window.ends - now) / 1000))
    throw new ApiError(429, 'rate_limited', 'Too many requests.', undefined, { 'Retry-After': String(wait) })
  }
  window.left -= 1
  return { 'X-RateLimit-Limit': String(requests), 'X-RateLimit-Remaining': String(window.left) }
}

function parse(method, headers, raw) {
  if (method === 'GET') return undefined
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    throw new ApiError(415, 'unsupported_media_type', 'Send application/json.')
  }
  let body
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw))
  } catch {
    throw invalid([['', 'The body is not valid JSON.']])
  }
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw invalid([['', 'The body must be a JSON object.']])
  return body
}

function api(method, path, rawQuery, headers, raw, base) {
  const { route, params } = find(method, path)
  const list = pairs(rawQuery)
  const credential = authenticate(method, path, list, headers, raw)
  const rates = throttle(credential)
  if (state.fail > 0) {
    state.fail -= 1
    throw new Error('asked for')
  }
  const holds =
    route.scopes.some((s) => credential.scopes.includes(s)) ||
    (broken('settlements-unscoped') && path.endsWith('/settlements'))
  if (!holds) throw new ApiError(403, 'forbidden', `This needs the scope ${route.scopes.join(' or ')}.`)
  const body = parse(method, headers, raw)
  const query = new URLSearchParams()
  for (const [k, v] of list) query.append(k, v)
  const answer = route.handler({ credential, world: credential.world, headers, params, query, path, base, body, raw })
  if (answer.error) throw answer.error
  return { status: answer.status ?? 200, headers: rates, text: encode(answer.body) }
}

function refusal(error) {
  const known = error instanceof ApiError
  if (!known && !/asked for/.test(error.message)) process.stderr.write(`${error.stack}\n`)
  const { status, code, fields, headers } = known ? error : { status: 500, code: 'internal_error' }
  const message = known ? error.message : 'Something went wrong on our side.'
  const errors = fields?.length
    ? fields.map(([attr, text]) => ({ code, message: text, attr: attr || null }))
    : [{ code, message, attr: null }]
  const type = status >= 500 ? 'server_error' : code === 'validation_error' ? 'validation_error' : 'client_error'
  return { status, headers: headers ?? {}, text: encode({ type, errors }) }
}

const cookiesOf = (header = '') =>
  Object.fromEntries(header.split(/;\s*/).map((c) => [c.split('=')[0], c.slice(c.indexOf('=') + 1)]))

function answer(req, chunks, tooLong) {
  const at = req.url.indexOf('?')
  const path = at < 0 ? req.url : req.url.slice(0, at)
  const rawQuery = at < 0 ? '' : req.url.slice(at + 1)
  const base = `http://${req.headers.host}`
  const raw = Buffer.concat(chunks)
  if (path.startsWith('/backoffice/'))
    return { status: desk(path, req.headers, raw.toString(), TOKEN), headers: {}, text: '' }
  if (!path.startsWith('/api/')) {
    const query = new URLSearchParams(rawQuery)
    const shown = openPage({
      method: req.method,
      path,
      query,
      body: raw.toString(),
      cookies: cookiesOf(req.headers.cookie),
      base,
    })
    return shown ?? { status: 404, headers: { 'Content-Type': 'text/html' }, text: '<h1>Not Found</h1>' }
  }
  try {
    if (tooLong) throw new ApiError(413, 'payload_too_large', 'The body is too large.')
    return api(req.method, path, rawQuery, req.headers, raw, base)
  } catch (error) {
    return refusal(error)
  }
}

open()
const server = createServer((req, res) => {
  const chunks = []
  let size = 0
  req.on('data', (chunk) => {
    size += chunk.length
    if (size <= LIMIT) chunks.push(chunk)
  })
  req.on('end', () => {
    const { status, headers, text } = answer(req, chunks, size > LIMIT)
    const send = () => {
      const type = req.url.startsWith('/api/') ? { 'Content-Type': 'application/json' } : {}
      res.writeHead(status, { ...type, 'X-Request-Id': uuid(), 'Cache-Control': 'no-cache, private', ...headers })
      res.end(req.method === 'HEAD' ? '' : text)
    }
    if (DELAY) setTimeout(send, DELAY)
    else send()
  })
})

// The nightly settlement run: at midnight UTC of the service's clock.
let today = Math.floor(clock.now() / 86_400_000)
setInterval(() => {
  const now = Math.floor(clock.now() / 86_400_000)
  if (now === today) return
  today = now
  for (const world of Object.values(environments)) settle(world)
}, 200).unref()

server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  const { port } = server.address()
  const keys = [...credentials.values()].map((c) => ({
    name: c.name,
    partner: c.partner.name,
    key_id: c.keyId,
    secret: c.secret,
    scopes: c.scopes,
  }))
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, credentials: keys })}\n`)
})
