import { API_ROOT } from '../endpoints/endpoint.ts'
import { WEBHOOKS_PATH } from '../endpoints/webhooks.ts'
import { type Alternative, distinct, type Mistakes, wrongWays } from './mistake.ts'

/** Other verbs than the one sent. */
export const METHOD_MISTAKES = {
  'method-lower-case': ['the verb was signed in lower case', (method) => [method.toLowerCase()]],
  'method-other': [
    (sent, signed) => `the verb ${signed} was signed and ${sent} was sent`,
    () => ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'],
  ],
} as const satisfies Mistakes<string>

interface SentPath {
  readonly path: string
  readonly query: string
  /** What the Host header says. */
  readonly hosts: readonly string[]
}

/** Other paths than the one sent. */
export const PATH_MISTAKES = {
  'path-without-root': [
    'the path was signed without the API root; it is signed whole, /api/partner/v1 included',
    ({ path }) =>
      [API_ROOT, '/api/partner', '/api']
        .filter((root) => path.startsWith(`${root}/`))
        .map((root) => path.slice(root.length)),
  ],
  'path-with-query': [
    'the query was signed as a part of the path',
    ({ path, query }) => (query === '' ? [] : [`${path}?${query}`]),
  ],
  'path-slash-added': [
    'the path was signed with a slash at its end that was not sent',
    ({ path }) => (path.endsWith('/') ? [] : [`${path}/`]),
  ],
  'path-slash-removed': [
    'the path was signed without the slash at its end that was sent',
    ({ path }) => [path.replace(/\/$/, '')],
  ],
  'path-lower-case': ['the path was signed in lower case', ({ path }) => [path.toLowerCase()]],
  'path-upper-case': ['the path was signed in upper case', ({ path }) => [path.toUpperCase()]],
  'path-without-first-slash': ['the path was signed without its first slash', ({ path }) => [path.slice(1)]],
  'path-decoded': ['the path was signed percent-decoded; it is signed as it is sent', ({ path }) => [decoded(path)]],
  'path-versioned': [
    'the path was signed with /v1 in it; this one has no version segment',
    ({ path }) => [path.replace(WEBHOOKS_PATH, `${API_ROOT}/webhooks`)],
  ],
  'path-with-host': [
    'the whole URL was signed in place of the path',
    ({ path, query, hosts }) =>
      hosts.flatMap((host) => {
        const urls = [`http://${host}${path}`, `https://${host}${path}`, `${host}${path}`]
        return query === '' ? urls : [...urls, ...urls.map((url) => `${url}?${query}`)]
      }),
  ],
} as const satisfies Mistakes<SentPath, string>

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

const SECONDS = /^\d{9,11}$/
const MILLISECONDS = /^\d{12,14}$/
/** How far apart two readings of the clock by one signer may lie. */
const NEARBY_SECONDS = 5

interface SentTimestamp {
  readonly text: string
  /** Of the second, those that are tried. */
  readonly milliseconds: readonly number[]
}

/** Other timestamps than the one sent. */
export const TIMESTAMP_MISTAKES = {
  'timestamp-milliseconds': [
    'the timestamp was signed in milliseconds; it is Unix time in seconds',
    ({ text, milliseconds }) => (SECONDS.test(text) ? milliseconds.map((ms) => String(Number(text) * 1_000 + ms)) : []),
  ],
  'timestamp-iso': [
    'the timestamp was signed as an ISO date; it is signed as its header has it',
    ({ text }) => (SECONDS.test(text) ? isoTexts(Number(text)) : []),
  ],
  'timestamp-fraction': [
    'the timestamp was signed with a fraction',
    ({ text }) => (SECONDS.test(text) ? [`${Number(text)}.0`] : []),
  ],
  'timestamp-other-second': [
    'the timestamp was taken twice: another second was signed than was sent',
    ({ text }) =>
      SECONDS.test(text)
        ? Array.from({ length: NEARBY_SECONDS }, (_, i) => [Number(text) + i + 1, Number(text) - i - 1])
            .flat()
            .map(String)
        : [],
  ],
  'timestamp-seconds-signed': [
    'the timestamp was signed in seconds and sent in milliseconds',
    ({ text }) =>
      MILLISECONDS.test(text) ? [Math.floor, Math.round].map((whole) => String(whole(Number(text) / 1_000))) : [],
  ],
  'timestamp-empty': ['the timestamp line was signed empty', () => ['']],
} as const satisfies Mistakes<SentTimestamp, string>

function isoTexts(seconds: number): string[] {
  const whole = new Date(seconds * 1_000).toISOString()
  const withoutFraction = whole.replace('.000Z', 'Z')
  return [whole, withoutFraction, withoutFraction.replace('Z', '+00:00')]
}

/** Other nonces than the one sent. */
export const NONCE_MISTAKES = {
  'nonce-case': [
    'the nonce was signed in another case than it was sent',
    (nonce) => [nonce.toLowerCase(), nonce.toUpperCase()],
  ],
  'nonce-without-dashes': [
    'the nonce was signed without the dashes that were sent',
    (nonce) => [nonce.replaceAll('-', '')],
  ],
  'nonce-empty': ['the nonce line was signed empty', () => ['']],
} as const satisfies Mistakes<string>

/** The verb as it is signed rightly, that is as it was sent, and wrongly. */
export function methodAlternatives(method: string): Alternative<string>[] {
  return lineAlternatives(method, METHOD_MISTAKES, method)
}

/** The path as it is signed rightly, that is as it was sent, and wrongly. */
export function pathAlternatives(sent: SentPath): Alternative<string>[] {
  return lineAlternatives(sent.path, PATH_MISTAKES, sent)
}

/** The timestamp line as it is signed rightly, that is as its header has it, and wrongly. */
export function timestampAlternatives(text: string, milliseconds: readonly number[] = [0]): Alternative<string>[] {
  return lineAlternatives(text, TIMESTAMP_MISTAKES, { text, milliseconds })
}

/** The nonce line as it is signed rightly, that is as its header has it, and wrongly. */
export function nonceAlternatives(sent: string): Alternative<string>[] {
  return lineAlternatives(sent, NONCE_MISTAKES, sent)
}

function lineAlternatives<Given>(right: string, rows: Mistakes<Given, string>, given: Given): Alternative<string>[] {
  return distinct([{ value: right, mistakes: [] }, ...wrongWays(rows, given)], String)
}
