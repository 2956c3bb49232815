import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareByUtf16Unit } from '../../../src/contract/canonical-string.ts'
import {
  type CallDiagnosis,
  diagnoseCall,
  type KnownSigner,
  rightSigner,
} from '../../../src/contract/diagnosis/diagnose-call.ts'
import { keyedHmac } from '../../../src/contract/diagnosis/signature-header.ts'
import { anyCharacter } from '../../support/any-character.ts'

const SIGNER: KnownSigner = { keyId: 'pk_sandbox_one', secret: 'sk_sandbox_one' }
const NONCE = '6f1c2a9e-0d3b-4f57-8a41-1be2c7f09d35'
const SECONDS = '1790000000'

/** What is sent, and what of its canonical string the client has otherwise. */
interface Mistaken {
  method?: 'GET' | 'POST'
  path?: string
  query?: string
  body?: string
  timestamp?: string
  signs?: { path?: string; query?: string; timestamp?: string; body?: string; bodyLine?: string }
}

function arrived({ method = 'GET', path = '/api/partner/v1/orders', query = '', body = '', ...rest }: Mistaken) {
  const { timestamp = SECONDS, signs = {} } = rest
  const hashed = createHash('sha256')
    .update(signs.body ?? (method === 'GET' ? '' : body))
    .digest('hex')
  const text = [
    ...[method, signs.path ?? path, signs.query ?? query],
    ...[signs.timestamp ?? timestamp, NONCE, signs.bodyLine ?? hashed],
  ].join('\n')
  const signature = `v1=${createHmac('sha256', SIGNER.secret).update(text).digest('hex')}`
  const headers = { 'X-Partner-Timestamp': timestamp, 'X-Partner-Nonce': NONCE, 'X-Partner-Signature': signature }
  const target = query === '' ? path : `${path}?${query}`
  return { method, target, rawHeaders: Object.entries(headers).flat(), body: Buffer.from(body) }
}

async function named(mistaken: Mistaken, signer = SIGNER): Promise<string[]> {
  const found = (await diagnoseCall(arrived(mistaken), signer)) as CallDiagnosis
  return found.mistakes.map(({ id }) => id)
}

/**
 * U+FF5E comes before U+1F600 by code point, and after its first UTF-16 unit. The other keys tell these two orders from all
 * others: Z is after a without regard to case, b- before b as text with an equals sign, and both of the two first when encoded.
 */
const [TILDE, SMILE] = ['%EF%BD%9E', '%F0%9F%98%80']
const byCodePoint = `Z=0&a=0&b=0&b-=0&${TILDE}=1&${SMILE}=2`
const byUtf16 = `Z=0&a=0&b=0&b-=0&${SMILE}=2&${TILDE}=1`
const unsorted = `${SMILE}=2&b-=0&a=0&b=0&Z=0&${TILDE}=1`

test.each<[string, Mistaken, KnownSigner?]>([
  ['path-slash-removed', { path: '/api/partner/v1/orders/', signs: { path: '/api/partner/v1/orders' } }],
  ['path-decoded', { path: '/api/partner/v1/domains/a%2Db', signs: { path: '/api/partner/v1/domains/a-b' } }],
  ['query-duplicates-joined', { query: 'a=1&a=2', signs: { query: 'a=1%2C2' } }],
  ['query-sorted-raw', { query: 'b=1&a=c&a=%C3%A9+x', signs: { query: 'a=%C3%A9+x&a=c&b=1' } }],
  ['query-sorted-utf16', { query: unsorted, signs: { query: byUtf16 } }],
  [
    'query-sorted-code-point',
    { query: unsorted, signs: { query: byCodePoint } },
    { ...SIGNER, compare: compareByUtf16Unit },
  ],
  ['query-plus-kept', { query: 'q=a+b', signs: { query: 'q=a%2Bb' } }],
  ['query-plus-as-space', { query: 'q=a+b', signs: { query: 'q=a%20b' } }, { ...SIGNER, plus: '+' }],
  ['timestamp-seconds-signed', { timestamp: '1790000000123', signs: { timestamp: SECONDS } }],
  ['body-lf', { method: 'POST', body: '{\r\n"a": 1}', signs: { body: '{\n"a": 1}' } }],
  ['body-without-bom', { method: 'POST', body: '\ufeff{"a": 1}', signs: { body: '{"a": 1}' } }],
  ['body-form', { method: 'POST', body: '{"a": "b c"}', signs: { body: 'a=b+c' } }],
  ['body-of-get-hashed', { body: 'x', signs: { body: 'x' } }],
  ['body-hash-line-empty', { signs: { bodyLine: '' } }],
])('the mistake %s is named, and nothing else', async (id, mistaken, signer) => {
  expect(await named(mistaken, signer)).toEqual([id])
})

