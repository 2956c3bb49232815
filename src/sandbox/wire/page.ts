import { decodeQuery, MalformedQueryError, type QueryPair, splitTarget } from '../../contract/canonical-string.ts'
import type { World } from '../kernel/world.ts'

/**
 * What buyers and visitors see on the partner API's port. No page is signed: each is public or opened by a token in its address.
 *
 * To add one: a row here; `<noun>-page.tsx` in its feature, drawn with `page-kit`; a row in `page-handlers.ts`. `serve-page.ts`
 * does strict parsing, the rate limit, the transaction, HEAD, security headers and plain pages for errors.
 */
export const PAGES = {
  checkout: { methods: ['GET', 'POST'], path: '/checkout' },
  'case-progress': { methods: ['GET'], path: '/brokerage/progress' },
  'tracking-link': { methods: ['GET'], path: '/go/{world}/{link_id}' },
  shop: { methods: ['GET', 'POST'], path: '/shop/{world}/{link_id}' },
  'api-docs': { methods: ['GET'], path: '/docs' },
  'docs-script': { methods: ['GET'], path: '/docs/docs.js' },
  openapi: { methods: ['GET'], path: '/openapi.json' },
  'docs-file': { methods: ['GET'], path: '/docs/{page}' },
  llms: { methods: ['GET'], path: '/llms.txt' },
  'llms-full': { methods: ['GET'], path: '/llms-full.txt' },
  /** Only for whom serve-page.ts takes for a browser without any key; to everybody else that path is as unknown as any other. */
  home: { methods: ['GET'], path: '/' },
} as const satisfies Record<string, { methods: readonly ('GET' | 'POST')[]; path: `/${string}` }>

export type PageId = keyof typeof PAGES

export interface FindWorld {
  /** The first world of the server. */
  readonly main: World
  find(name: string): World | null
}

/** A request for a page. None of it is authenticated. */
export interface PageRequest {
  readonly worlds: FindWorld
  readonly method: 'GET' | 'POST'
  /** Parts of the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: readonly QueryPair[]
  /** Fields of the posted form; empty for a GET. */
  readonly form: readonly QueryPair[]
  readonly cookies: ReadonlyMap<string, string>
  /** Whether a browser fetches the page in advance, before the visitor opens it. */
  readonly isPrefetch: boolean
  /** Whether it can only come from the machine of the sandbox (`loopback.ts`). */
  readonly isFromThisMachine: boolean
}

/** Why a page is not shown, as a plain page of that status says it in general words. */
export class PageRefusal extends Error {
  override name = 'PageRefusal'
  readonly status: 400 | 403 | 404 | 409 | 410 | 413 | 415 | 425 | 429
  readonly retryAfterSeconds: number | undefined

