import { HEADERS, SIGNATURE_PREFIX } from '../contract/headers.ts'
import type { Exchange, WireRequest } from './exchange.ts'
import type { RedactedExchange } from './result.ts'
import { createSecretFinder, SHORTEST_SECRET } from './secret-finder.ts'

/** Longest piece of a body that a report keeps, in bytes. */
const KEPT_BODY_BYTES = 16 * 1024

const HIDDEN = '[secret]'

export interface Redactor {
  /** A further secret, from now on. */
  add(secret: string): void
  text(value: string): string
  exchange(exchange: Exchange): RedactedExchange
}

/**
 * Takes secrets out of everything that leaves the runner, in each form a target could echo them: as they are,
 * URL-encoded, JSON-escaped, base64 and hex.
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

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  // Base64 of a text that holds the secret differs with what stands before it: leave the uncertain ends off.
  const inner = [0, 1, 2].map((offset) => base64Core(bytes, offset)).filter((form) => form.length >= 8)
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), bytes.toString('hex'), ...inner]
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
      ([name, value]) => [name, SIGNATURE_HEADERS.has(name.toLowerCase()) ? maskedValue(value) : clean(value)] as const,
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
    requestBody: clean(bodyText(request.body)),
    canonicalString: exchange.canonicalString === null ? null : clean(exchange.canonicalString),
    status: response?.status ?? null,
    responseHeaders: headers(response?.headers ?? []),
    responseBody: clean(bodyText(response?.body ?? new Uint8Array())),
    broken: outcome.kind === 'broken' ? clean(`${outcome.reason}: ${outcome.message}`) : null,
    tookMs: response?.tookMs ?? (outcome.kind === 'broken' ? outcome.tookMs : 0),
    ...(exchange.origin === undefined ? {} : { origin: exchange.origin }),
    ...(exchange.speaker === undefined ? {} : { speaker: exchange.speaker }),
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

function bodyText(body: Uint8Array): string {
  const text = UTF8.decode(body.subarray(0, KEPT_BODY_BYTES))
  return body.length > KEPT_BODY_BYTES ? `${text}… (${body.length - KEPT_BODY_BYTES} bytes more)` : text
}