test('every order of the six lines is named, also beside a frequent mistake', async () => {
  const right = (await diagnoseCall(arrived({ query: 'b=1&a=2' }), SIGNER)) as CallDiagnosis
  const lines = right.canonicalString.split('\n')
  const order = [0, 1, 2, 5, 3, 4]
  const signed = async (text: string, secret = SIGNER.secret) => {
    const { rawHeaders, ...call } = arrived({ query: 'b=1&a=2' })
    const signature = `v1=${createHmac('sha256', secret).update(text).digest('hex')}`
    const { mistakes } = (await diagnoseCall(
      { ...call, rawHeaders: rawHeaders.with(-1, signature) },
      SIGNER,
    )) as CallDiagnosis
    return mistakes.map(({ says }) => says)
  }
  const text = order.map((from) => lines[from]).join('\n')
  const says = 'the lines were signed in another order: METHOD, PATH, QUERY_STRING, BODY_SHA256_HEX, TIMESTAMP, NONCE'
  expect(await signed(text)).toEqual([says])
  expect(await signed([...lines].reverse().join('\n'))).toEqual([expect.stringMatching(/another order: BODY/)])
  expect(await signed(text, SIGNER.keyId as string)).toEqual([expect.stringMatching(/key id/), says])
})

test('the raw query sorted as text is one mistake, so it is found beside another one', async () => {
  const path = '/api/partner/v1/orders'
  const signs = { path: path.toUpperCase(), query: 'a=%C3%A9+x&a=c&b=1' }
  expect(await named({ path, query: 'b=1&a=c&a=%C3%A9+x', signs })).toEqual(['path-upper-case', 'query-sorted-raw'])
})

test('a call that is signed as this server reads its query has no mistake, and is nobody else’s', async () => {
  const signedAsPlus = arrived({ query: 'q=a+b', signs: { query: 'q=a%2Bb' } })
  expect((await diagnoseCall(signedAsPlus, { ...SIGNER, plus: '+' }))?.verdict).toBe('valid')
  expect(await rightSigner(signedAsPlus, [SIGNER], { plus: '+' })).toBe(SIGNER)
  expect(await rightSigner(signedAsPlus, [SIGNER])).toBeNull()
})

test('a signature that nothing explains is searched for in hundreds of small pieces, those that prepare a long body and query included', async () => {
  const query = Array.from({ length: 50 }, (_, i) => `k${i}=v%20${i}`).join('&')
  const body = JSON.stringify(Array.from({ length: 50 }, (_, i) => ({ i })))
  const call = arrived({ method: 'POST', query, body, signs: { path: 'nothing like it' } })
  let pieces = 0
  const found = await diagnoseCall(call, SIGNER, () => {
    pieces++
    return undefined
  })
  expect(found?.verdict).toBe('unexplained')
  expect(pieces).toBeGreaterThan(500)
})

test('a rest that throws ends the search', async () => {
  const call = arrived({ signs: { path: 'nothing like it' } })
  const rest = () => Promise.reject(new Error('enough'))
  await expect(diagnoseCall(call, SIGNER, rest)).rejects.toThrow('enough')
})

const algorithms = fc.constantFrom('md5', 'sha1', 'sha256', 'sha384', 'sha512' as const)
const bytes = (maxLength: number) => fc.uint8Array({ maxLength })

test('the quick HMAC is the usual one, for any key, text and hash', () => {
  fc.assert(
    fc.property(
      algorithms,
      fc.oneof(bytes(200), fc.string({ unit: anyCharacter })),
      fc.oneof(bytes(300), fc.string({ unit: anyCharacter })),
      (algorithm, key, message) => {
        expect(keyedHmac(key).hmac(algorithm, message)).toBe(createHmac(algorithm, key).update(message).digest('hex'))
      },
    ),
  )
})

test.each([0, 1, 1_365, 1_366, 4_095, 4_096, 4_097, 100_000])('and for texts of %i characters', (length) => {
  const { hmac } = keyedHmac('secret')
  for (const message of ['€'.repeat(length), 'a'.repeat(length), Buffer.alloc(length, 7)]) {
    expect(hmac('sha256', message)).toBe(createHmac('sha256', 'secret').update(message).digest('hex'))
  }
})
