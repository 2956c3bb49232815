import { HEADERS, SIGNATURE_PREFIX } from '../contract/headers.ts'
import type { Exchange, WireRequest } from './exchange.ts'
import type { CheckResult, RedactedExchange } from './result.ts'
import { createSecretFinder, SHORTEST_SECRET } from './secret-finder.ts'

/** Longest piece of a body that a report keeps, in bytes. */
const KEPT_BODY_BYTES = 16 * 1024

/** How far behind the cut a secret may end, in whatever form. */
const LONGEST_SECRET_BYTES = 4 * 1024

const HIDDEN = '[secret]'

export interface Redactor {
  /** A further secret, from now on. */
  add(secret: string): void
  text(value: string): string
  exchange(exchange: Exchange): RedactedExchange
}

/**
 * Takes secrets out of everything that leaves the runner, in each form a target could echo them: as they are,
 * URL-encoded, escaped for JSON or HTML, base64 and hex.
 *
 * @example createRedactor(['sk_test_1234']).text('key=sk_test_1234') // 'key=[secret]'
 */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const finder = createSecretFinder()
  const known = new Set<string>()
  const redactor: Redactor = {
    add(secret) {
      if (secret.length < SHORTEST_SECRET || known.has(secret)) return
      known.add(secret)
      for (const form of formsOf(secret)) finder.add(form)
    },
    text: (value) => finder.replaced(value, HIDDEN),
    exchange: (exchange) => redacted(exchange, redactor),
  }
  for (const secret of secrets) redactor.add(secret)
  return redactor
}

/** A check whose sentences, which quote the target, hold no secret. */
export function redactedCheck(check: CheckResult, { text }: Redactor): CheckResult {
  return {
    ...check,
    expected: text(check.expected),
    actual: text(check.actual),
    ...(check.note === undefined ? {} : { note: text(check.note) }),
    ...(check.todo === undefined ? {} : { todo: text(check.todo) }),
    ...(check.twin === undefined ? {} : { twin: text(check.twin) }),
  }
}

/** Any JSON value without secrets: a target could put one into any answer, as a key too. */
export function redactedValue(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.text(value)
  if (Array.isArray(value)) return value.map((item) => redactedValue(item, redactor))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [redactor.text(key), redactedValue(item, redactor)])
  return Object.fromEntries(entries)
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  // Base64 of a text that holds the secret differs with what stands before it: leave the uncertain ends off.
  const inner = [0, 1, 2].map((offset) => base64Core(bytes, offset)).filter((form) => form.length >= 8)
  const urlSafe = inner.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))
  return [...new Set([...escapedForms(secret), ...spelledOut(secret), bytes.toString('hex'), ...inner, ...urlSafe])]
}

