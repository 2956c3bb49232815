import { type Foreign, type Sent, type SignedParts, sha256 } from './judged.ts'

export const V1 = '/api/partner/v1'
const ENCODED = `${V1}/domains/search?q=what%20is%20this%3F*&b=1&a=2`

/** A mistake that is planted, and what the proxy must say of one of its calls. */
export interface Planted {
  readonly name: string
  readonly sent: readonly Sent[] | ((server: Foreign) => Promise<readonly Sent[]>)
  readonly says: RegExp
}

const inLines = (change: (lines: string[], parts: SignedParts) => readonly string[]) => (parts: SignedParts) =>
  change([...parts.lines], parts).join('\n')
export const replacing = (index: number, value: (line: string, parts: SignedParts) => string) =>
  inLines((lines, parts) => lines.with(index, value(lines[index] ?? '', parts)))

const LINK = { kind: 'generic' }
export const posting = (sent: Sent): Sent => ({ method: 'POST', target: `${V1}/links`, body: LINK, ...sent })

/** Mistakes of signing: what is signed, with what, how it is written, and the headers beside it. */
export const SIGNING: readonly Planted[] = [
  {
    name: 'key id as the secret',
    sent: [{ hmacKey: () => 'KEY_ID' }],
    says: /^The key id was used as the secret/,
  },
  {
    name: 'path without the API root',
    sent: [{ signed: replacing(1, (path) => path.replace(V1, '')) }],
    says: /without the API root/,
  },
  {
    name: 'path with a slash at its end',
    sent: [{ signed: replacing(1, (path) => `${path}/`) }],
    says: /with a slash at its end/,
  },
  {
    name: 'query as it is in the URL',
    sent: [{ target: ENCODED, signed: replacing(2, (_, { target }) => target.split('?')[1] ?? '') }],
    says: /The query was signed as it is in the URL/,
  },
  {
    name: 'query left out',
    sent: [{ target: ENCODED, signed: replacing(2, () => '') }],
    says: /its line was signed empty/,
  },
  {
    name: 'query that is not sorted',
    sent: [{ target: `${V1}/domains/search?q=sailing&a=1`, signed: replacing(2, () => 'q=sailing&a=1') }],
    says: /decode, sort and re-encode/,
  },
  {
    name: 'marks that are not encoded',
    sent: [{ target: ENCODED, signed: replacing(2, (query) => query.replace('%2A', '*')) }],
    says: /in the query were left unencoded/,
  },
  {
    name: 'body that was written again',
    sent: [posting({ bytes: '{"kind":  "generic"}', signed: replacing(5, () => sha256('{"kind":"generic"}')) })],
    says: /^The body was signed re-serialized/,
  },
  {
    name: 'body that was left out',
    sent: [posting({ signed: replacing(5, () => sha256('')) })],
    says: /hash of an empty body was signed/,
  },
  {
    name: 'body in place of its digest',
    sent: [posting({ signed: replacing(5, (_, { body }) => body) })],
    says: /^The body itself was signed/,
  },
  {
    name: 'verb in lower case',
    sent: [{ signed: replacing(0, (verb) => verb.toLowerCase()) }],
    says: /^The verb was signed in lower case/,
  },
  {
    name: 'digest in upper case',
    sent: [{ signature: (hmac) => `v1=${hmac.toString('hex').toUpperCase()}` }],
    says: /in upper-case hex/,
  },
  { name: 'digest in base64', sent: [{ signature: (hmac) => `v1=${hmac.toString('base64')}` }], says: /in base64/ },
  {
    name: 'no v1= before the digest',
    sent: [{ signature: (hmac) => hmac.toString('hex') }],
    says: /has no v1= before the digest/,
  },
  {
    name: 'another scheme before the digest',
    sent: [{ signature: (hmac) => `sha256=${hmac.toString('hex')}` }],
    says: /begins with another prefix than v1=/,
  },
  { name: 'newline at the end', sent: [{ signed: ({ right }) => `${right}\n` }], says: /newline after the last line/ },
  { name: 'carriage returns', sent: [{ signed: ({ lines }) => lines.join('\r\n') }], says: /joined by CRLF/ },
  { name: 'secret with a newline', sent: [{ hmacKey: (secret) => `${secret}\n` }], says: /with a newline at its end/ },
  {
    name: 'another timestamp',
    sent: [{ signed: replacing(3, (seconds) => `${Number(seconds) - 2}`) }],
    says: /^The clock was read twice/,
  },
  {
    name: 'nonce in another case',
    sent: [{ signed: replacing(4, (nonce) => nonce.toUpperCase()) }],
    says: /in another case/,
  },
  { name: 'milliseconds', sent: [{ inMilliseconds: true }], says: /milliseconds/ },
  {
    name: 'clock that is behind',
    sent: [{ agoSeconds: 420 }],
    says: /7 minutes behind/,
  },
  { name: 'timestamp that is a date', sent: [{ timestamp: '2026-11-24T10:00:00Z' }], says: /is an ISO date/ },
  {
    name: 'signature left out',
    sent: [{ headers: { 'X-Partner-Signature': null } }],
    says: /^X-Partner-Signature is missing/,
  },
  { name: 'key id left out', sent: [{ headers: { 'X-Partner-Key-Id': null } }], says: /^X-Partner-Key-Id is missing/ },
  {
    name: 'timestamp left out',
    sent: [{ headers: { 'X-Partner-Timestamp': null } }],
    says: /^X-Partner-Timestamp is missing/,
  },
  {
    name: 'nonce used again',
    sent: [{ nonce: 'again' }, { target: `${V1}/payouts`, nonce: 'again' }],
    says: /nonce was used before/,
  },
]

