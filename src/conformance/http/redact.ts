import { HEADERS, headerIn, SIGNATURE_PREFIX } from '../../contract/headers.ts'
import { createSecretFinder } from '../../contract/redact.ts'
import type { CheckResult, RedactedExchange } from '../result/result.ts'
import type { Exchange } from './exchange.ts'
import { withoutUndefined } from './json-body.ts'

/** Longest piece of a body that a report keeps, in bytes. */
const KEPT_BODY_BYTES = 16 * 1024

/** How far after the cut a secret may end, in any form. */
const LONGEST_SECRET_BYTES = 4 * 1024

const HIDDEN = '[secret]'

export interface Redactor {
  /** A further secret, from now on. */
  add(secret: string): void
  text(value: string): string
  exchange(exchange: Exchange): RedactedExchange
}

/**
 * Takes secrets out of everything that leaves the runner, in each form in which a target could echo them.
 *
 * @example createRedactor(['sk_test_1234']).text('key=sk_test_1234') // 'key=[secret]'
 */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const finder = createSecretFinder(secrets)
  const text = (value: string) => finder.replaced(value, HIDDEN)
  return {
    add: (secret) => finder.add(secret),
    text,
    exchange(exchange) {
      const signature = headerIn(exchange.request.headers, HEADERS.signature)
      const written = signature?.startsWith(SIGNATURE_PREFIX) ? signature.slice(SIGNATURE_PREFIX.length) : signature
      const digest = written !== undefined && written.length >= 16 ? written : null
      const clean = (value: string): string => {
        const shown = text(value)
        return digest === null ? shown : shown.replaceAll(digest, '[signature]')
      }
      const headers = (pairs: Exchange['request']['headers']): (readonly [string, string])[] =>
        pairs.map(([name, value]) => {
          if (!SIGNATURE_HEADERS.has(name.toLowerCase())) return [clean(name), clean(value)] as const
          // The form of a signature without its digits, so that a wrong form is still seen.
          const prefix = value.startsWith(SIGNATURE_PREFIX) ? SIGNATURE_PREFIX : ''
          const hidden = value.slice(prefix.length)
          const form = /^[0-9a-f]*$/.test(hidden)
            ? 'lower-case hex'
            : /^[0-9A-F]*$/.test(hidden)
              ? 'upper-case hex'
              : 'other'
          return [clean(name), `${prefix}[${hidden.length} characters, ${form}]`] as const
        })
      const { request, answer, broken, origin, speaker, oddity } = exchange
      return {
        id: exchange.id,
        scenario: exchange.scenario,
        sentAt: new Date(exchange.sentAtMs).toISOString(),
        method: request.method,
        target: clean(request.target),
        requestHeaders: headers(request.headers),
        requestBody: bodyText(request.body, clean),
        canonicalString: exchange.canonicalString === null ? null : clean(exchange.canonicalString),
        status: answer?.status ?? null,
        responseHeaders: headers(answer?.headers ?? []),
        responseBody: bodyText(answer?.body ?? new Uint8Array(), clean, answer?.leftOutBytes),
        broken: broken && clean(`${broken.reason}: ${broken.message}`),
        tookMs: exchange.tookMs,
        ...withoutUndefined({ origin, speaker, oddity: oddity && clean(oddity) }),
      }
    },
  }
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

const SIGNATURE_HEADERS = new Set([
  HEADERS.signature.toLowerCase(),
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
])

const UTF8 = new TextDecoder('utf-8')

function bodyText(body: Uint8Array, clean: (text: string) => string, leftOutBytes = 0): string {
  const kept = clean(UTF8.decode(body.subarray(0, KEPT_BODY_BYTES)))
  if (body.length <= KEPT_BODY_BYTES) return kept
  // A secret that the cut goes through is seen only with what follows it.
  const further = clean(UTF8.decode(body.subarray(0, KEPT_BODY_BYTES + LONGEST_SECRET_BYTES)))
  return `${commonStart(kept, further)}… (${body.length + leftOutBytes - KEPT_BODY_BYTES} bytes more)`
}

function commonStart(one: string, other: string): string {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return one.slice(0, length)
}