/** Each character by its number, as writers do that escape even what they need not. */
function spelledOut(secret: string): string[] {
  const percent = [...Buffer.from(secret, 'utf8')].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const spelled = (write: (code: number) => string) => [...secret].map((one) => write(one.codePointAt(0) ?? 0)).join('')
  return [
    percent,
    percent.replaceAll('%', '%25'),
    secret.split('').map(unicodeEscape).join(''),
    spelled((code) => `&#${code};`),
    spelled((code) => `&#x${code.toString(16)};`),
    secret.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`),
    secret.replaceAll(/[&<>"']/g, (one) => HTML_NAMES[one] ?? one),
  ]
}

const HTML_NAMES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
}

/** Answers hold others as texts, and the runner puts what it is given into URLs: escapes of escapes occur. */
const ESCAPED_AT_MOST = 3

/** As it is and escaped for JSON and URLs, in any order. What needs no escaping has one form. */
function escapedForms(secret: string): Set<string> {
  const forms = new Set([secret])
  let latest = [secret]
  for (let times = 0; times < ESCAPED_AT_MOST; times += 1) {
    latest = [...new Set(latest.flatMap((form) => [escapedOnce(form), escapedFully(form), encodeURIComponent(form)]))]
    for (const form of latest) forms.add(form)
  }
  return forms
}

/** As JSON writers do that escape all they may. */
function escapedFully(text: string): string {
  return escapedOnce(text)
    .replaceAll('/', '\\/')
    .replaceAll(/[\u007f-\uffff]/g, unicodeEscape)
}

function escapedOnce(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function base64Core(bytes: Buffer, offset: number): string {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  return padded.slice(offset === 0 ? 0 : offset + 1, -1)
}

const SIGNATURE_HEADERS = new Set([
  HEADERS.signature.toLowerCase(),
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
])

function redacted(exchange: Exchange, redactor: Redactor): RedactedExchange {
  const digest = signatureDigest(exchange.request)
  const clean = (value: string): string => {
    const text = redactor.text(value)
    return digest === null ? text : text.replaceAll(digest, '[signature]')
  }
  const headers = (pairs: Exchange['request']['headers']): (readonly [string, string])[] =>
    pairs.map(
      ([name, value]) =>
        [clean(name), SIGNATURE_HEADERS.has(name.toLowerCase()) ? maskedValue(value) : clean(value)] as const,
    )
  const { request, outcome } = exchange
  const response = outcome.kind === 'response' ? outcome.response : null
  return {
    id: exchange.id,
    scenario: exchange.scenario,
    sentAt: new Date(exchange.sentAtMs).toISOString(),
    method: request.method,
    target: clean(request.target),
    requestHeaders: headers(request.headers),
    requestBody: bodyText(request.body, clean),
    canonicalString: exchange.canonicalString === null ? null : clean(exchange.canonicalString),
    status: response?.status ?? null,
    responseHeaders: headers(response?.headers ?? []),
    responseBody: bodyText(response?.body ?? new Uint8Array(), clean, response?.leftOutBytes),
    broken: outcome.kind === 'broken' ? clean(`${outcome.reason}: ${outcome.message}`) : null,
    tookMs: response?.tookMs ?? (outcome.kind === 'broken' ? outcome.tookMs : 0),
    ...(exchange.origin === undefined ? {} : { origin: exchange.origin }),
    ...(exchange.speaker === undefined ? {} : { speaker: exchange.speaker }),
    ...(exchange.oddity === undefined ? {} : { oddity: clean(exchange.oddity) }),
  }
}

/** What is left of a signature: its form, so that a wrong form is still seen. */
function maskedValue(value: string): string {
  const prefix = value.startsWith(SIGNATURE_PREFIX) ? SIGNATURE_PREFIX : ''
  const digest = value.slice(prefix.length)
  const form = /^[0-9a-f]*$/.test(digest) ? 'lower-case hex' : /^[0-9A-F]*$/.test(digest) ? 'upper-case hex' : 'other'
  return `${prefix}[${digest.length} characters, ${form}]`
}

function signatureDigest(request: WireRequest): string | null {
  const value = request.headers.find(([name]) => name.toLowerCase() === HEADERS.signature.toLowerCase())?.[1]
  const digest = value?.startsWith(SIGNATURE_PREFIX) ? value.slice(SIGNATURE_PREFIX.length) : value
  return digest !== undefined && digest.length >= 16 ? digest : null
}

const UTF8 = new TextDecoder('utf-8')

function bodyText(body: Uint8Array, clean: (text: string) => string, leftOutBytes = 0): string {
  const kept = clean(decode(body.subarray(0, KEPT_BODY_BYTES)))
  if (body.length <= KEPT_BODY_BYTES) return kept
  // A secret that the cut goes through is seen only with what follows it.
  const further = clean(decode(body.subarray(0, KEPT_BODY_BYTES + LONGEST_SECRET_BYTES)))
  return `${commonStart(kept, further)}… (${body.length + leftOutBytes - KEPT_BODY_BYTES} bytes more)`
}

function decode(bytes: Uint8Array): string {
  return UTF8.decode(bytes)
}

function commonStart(one: string, other: string): string {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return one.slice(0, length)
}
