import type { QueryPair } from '../../contract/canonical-string.ts'
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
  readonly type?: 'text/html' | 'application/json' | 'text/javascript'
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
export interface Page {
  /** Whether its transaction may change anything, so that its answer must wait for the disk. */
  readonly writes: boolean
  worldOf(request: PageRequest): World | null
  /** @param world null where `worldOf` found none. */
  handle(request: PageRequest, world: World | null): PageReply
}

/** What a field of a form or a query says; none is given twice ({@link readPageRequest}). */
export function valueIn(pairs: readonly QueryPair[], name: string): string | undefined {
  return pairs.find(([key]) => key === name)?.[1]
}
