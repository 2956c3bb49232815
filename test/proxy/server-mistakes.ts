import { ordering, type Planted, posting, replacing, V1 } from './client-mistakes.ts'
import type { Foreign, Personality, Sent } from './judged.ts'

const ORDERS = `${V1}/orders`

/** A mistake of a server, and the call that shows it. */
export interface Broken extends Planted {
  readonly defect: string
  readonly on?: readonly Personality[]
}

const PRICING: Planted['sent'] = async ({ fixtures }) => [{ target: `${V1}/pricing?domain=${fixtures.listed[0]}` }]
const QUOTING: Planted['sent'] = async ({ fixtures, dialect }) => [
  posting({
    target: `${V1}/quotes`,
    bytes: JSON.stringify(dialect.bodies.quote).replace('${domain}', fixtures.listed[0] ?? ''),
  }),
]
const REGISTERING: Sent = {
  method: 'PUT',
  target: '/api/partner/webhooks',
  body: { url: 'http://127.0.0.1:9/', secret: 'secret-of-the-webhook' },
}
const ACCEPTED = /The target accepted the call all the same/
const REFUSED = /The signature is right for this key id and secret, but the target refused it/

/** Foreign servers, broken in one place each. */
export const SERVERS: readonly Broken[] = [
  {
    name: 'accepts any signature',
    defect: 'any_signature',
    sent: [{ target: ORDERS, as: { keyId: '', secret: 'nobody-knows-it' } }],
    says: ACCEPTED,
  },
  {
    name: 'accepts the key id as the secret',
    defect: 'key_id_as_secret',
    sent: [{ target: ORDERS, hmacKey: () => 'KEY_ID' }],
    says: ACCEPTED,
  },
  {
    name: 'accepts a digest without its scheme',
    defect: 'prefix_optional',
    sent: [{ target: ORDERS, signature: (hmac) => hmac.toString('hex') }],
    says: ACCEPTED,
  },
  {
    name: 'accepts a path without the root',
    defect: 'path_without_root',
    sent: [{ target: ORDERS, signed: replacing(1, (path) => path.replace(V1, '')) }],
    says: ACCEPTED,
  },
  {
    name: 'accepts an old call',
    defect: 'old_calls_taken',
    sent: [{ target: ORDERS, agoSeconds: 4_000 }],
    says: ACCEPTED,
  },
  {
    name: 'accepts a call from the future',
    defect: 'future_calls_taken',
    sent: [{ target: ORDERS, agoSeconds: -4_000 }],
    says: ACCEPTED,
  },
  {
    name: 'accepts milliseconds',
    defect: 'milliseconds_taken',
    sent: [{ target: ORDERS, inMilliseconds: true }],
    says: ACCEPTED,
  },
  {
    name: 'accepts a nonce twice',
    defect: 'nonces_forgotten',
    sent: [
      { target: ORDERS, nonce: 'twice' },
      { target: ORDERS, nonce: 'twice' },
    ],
    says: /The nonce was used before/,
  },
  {
    name: 'does not check a scope',
    defect: 'unchecked_scope_report',
    sent: async ({ credentials }) => [{ target: `${V1}/payouts`, as: credentials['only_search'] as never }],
    says: ACCEPTED,
  },
  {
    name: 'refuses a sorted query',
    defect: 'query_unsorted',
    sent: [{ target: `${V1}/domains/search?q=sailing&a=1` }],
    says: REFUSED,
  },
  {
    name: 'refuses encoded marks',
    defect: 'marks_not_encoded',
    sent: [{ target: `${V1}/domains/search?q=sailing%21` }],
    says: REFUSED,
  },
  {
    name: 'refuses a blank value',
    defect: 'blank_values_dropped',
    sent: [{ target: `${V1}/domains/search?q=sailing&b=` }],
    says: REFUSED,
  },
  {
    name: 'allows a minute of skew',
    defect: 'a_minute_of_skew',
    sent: [{ agoSeconds: 100 }],
    says: /The timestamp fits the clock of this machine, but the target refused it/,
  },
  {
    name: 'another code for a missing header',
    defect: 'missing_headers_code',
    sent: [{ headers: { 'X-Partner-Nonce': null } }],
    says: /refused it with validation_error; the API document says missing_signature_headers/,
  },
  {
    name: 'another code for a missing key id',
    defect: 'no_key_id_is_a_signature',
    sent: [{ headers: { 'X-Partner-Key-Id': null } }],
    says: /refused it with invalid_signature; the API document says missing_credentials/,
  },
  {
    name: 'takes an order without a key',
    defect: 'idempotency_key_optional',
    sent: async (server) => [{ ...ordering(server, 0), idempotencyKey: undefined as never }],
    says: /Idempotency-Key is required; the target accepted it/,
  },
  {
    name: 'takes another body for a key',
    defect: 'other_body_replayed',
    sent: async (server) => [ordering(server, 0, {}, 'k'), ordering(server, 1, {}, 'k')],
    says: /Idempotency-Key was used before for another request/,
  },
  {
    name: 'takes an email of any form',
    defect: 'buyer_email_of_any_form',
    sent: async (server) => [ordering(server, 0, { buyer: { email: 'jo', name: 'Jo', country: 'NL' } })],
    says: /buyer\.email must be .*; the target accepted it/,
  },
  {
    name: 'takes any tier',
    defect: 'any_tier',
    sent: async ({ dialect, fixtures }) => [
      posting({
        target: `${V1}/brokerage`,
        bytes: JSON.stringify(dialect.bodies.brokerage)
          .replace('${domain}', fixtures.listed[0] ?? '')
          .replace(/managed|self_serve/, 'royal'),
      }),
    ],
    says: /tier must be one of .*; the target accepted it/,
  },
  {
    name: 'price as text',
    defect: 'price_is_text',
    sent: async (server) => [ordering(server, 0)],
    says: /order\.sale_price_cents at \S+ is "\d+", not a number/,
  },
  {
    name: 'no floor price',
    defect: 'no_floor_price',
    sent: PRICING,
    says: /places listing\.floor at \S+, but the answer has nothing there/,
  },
  {
    name: 'no quote token',
    defect: 'no_quote_token',
    sent: QUOTING,
    says: /places quote\.token at \S+, but the answer has nothing there/,
  },
  {
    name: 'finds more than five',
    defect: 'search_gives_eight',
    sent: [{ target: `${V1}/domains/search?q=sailing` }],
    says: /The answer has 8 domains; the API document allows 5/,
  },
  {
    name: 'an unlisted name is not found',
    defect: 'unlisted_availability_404',
    sent: [{ target: `${V1}/availability?domain=never-listed.example` }],
    says: /answers an unlisted name with 200 and available false/,
  },
  {
    name: 'no totals',
    defect: 'transactions_without_totals',
    sent: [{ target: `${V1}/transactions` }],
    says: /places transactions\.gmv at/,
  },
  {
    name: 'a registration without its time',
    defect: 'webhook_without_time',
    sent: [REGISTERING],
    says: /nothing in the answer that could be webhook\.created_at/,
  },
  {
    name: 'events without their time',
    defect: 'event_without_time',
    // The events of C come late.
    on: ['A', 'B'],
    sent: async (server) => [ordering(server, 0), { target: `${V1}/events` }],
    says: /nothing in the answer that could be event\.created_at/,
  },
  {
    name: 'an answer that shows a secret',
    defect: 'webhook_secret_told',
    sent: [REGISTERING],
    says: /The answer shows a secret/,
  },
  {
    name: 'a refusal that shows a secret',
    defect: 'secret_in_refusal',
    sent: [{ signed: () => '' }],
    says: /The answer shows a secret/,
  },
  {
    name: 'a 429 without Retry-After',
    defect: 'no_retry_after',
    sent: limited,
    says: /sent a 429 without Retry-After/,
  },
  {
    name: 'a code of its own',
    defect: 'rate_limited_called_otherwise',
    sent: limited,
    says: /The error code too_many is not in the API document/,
  },
  { name: 'a refusal in HTML', defect: 'not_found_is_html', sent: [{}], says: /not JSON/ },
  {
    name: 'a refusal without a message',
    defect: 'refusals_without_message',
    sent: [{}],
    says: /not_found without a message/,
  },
  {
    name: 'a clock that is ahead',
    defect: '',
    on: ['B'],
    sent: async ({ operate }) => {
      await operate('advance', { seconds: 400 })
      return [{}]
    },
    says: /The clock of the target is (399|400) seconds ahead/,
  },
]