/** Mistakes in what is called, and in what order. */
export const CALLING: readonly Planted[] = [
  {
    name: 'no webhook',
    sent: async (server) => [ordering(server, 6), ordering(server, 7), ordering(server, 8)],
    says: /No webhook has been registered/,
  },
  {
    name: 'scope that the credential lacks',
    sent: async ({ credentials }) => [{ target: `${V1}/payouts`, as: credentials['only_search'] as never }],
    says: /only_search.* holds search, and payouts.list needs report/,
  },
  {
    name: 'secret of another credential',
    sent: async ({ credentials }) => [{ hmacKey: () => credentials['other']?.secret ?? '' }],
    says: /the secret of other/i,
  },
  {
    name: 'parameter that nobody knows',
    sent: [{ target: `${V1}/orders?page=2` }],
    says: /unknown parameter page; the target accepted it/,
  },
  {
    name: 'parameter of another type',
    sent: async ({ dialect }) => [
      { target: `${V1}/settlements?${encodeURIComponent(dialect.params['reports.limit'] ?? 'limit')}=many` },
    ],
    says: /must be an integer, not "many"|[Pp]age size/,
  },
  {
    name: 'field that nobody knows',
    sent: async (server) => [ordering(server, 0, { colour: 'red' })],
    says: /unknown field colour; the target accepted it/,
  },
  {
    name: 'field of another type',
    sent: async (server) => [ordering(server, 1, { expected_price: 'much' })],
    says: /expected_price must be/,
  },
  {
    name: 'price that does not apply',
    sent: async (server) => [
      ordering(server, 1, { expected_price: server.priceOf(server.fixtures.sellable[1] ?? '') + 7 }),
    ],
    says: /[Ee]xpected_price is not the current price/,
  },
  {
    name: 'no Idempotency-Key',
    sent: async (server) => [{ ...ordering(server, 2), idempotencyKey: undefined as never }],
    says: /needs the header Idempotency-Key/,
  },
  {
    name: 'an Idempotency-Key for two orders',
    sent: async (server) => [ordering(server, 3, {}, 'one-key'), ordering(server, 4, {}, 'one-key')],
    says: /Idempotency-Key was used before for another request/,
  },
  {
    name: 'a new Idempotency-Key for a retry',
    sent: async (server) => {
      await server.operate('fail_next', { count: 1 })
      return [ordering(server, 5, {}, 'first'), ordering(server, 5, {}, 'second')]
    },
    says: /retry after internal_error, and the Idempotency-Key was different/,
  },
  {
    name: 'a retry before Retry-After',
    sent: async (server) => {
      await server.operate('rate_limit', { calls: 1, seconds: 1 })
      return [{ target: `${V1}/links` }, { target: `${V1}/links` }, { target: `${V1}/links` }]
    },
    says: /retry after rate_limited, and it came after \d+ ms/,
  },
  {
    name: 'polling',
    sent: async (server) => {
      await server.operate('rate_limit', { calls: 1_000, seconds: 1 })
      return Array.from({ length: 4 }, () => ({ target: `${V1}/orders/ord_1` }))
    },
    says: /The same read was sent 4 times/,
  },
  {
    name: 'webhook path with a version',
    sent: [{ method: 'PUT', target: `${V1}/webhooks`, body: { url: 'http://x.test', secret: 's' } }],
    says: /no version segment/,
  },
  { name: 'path that does not exist', sent: [{ target: `${V1}/order` }], says: /did you mean GET .*orders/ },
  { name: 'another version', sent: [{ target: '/api/partner/v2/orders' }], says: /does not begin with the API root/ },
  { name: 'body that is not JSON', sent: [posting({ bytes: '{kind}' })], says: /JSON/ },
  {
    name: 'body of another type',
    sent: [posting({ headers: { 'Content-Type': 'text/plain' } })],
    says: /application\/json/,
  },
]

export function ordering(
  { fixtures, priceOf }: Foreign,
  index: number,
  changed: object = {},
  idempotencyKey = `key-${index}-${JSON.stringify(changed)}`,
): Sent {
  const domain = fixtures.sellable[index] ?? ''
  const buyer = { email: 'jo@buyer.example', name: 'Jo', country: 'NL' }
  const more = { currency: 'USD', return_url: 'https://shop.example/thanks' }
  return {
    method: 'POST',
    target: `${V1}/orders`,
    idempotencyKey,
    body: { domain, expected_price: priceOf(domain), buyer, ...more, ...changed },
  }
}
