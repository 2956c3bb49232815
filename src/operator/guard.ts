import type { IncomingMessage } from 'node:http'
import { equalInConstantTime } from '../contract/signature.ts'
import { headerValues } from '../sandbox/wire/call.ts'
import { JSON_TYPE, requireJsonType } from '../sandbox/wire/json-body.ts'
import { hostsOn, LOOPBACK_NAMES } from '../sandbox/wire/loopback.ts'
import type { FileKind } from './console-files.ts'
import { problem } from './problems.ts'

export interface GuardOptions {
  /** The address or name the port was opened on. */
  host: string
  /** Bearer token; null for none, which is for loopback only. */
  token: string | null
}

/** Sent with every answer: no sniffing, no frames, no caches, no Referer, no use by other sites. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const

const ANY_ADDRESS = ['0.0.0.0', '::']
const WRITING = ['POST', 'PUT', 'PATCH']

/**
 * Keeps web pages and strangers out. A page in the operator's own browser can reach a loopback port, so neither the
 * address nor the port proves who is asking: the Host must be one of our names letter for letter (DNS rebinding), the
 * Origin ours where there is one, and a write must carry a content type that no plain form can send.
 *
 * @param file what is asked for beside data; null for what an operation does.
 * @throws Problem 403, 401 or, as an ApiError, 415.
 * @example guard(request.raw, null, { host: '127.0.0.1', token: null })
 */
export function guard(request: IncomingMessage, file: FileKind | null, { host, token }: GuardOptions): void {
  const { localAddress = '' } = request.socket
  // Opened on every address, we answer to the one that was called: a rebound name never looks like that.
  const own = ANY_ADDRESS.includes(host) ? localAddress.replace(/^::ffff:/, '') : host.toLowerCase()
  const hosts = hostsOn(request, [...LOOPBACK_NAMES, own.includes(':') ? `[${own}]` : own])
  const [sent, ...others] = headerValues(request, 'host')
  if (sent === undefined || others.length > 0 || !hosts.includes(sent)) {
    throw problem('foreign-host', { hosts: [...new Set(hosts)].join(', ') })
  }
  // A link to the console may be in a message or an issue.
  if (file !== 'console page' || !isNavigation(request)) refuseForeignPage(request, hosts)
  if (token !== null && file === null) refuseStranger(request, token)
  if (!isWriting(request) || NO_FORMS_TYPES.includes(typeOf(request))) return
  if (!JSON_TYPE.test(typeOf(request))) throw problem('wrong-type')
  requireJsonType(request)
}

/** Whether a body belongs to it. */
export function isWriting({ method = '' }: IncomingMessage): boolean {
  return WRITING.includes(method)
}

/** The content type as it was sent; empty if there is none or more than one. */
export function typeOf(request: IncomingMessage): string {
  const [type = '', ...others] = headerValues(request, 'content-type')
  return others.length === 0 ? type.toLowerCase() : ''
}

/** Besides JSON: a route says which of these it takes, if any. */
const NO_FORMS_TYPES: readonly string[] = ['application/vnd.sqlite3', 'text/csv']

function refuseForeignPage(request: IncomingMessage, hosts: readonly string[]): void {
  const isOurs = (origin: string) => hosts.some((host) => origin === `http://${host}`)
  if (!headerValues(request, 'origin').every(isOurs)) throw problem('foreign-origin')
  if (headerValues(request, 'sec-fetch-site').some((value) => value.toLowerCase().includes('cross-site'))) {
    throw problem('foreign-site')
  }
}

/** Whether a person goes to an address in a tab of the browser; a frame or a script of a page is something else. */
function isNavigation(request: IncomingMessage): boolean {
  const is = (name: string, value: string) => headerValues(request, name).join() === value
  return (
    is('sec-fetch-mode', 'navigate') && is('sec-fetch-dest', 'document') && headerValues(request, 'origin').length === 0
  )
}

const BEARER = /^Bearer +(\S+)$/i
const CHALLENGE = { 'www-authenticate': 'Bearer realm="partner-sandbox operator"' }

function refuseStranger(request: IncomingMessage, token: string): void {
  const [sent = '', ...others] = headerValues(request, 'authorization')
  const given = others.length === 0 ? BEARER.exec(sent)?.[1] : undefined
  if (given !== undefined && equalInConstantTime(given, token)) return
  throw problem('wrong-token', {}, { headers: CHALLENGE })
}