async function limited({ operate }: Foreign): Promise<Sent[]> {
  await operate('rate_limit', { calls: 1, seconds: 60 })
  return [{}, {}]
}

/** A mistake of a sandbox whose shapes are known, without a target file. */
interface BrokenSandbox {
  readonly name: string
  readonly defect: string
  readonly sent: (server: { price: number | undefined }) => readonly Sent[]
  readonly says: RegExp
}

const DOMAIN = 'stalls-901.test'
const order = (price: number | undefined, more: object = {}, idempotencyKey: string | null = 'key-1'): Sent => ({
  method: 'POST',
  target: ORDERS,
  ...(idempotencyKey !== null && { idempotencyKey }),
  body: { domain: DOMAIN, expected_price: price, currency: 'USD', buyer: { email: 'jo@buyer.example' }, ...more },
})
const quote: Sent = posting({ target: `${V1}/quotes`, body: { domain: DOMAIN } })
const pricing: Sent = { target: `${V1}/pricing?domain=${DOMAIN}` }

export const SANDBOXES: readonly BrokenSandbox[] = [
  {
    name: 'accepts the key id as the secret',
    defect: 'secret-of-key-id',
    sent: () => [{ ...pricing, hmacKey: () => 'KEY_ID' }],
    says: ACCEPTED,
  },
  {
    name: 'accepts a newline at the end',
    defect: 'trailing-newline-passes',
    sent: () => [{ ...pricing, signed: ({ right }) => `${right}\n` }],
    says: ACCEPTED,
  },
  {
    name: 'does not sort the query',
    defect: 'query-not-sorted',
    sent: () => [{ target: `${V1}/domains/search?q=solar&a=1` }],
    says: REFUSED,
  },
  {
    name: 'hashes the body written again',
    defect: 'body-reserialised-before-hashing',
    sent: () => [posting({ target: `${V1}/quotes`, bytes: `{"domain":  "${DOMAIN}"}` })],
    says: REFUSED,
  },
  {
    name: 'allows 30 seconds',
    defect: 'window-past-30-seconds',
    sent: () => [{ ...pricing, agoSeconds: 90 }],
    says: /The timestamp fits the clock of this machine, but the target refused it/,
  },
  {
    name: 'tracks no nonces',
    defect: 'nonce-never-tracked',
    sent: () => [
      { ...pricing, nonce: 'n' },
      { target: ORDERS, nonce: 'n' },
    ],
    says: /The nonce was used before/,
  },
  {
    name: 'price as text',
    defect: 'order-price-as-text',
    sent: ({ price }) => [order(price)],
    says: /sale_price_cents must be an integer, not "/,
  },
  {
    name: 'no currency',
    defect: 'order-without-currency',
    sent: ({ price }) => [order(price)],
    says: /currency is required/,
  },
  { name: 'no quote token', defect: 'quote-without-token', sent: () => [quote], says: /quote_token is required/ },
  {
    name: 'no floor price',
    defect: 'pricing-without-floor',
    sent: () => [pricing],
    says: /floor_price_cents is required/,
  },
  {
    name: 'more than five found',
    defect: 'search-gives-six',
    sent: () => [{ target: `${V1}/domains/search?q=solar` }],
    says: /The answer has 6 domains; the API document allows 5/,
  },
  {
    name: 'takes an order without a key',
    defect: 'key-optional',
    sent: ({ price }) => [order(price, {}, null)],
    says: /Idempotency-Key is required; the target accepted it/,
  },
  {
    name: 'takes a number for an e-mail address',
    defect: 'order-of-numeric-email-passes',
    sent: ({ price }) => [order(price, { buyer: { name: 'Jo', email: 7 } })],
    says: /buyer\.email must be a string, not 7; the target accepted it/,
  },
  {
    name: 'validation errors as 422',
    defect: 'validation-error-is-422',
    sent: ({ price }) => [order(price, { buyer: 'jo' })],
    says: /answered validation_error with 422; the API document says 400/,
  },
  {
    name: 'refusals without a message',
    defect: 'error-without-message',
    sent: () => [{}],
    says: /not_found without a message/,
  },
  { name: 'refusals in HTML', defect: 'errors-as-html', sent: () => [{}], says: /without an error code/ },
  {
    name: 'a secret in every answer',
    defect: 'secret-in-every-answer',
    sent: () => [pricing],
    says: /The answer shows a secret/,
  },
  {
    name: 'another code for a missing key id',
    defect: 'key-id-missing-is-invalid-signature',
    sent: () => [{ headers: { 'X-Partner-Key-Id': null } }],
    says: /the API document says missing_credentials/,
  },
]