  constructor(status: PageRefusal['status'], message: string, retryAfterSeconds?: number) {
    super(message)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** What a page answers: a document, or the address to go on to. */
export interface PageReply {
  readonly status: number
  readonly type?: 'text/html' | 'text/plain' | 'text/markdown' | 'application/json' | 'text/javascript'
  readonly body?: string
  /** With a status of 303: where the browser goes on. */
  readonly location?: string
  /** With a status of 429: whole seconds until the page is shown again. */
  readonly retryAfterSeconds?: number | undefined
  /** Whole Set-Cookie values. */
  readonly cookies?: readonly string[]
  /** Addresses outside that a form of this page may end at: browsers hold a policy for forms against redirects too. */
  readonly formTargets?: readonly string[]
  /** Whether the page loads a script of this server, which may call this server. */
  readonly hasScript?: true
  /** Of its style sheet, if that is not the one of all pages. */
  readonly styleHash?: string
}

/**
 * One page. `worldOf` finds the world from the token or the path; the page then runs within a transaction of that world, in
 * which what is due has been done. Null, or a page that belongs to no world, runs in none.
 */
export interface PageRoute {
  /** Whether its transaction may change anything, so that its answer must wait for the disk. */
  readonly writes: boolean
  worldOf(request: PageRequest): World | null
  handle(request: PageRequest, world: World | null): PageReply
}

/** What a field of a form or a query says; none is given twice ({@link readPageRequest}). */
export function valueIn(pairs: readonly QueryPair[], name: string): string | undefined {
  return pairs.find(([key]) => key === name)?.[1]
}

/**
 * Chromium holds every redirect of a form against its policy, also those of the partner's own site. With the origin of its
 * address alone a buyer who has paid would be stuck as soon as that site goes on to `www` or to https.
 */
const ANY_SITE = ['http:', 'https:']

/**
 * What every page asks of the browser: load nothing, run no script but that of the reference, stay out of frames, caches, logs of other sites and
 * search engines (the address may hold a token).
 */
export function pageHeaders(reply: PageReply, usualStyleHash: string): Record<string, string> {
  return {
    'content-type': `${reply.type ?? 'text/html'}; charset=utf-8`,
    'content-security-policy': policyOf(reply, usualStyleHash),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow',
    'x-content-type-options': 'nosniff',
    ...(reply.location !== undefined && { location: reply.location }),
    ...(reply.retryAfterSeconds !== undefined && { 'retry-after': String(reply.retryAfterSeconds) }),
  }
}

const OWN_SCRIPT = ["script-src 'self'", "connect-src 'self'"]

function policyOf({ formTargets = [], hasScript, styleHash }: PageReply, usualStyleHash: string): string {
  return [
    "default-src 'none'",
    `style-src '${styleHash ?? usualStyleHash}'`,
    ...(hasScript ? OWN_SCRIPT : []),
    `form-action ${["'self'", ...(formTargets.length > 0 ? ANY_SITE : [])].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

export const LARGEST_FORM_BYTES = 16 * 1024

interface RawPageRequest {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Uint8Array
  readonly params: Readonly<Record<string, string>>
  readonly isFromThisMachine: boolean
}

const FORM_TYPE = /^application\/x-www-form-urlencoded(?:\s*;\s*charset="?utf-8"?)?$/i

/** A broken percent escape, a field given twice or another kind of body is refused. */
export function readPageRequest(raw: RawPageRequest): Omit<PageRequest, 'worlds'> {
  const method = raw.method === 'POST' ? 'POST' : 'GET'
  if (method === 'POST') refuseOtherSites(raw.headers)
  return {
    method,
    params: raw.params,
    query: pairsOf(splitTarget(raw.target).query),
    form: method === 'POST' ? formOf(raw) : [],
    cookies: cookiesOf(raw.headers['cookie']),
    isPrefetch: isPrefetch(raw.headers),
    isFromThisMachine: raw.isFromThisMachine,
  }
}

/** Browsers say so in one of two headers, the older of which has no other use. */
function isPrefetch(headers: RawPageRequest['headers']): boolean {
  return [headers['sec-purpose'], headers['purpose']].some((purpose) => /^prefetch\b/i.test(String(purpose)))
}

/** A form that another site sends in the visitor's name. Browsers mark such requests. */
function refuseOtherSites(headers: RawPageRequest['headers']): void {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return
  throw new PageRefusal(403, 'the form was sent from another site')
}

function formOf({ headers, body }: RawPageRequest): QueryPair[] {
  if (body.length > LARGEST_FORM_BYTES) throw new PageRefusal(413, 'the form is too large')
  if (body.length === 0) return []
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  if (!FORM_TYPE.test(String(headers['content-type'])) || encoding !== 'identity') {
    throw new PageRefusal(415, 'the body is not a form')
  }
  return pairsOf(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'))
}

function pairsOf(encoded: string): QueryPair[] {
  const pairs = decoded(encoded)
  const names = new Set(pairs.map(([name]) => name))
  if (names.size < pairs.length) throw new PageRefusal(400, 'a field is given more than once')
  return pairs
}

function decoded(encoded: string): QueryPair[] {
  try {
    return decodeQuery(encoded)
  } catch (error) {
    if (error instanceof MalformedQueryError) throw new PageRefusal(400, error.message)
    throw error
  }
}

/** Cookies by name, undecoded; of two with one name the first counts, as the more specific path is sent first. */
function cookiesOf(header: string | string[] | undefined): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const piece of [header ?? ''].flat().join(';').split(';')) {
    const equals = piece.indexOf('=')
    const name = piece.slice(0, equals).trim()
    if (equals > 0 && !cookies.has(name)) cookies.set(name, piece.slice(equals + 1).trim())
  }
  return cookies
}
