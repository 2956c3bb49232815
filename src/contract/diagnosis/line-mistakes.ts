import { API_ROOT } from '../endpoints/endpoint.ts'
import { WEBHOOKS_PATH } from '../endpoints/webhooks.ts'
import { decodedEscapes } from '../words.ts'
import type { Mistakes } from './mistake.ts'

export const METHOD_MISTAKES = {
  'method-lower-case': ['the verb was signed in lower case', (method) => [method.toLowerCase()]],
  'method-other': [
    (sent, signed) => `the verb ${signed} was signed, but ${sent} was sent`,
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
    'the path was signed without the API root; sign the whole path, with /api/partner/v1',
    ({ path }) =>
      [API_ROOT, '/api/partner', '/api']
        .filter((root) => path.startsWith(`${root}/`))
        .map((root) => path.slice(root.length)),
  ],
  'path-with-query': [
    'the query was signed as part of the path',
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
  'path-decoded': ['the path was signed percent-decoded; sign it as it is sent', ({ path }) => [decodedEscapes(path)]],
  'path-versioned': [
    'the path was signed with /v1 in it; this path has no version',
    ({ path }) => [path.replace(WEBHOOKS_PATH, `${API_ROOT}/webhooks`)],
  ],
  'path-with-host': [
    'the whole URL was signed instead of the path',
    ({ path, query, hosts }) =>
      hosts.flatMap((host) => {
        const urls = [`http://${host}${path}`, `https://${host}${path}`, `${host}${path}`]
        return query === '' ? urls : [...urls, ...urls.map((url) => `${url}?${query}`)]
      }),
  ],
} as const satisfies Mistakes<SentPath, string>

const SECONDS = /^\d{9,11}$/
const MILLISECONDS = /^\d{12,14}$/
/** How far apart two readings of the clock by one signer may lie. */
const NEARBY_SECONDS = [1, 2, 3, 4, 5]

/** Other timestamps than the one sent. */
export const TIMESTAMP_MISTAKES = {
  'timestamp-milliseconds': [
    'the timestamp was signed in milliseconds; it is Unix time in seconds',
    ofSeconds((seconds) => [`${seconds * 1_000}`]),
  ],
  'timestamp-iso': ['the timestamp was signed as an ISO date; sign the value of the header', ofSeconds(isoTexts)],
  'timestamp-fraction': ['the timestamp was signed with a fraction', ofSeconds((seconds) => [`${seconds}.0`])],
  'timestamp-other-second': [
    'the clock was read twice: the timestamp that was signed is not the one that was sent',
    ofSeconds((seconds) => NEARBY_SECONDS.flatMap((apart) => [`${seconds + apart}`, `${seconds - apart}`])),
  ],
  'timestamp-seconds-signed': [
    'the timestamp was signed in seconds and sent in milliseconds',
    (text) =>
      MILLISECONDS.test(text) ? [Math.floor, Math.round].map((whole) => `${whole(Number(text) / 1_000)}`) : [],
  ],
  'timestamp-empty': ['the timestamp line was signed empty', () => ['']],
} as const satisfies Mistakes<string>

function ofSeconds(textsOf: (seconds: number) => string[]): (sent: string) => string[] {
  return (sent) => (SECONDS.test(sent) ? textsOf(Number(sent)) : [])
}

/** A timestamp with every one of these milliseconds signed in its place; none where it is not in seconds. */
export const millisecondsOf = (sent: string, milliseconds: readonly number[]) =>
  ofSeconds((seconds) => milliseconds.map((ms) => `${seconds * 1_000 + ms}`))(sent)

function isoTexts(seconds: number): string[] {
  const whole = new Date(seconds * 1_000).toISOString()
  const withoutFraction = whole.replace('.000Z', 'Z')
  return [whole, withoutFraction, withoutFraction.replace('Z', '+00:00')]
}

export const NONCE_MISTAKES = {
  'nonce-case': [
    'the nonce was signed in another case than it was sent in',
    (nonce) => [nonce.toLowerCase(), nonce.toUpperCase()],
  ],
  'nonce-without-dashes': [
    'the nonce was signed without the dashes that were sent',
    (nonce) => [nonce.replaceAll('-', '')],
  ],
  'nonce-empty': ['the nonce line was signed empty', () => ['']],
} as const satisfies Mistakes<string>
