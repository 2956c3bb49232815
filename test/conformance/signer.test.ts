import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WireRequest } from '../../src/conformance/http/exchange.ts'
import type { Call } from '../../src/conformance/signing/sign-call.ts'
import { type SignedRequest, signCall, validCanonicalString } from '../../src/conformance/signing/sign-call.ts'
import { type Fault, FaultContextError, FaultHasNoEffectError } from '../../src/conformance/signing/signature-faults.ts'
import { EMPTY_BODY_SHA256 } from '../../src/contract/canonical-string.ts'
import { anyCharacter } from '../support/any-character.ts'
import { secondCanonicalString, signWith } from '../support/signer.ts'
import { size } from '../support/size.ts'

const KEY = { keyId: 'pk_test_abc123', secret: 'sk_test_Ünïcode' }
const AT = { timestampSeconds: 1_700_000_000, nonce: 'f3b1c1f0-nonce-x' }
const BODY = '{"domain": "a.test", "expected_price":100}'

const pairs = (...texts: string[]) => texts.map((text) => text.split('=') as [string, string])

type Plan = Omit<Parameters<typeof signCall>[0], 'credential'>

function signed(
  plan: Plan,
  credential: typeof KEY,
  at: typeof AT,
  fault?: Fault,
  context: NonNullable<Call['context']> = {},
): SignedRequest {
  return signCall({ ...plan, credential, fault, context }, at)
}

/** A call on which nearly every fault has an effect. */
const PLAN: Plan = {
  method: 'POST',
  path: '/api/partner/v1/orders',
  query: pairs('b=2', 'a!=', 'a b=(x)', 'a-=y', 'b=1'),
  body: Buffer.from(BODY),
  idempotencyKey: 'op-1',
}
const READ: Plan = { method: 'GET', path: '/api/partner/v1/orders', query: [] }

const valid = signed(PLAN, KEY, AT)
const BODY_HASH = createHash('sha256').update(BODY).digest('hex')
const LINES = ['POST', PLAN.path, 'a%20b=%28x%29&a%21=&a-=y&b=1&b=2', '1700000000', AT.nonce, BODY_HASH]

function header(wire: WireRequest, name: string): string[] {
  return wire.headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value)
}

function hmac(text: string, key = KEY.secret, encoding: 'hex' | 'base64' = 'hex'): string {
  return createHmac('sha256', key).update(text).digest(encoding)
}

/** The parts of a request in which it differs from the valid one. */
function differences(faulty: SignedRequest, from: SignedRequest = valid): string[] {
  const found: string[] = []
  for (const part of ['method', 'target'] as const) if (faulty.request[part] !== from.request[part]) found.push(part)
  if (!Buffer.from(faulty.request.body).equals(Buffer.from(from.request.body))) found.push('body')
  const names = new Set([...faulty.request.headers, ...from.request.headers].map(([name]) => name.toLowerCase()))
  for (const name of names) {
    if (header(faulty.request, name).join('\n') !== header(from.request, name).join('\n')) found.push(name)
  }
  return found.sort()
}

describe('a valid call', () => {
  it('carries the headers a client of the API sends, and its query in the order of the plan', () => {
    expect(valid.request.target).toBe('/api/partner/v1/orders?b=2&a%21=&a%20b=%28x%29&a-=y&b=1')
    expect(valid.request.headers).toEqual([
      ['accept', 'application/json'],
      ['accept-encoding', 'identity'],
      ['user-agent', 'partner-sandbox-conformance'],
      ['X-Partner-Key-Id', KEY.keyId],
      ['X-Partner-Timestamp', '1700000000'],
      ['X-Partner-Nonce', AT.nonce],
      ['X-Partner-Signature', `v1=${hmac(LINES.join('\n'))}`],
      ['Idempotency-Key', 'op-1'],
      ['content-type', 'application/json'],
    ])
    expect(valid.canonicalString).toBe(LINES.join('\n'))
    expect(validCanonicalString(valid.request)).toBe(LINES.join('\n'))
    expect(valid).toMatchObject({ nonce: AT.nonce, timestamp: '1700000000' })
  })

  it('without a body names no content type', () => {
    expect(header(signed(READ, KEY, AT).request, 'content-type')).toEqual([])
  })

  it('takes headers of the plan in the place of its own', () => {
    const headers = pairs('Content-Type=text/plain', 'x-more=1', 'x-more=2')
    const { request: wire } = signed({ ...PLAN, headers }, KEY, AT)
    expect(header(wire, 'content-type')).toEqual(['text/plain'])
    expect(header(wire, 'x-more')).toEqual(['1', '2'])
  })

  it('is signed as a second implementation signs it, whatever it asks', () => {
    const part = fc.string({ unit: anyCharacter, maxLength: 8 })
    const plans = fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT'),
      path: fc.constantFrom('/api/partner/v1/orders', '/api/partner/webhooks', '/api/partner/v1/domains/x%2Fy'),
      query: fc.array(fc.tuple(part, part), { maxLength: 5 }),
      body: fc.uint8Array({ maxLength: 30 }),
    })
    fc.assert(
      fc.property(plans, fc.uuid(), (plan, nonce) => {
        const { request: wire } = signed(plan, KEY, { ...AT, nonce })
        const second = signWith(KEY, { ...wire, timestamp: '1700000000', nonce })
        for (const [name, value] of Object.entries(second.headers))
          expect(header(wire, name.toLowerCase())).toEqual([value])
      }),
      { numRuns: size(100, 500) },
    )
  })

  it('may have a raw target, which is sent and signed as it stands', () => {
    const { request: wire, canonicalString } = signed(
      { ...READ, rawTarget: '/api/partner/v1/x/../y?b=%7e&a+b' },
      KEY,
      AT,
    )
    expect(wire.target).toBe('/api/partner/v1/x/../y?b=%7e&a+b')
    expect(canonicalString).toBe(
      `GET\n/api/partner/v1/x/../y\na%20b=&b=~\n1700000000\n${AT.nonce}\n${EMPTY_BODY_SHA256}`,
    )
  })

  it('with a broken query is signed over the query as it stands, and has no valid canonical string', () => {
    const sent = signed({ ...READ, rawTarget: '/api/partner/v1/orders?q=%zz' }, KEY, AT)
    expect(sent.canonicalString?.split('\n')[2]).toBe('q=%zz')
    expect(validCanonicalString(sent.request)).toBeNull()
  })
})

const SIGNATURE = header(valid.request, 'x-partner-signature')

describe('a fault of a header', () => {
  it.each<[Fault, string, string[]]>([
    [{ key_id: 'drop' }, 'x-partner-key-id', []],
    [{ key_id: { raw: 'pk_live_1' } }, 'x-partner-key-id', ['pk_live_1']],
    [{ timestamp: 'drop' }, 'x-partner-timestamp', []],
    [{ nonce: 'drop' }, 'x-partner-nonce', []],
    [{ signature: 'drop' }, 'x-partner-signature', []],
    [{ signature: { raw: 'v1=' } }, 'x-partner-signature', ['v1=']],
    [{ duplicate_header: 'nonce' }, 'x-partner-nonce', [AT.nonce, AT.nonce]],
    [{ duplicate_header: 'key_id' }, 'x-partner-key-id', [KEY.keyId, KEY.keyId]],
    [{ duplicate_header: 'timestamp' }, 'x-partner-timestamp', ['1700000000', '1700000000']],
    [{ duplicate_header: 'signature' }, 'x-partner-signature', [...SIGNATURE, ...SIGNATURE]],
  ])('%j touches %s and nothing else', (fault, name, values) => {
    const faulty = signed(PLAN, KEY, AT, fault)
    expect(header(faulty.request, name)).toEqual(values)
    expect(differences(faulty)).toEqual([name])
  })

  it('invents a key id of the same environment', () => {
    const faulty = signed(PLAN, KEY, AT, { key_id: 'unknown' })
    expect(header(faulty.request, 'x-partner-key-id')[0]).toMatch(/^pk_test_[0-9a-f]{24}$/)
    expect(differences(faulty)).toEqual(['x-partner-key-id'])
  })

  it.each<[Fault, string]>([
    [{ timestamp: 'milliseconds' }, '1700000000000'],
    [{ timestamp: { raw: '1.7e9' } }, '1.7e9'],
    [{ timestamp: { shift: -310 } }, '1699999690'],
    [{ timestamp: { shift: 310 } }, '1700000310'],
  ])('%j is signed as it is sent', (fault, text) => {
    const faulty = signed(PLAN, KEY, AT, fault)
    expect(header(faulty.request, 'x-partner-timestamp')).toEqual([text])
    expect(faulty.timestamp).toBe(text)
    expect(differences(faulty)).toEqual(['x-partner-signature', 'x-partner-timestamp'])
    expectSoundlySigned(faulty)
  })

  it.each<[Fault, string]>([
    [{ nonce: { raw: 'X' } }, 'X'],
    [{ nonce: { reuse: 'first' } }, 'nonce-of-first'],
  ])('%j is signed as it is sent', (fault, text) => {
    const faulty = signed(PLAN, KEY, AT, fault, { earlierNonce: (step) => `nonce-of-${step}` })
    expect(header(faulty.request, 'x-partner-nonce')).toEqual([text])
    expect(faulty.nonce).toBe(text)
    expect(differences(faulty)).toEqual(['x-partner-nonce', 'x-partner-signature'])
    expectSoundlySigned(faulty)
  })

  it('leaves no valid canonical string where timestamp or nonce is missing, and none that was signed without a signature', () => {
    expect(validCanonicalString(signed(PLAN, KEY, AT, { timestamp: 'drop' }).request)).toBeNull()
    expect(validCanonicalString(signed(PLAN, KEY, AT, { nonce: 'drop' }).request)).toBeNull()
    expect(signed(PLAN, KEY, AT, { signature: 'drop' }).canonicalString).toBeNull()
    expect(signed(PLAN, KEY, AT, { signature: { raw: 'x' } }).canonicalString).toBeNull()
    expect(signed(PLAN, KEY, AT, { signature: 'no_prefix' }).canonicalString).toBe(LINES.join('\n'))
  })
})

describe('a fault of the signature', () => {
  const text = LINES.join('\n')
  const digest = hmac(text)
  const lastDigit = digest.slice(-1)

  it.each<[Fault, string]>([
    [{ signature: 'no_prefix' }, digest],
    [{ signature: 'upper_case' }, `v1=${digest.toUpperCase()}`],
    [{ signature: 'base64' }, `v1=${hmac(text, KEY.secret, 'base64')}`],
    [{ signature: 'truncate' }, `v1=${digest.slice(0, 63)}`],
    [{ signature: 'lengthen' }, `v1=${digest}0`],
    [{ signature: 'flip_bit' }, `v1=${digest.slice(0, 63)}${(Number.parseInt(lastDigit, 16) ^ 1).toString(16)}`],
    [{ signature: { prefix: 'v2=' } }, `v2=${digest}`],
    [{ signature: { key: 'key_id' } }, `v1=${hmac(text, KEY.keyId)}`],
    [{ signature: { key: 'other' } }, `v1=${hmac(text, 'sk_of_other')}`],
  ])('%j', (fault, value) => {
    const faulty = signed(PLAN, KEY, AT, fault, { otherSecret: (name) => `sk_of_${name}` })
    expect(header(faulty.request, 'x-partner-signature')).toEqual([value])
    expect(differences(faulty)).toEqual(['x-partner-signature'])
    expect(validCanonicalString(faulty.request)).toBe(text)
  })
})

describe('a fault of the canonical string', () => {
  const [verb, path, query, timestamp, nonce, body] = LINES as [string, string, string, string, string, string]
  const reserialised = createHash('sha256')
    .update(JSON.stringify(JSON.parse(BODY)))
    .digest('hex')

  it.each<[Extract<Fault, { canonical: unknown }>['canonical'], string]>([
    ['verb_lower', ['post', path, query, timestamp, nonce, body].join('\n')],
    ['path_without_root', [verb, '/orders', query, timestamp, nonce, body].join('\n')],
    ['query_unsorted', [verb, path, 'b=2&a%21=&a%20b=%28x%29&a-=y&b=1', timestamp, nonce, body].join('\n')],
    ['query_sorted_by_key_only', [verb, path, 'a%20b=%28x%29&a%21=&a-=y&b=2&b=1', timestamp, nonce, body].join('\n')],
    ['query_raw', [verb, path, 'b=2&a%21=&a%20b=%28x%29&a-=y&b=1', timestamp, nonce, body].join('\n')],
    ['query_empty', [verb, path, '', timestamp, nonce, body].join('\n')],
    ['plus_for_space', [verb, path, query.replace('%20', '+'), timestamp, nonce, body].join('\n')],
    ['blank_dropped', [verb, path, query.replace('&a%21=', ''), timestamp, nonce, body].join('\n')],
    ['extra_unencoded', [verb, path, 'a%20b=(x)&a!=&a-=y&b=1&b=2', timestamp, nonce, body].join('\n')],
    ['body_empty', [verb, path, query, timestamp, nonce, EMPTY_BODY_SHA256].join('\n')],
    ['body_reserialised', [verb, path, query, timestamp, nonce, reserialised].join('\n')],
    ['body_hash_upper', [verb, path, query, timestamp, nonce, body.toUpperCase()].join('\n')],
    ['body_hash_base64', [verb, path, query, timestamp, nonce, Buffer.from(body, 'hex').toString('base64')].join('\n')],
    ['crlf', LINES.join('\r\n')],
    ['trailing_newline', `${LINES.join('\n')}\n`],
    ['missing_query_line', [verb, path, timestamp, nonce, body].join('\n')],
    ['lines_swapped', [verb, path, query, nonce, timestamp, body].join('\n')],
    [{ verb: 'PUT' }, ['PUT', path, query, timestamp, nonce, body].join('\n')],
    [{ path: '/api/partner/v1/quotes' }, [verb, '/api/partner/v1/quotes', query, timestamp, nonce, body].join('\n')],
  ])('%j is in what is signed; only the signature differs', (canonical, text) => {
    const faulty = signed(PLAN, KEY, AT, { canonical })
    expect(faulty.canonicalString).toBe(text)
    expect(header(faulty.request, 'x-partner-signature')).toEqual([`v1=${hmac(text)}`])
    expect(differences(faulty)).toEqual(['x-partner-signature'])
    expect(validCanonicalString(faulty.request)).toBe(LINES.join('\n'))
  })

  it('"query_sorted_after_encoding" moves é, which sorts last before it is encoded and first after it', () => {
    const query = pairs('z=2', 'é=1', 'a!=4', 'a =5')
    const faulty = signed({ ...READ, query }, KEY, AT, { canonical: 'query_sorted_after_encoding' })
    expect(validCanonicalString(faulty.request)?.split('\n')[2]).toBe('a%20=5&a%21=4&z=2&%C3%A9=1')
    expect(faulty.canonicalString?.split('\n')[2]).toBe('%C3%A9=1&a%20=5&a%21=4&z=2')
    expect(differences(faulty, signed({ ...READ, query }, KEY, AT))).toEqual(['x-partner-signature'])
    expect(() => signed(PLAN, KEY, AT, { canonical: 'query_sorted_after_encoding' })).toThrow(FaultHasNoEffectError)
  })
})

describe('a change after signing', () => {
  it.each<[Extract<Fault, { tamper: unknown }>['tamper'], string, Partial<WireRequest> | [string, string]]>([
    ['method', 'method', { method: 'GET' }],
    [{ method: 'PUT' }, 'method', { method: 'PUT' }],
    ['path', 'target', { target: valid.request.target.replace('orders', 'orders/') }],
    [{ path: '/x' }, 'target', { target: valid.request.target.replace(PLAN.path, '/x') }],
    ['query', 'target', { target: `${valid.request.target}&tampered=1` }],
    [{ query: 'add' }, 'target', { target: `${valid.request.target}&tampered=1` }],
    [{ query: 'remove' }, 'target', { target: valid.request.target.replace(/&b=1$/, '') }],
    [{ query: 'alter' }, 'target', { target: valid.request.target.replace(/&b=1$/, '&b=2') }],
    ['body', 'body', { body: Buffer.from(BODY.replace('{', '{ ')) }],
    [{ body: '{}' }, 'body', { body: Buffer.from('{}') }],
    ['body_padded', 'body', { body: Buffer.from(`${BODY}\n`) }],
    ['timestamp', 'x-partner-timestamp', ['X-Partner-Timestamp', '1700000001']],
    ['timestamp_padded', 'x-partner-timestamp', ['X-Partner-Timestamp', '01700000000']],
    [{ timestamp: '17' }, 'x-partner-timestamp', ['X-Partner-Timestamp', '17']],
    ['nonce', 'x-partner-nonce', ['X-Partner-Nonce', 'f3b1c1f0-nonce-y']],
    [{ nonce: 'other' }, 'x-partner-nonce', ['X-Partner-Nonce', 'other']],
  ])('of %j touches the %s and nothing else', (tamper, part, expected) => {
    const faulty = signed(PLAN, KEY, AT, { tamper })
    expect(differences(faulty)).toEqual([part])
    if (Array.isArray(expected)) expect(faulty.request.headers).toContainEqual(expected)
    else expect({ ...faulty.request, body: Buffer.from(faulty.request.body) }).toMatchObject(expected)
    expect(faulty.canonicalString).toBe(LINES.join('\n'))
    const [sentTimestamp = '', sentNonce = ''] = ['x-partner-timestamp', 'x-partner-nonce'].map(
      (name) => header(faulty.request, name)[0],
    )
    expect(faulty).toMatchObject({ timestamp: sentTimestamp, nonce: sentNonce })
    expect(validCanonicalString(faulty.request)).toBe(
      secondCanonicalString({ ...faulty.request, timestamp: sentTimestamp, nonce: sentNonce }),
    )
  })

  it.each([
    ['limit=20', 'limit=21'],
    ['limit=9', 'limit=8'],
    ['q=z', 'q=y'],
    ['q=a%20', 'q=a%201'],
    ['q=%C3%A9', 'q=%C3%A91'],
    ['q=', 'q=1'],
    ['q', 'q=1'],
    ['a=1&&', 'a=2'],
  ])('of the query %j leaves a valid query: %j', (query, altered) => {
    const { request: wire } = signed({ ...READ, rawTarget: `${READ.path}?${query}` }, KEY, AT, {
      tamper: { query: 'alter' },
    })
    expect(wire.target).toBe(`${READ.path}?${altered}`)
  })

  it('of the last pair leaves no question mark', () => {
    const { request: wire } = signed({ ...READ, query: [['q', 'x']] }, KEY, AT, { tamper: { query: 'remove' } })
    expect(wire.target).toBe(READ.path)
  })

  it('adds a pair where there was no query', () => {
    expect(signed(READ, KEY, AT, { tamper: 'query' }).request.target).toBe(`${READ.path}?tampered=1`)
  })

  it('puts a space at the end of a body that is no object', () => {
    const { request: wire } = signed({ ...PLAN, body: Buffer.from('"x"') }, KEY, AT, { tamper: 'body' })
    expect(Buffer.from(wire.body).toString()).toBe('"x" ')
  })
})

describe('a fault without effect is refused', () => {
  it.each<[string, Plan, Fault]>([
    ['no query to leave unsorted', READ, { canonical: 'query_unsorted' }],
    ['a query that is sorted', { ...READ, query: pairs('a=1', 'b=2') }, { canonical: 'query_unsorted' }],
    ['no equal keys', { ...READ, query: pairs('b=1', 'a=2') }, { canonical: 'query_sorted_by_key_only' }],
    ['no query to empty', READ, { canonical: 'query_empty' }],
    ['no space', { ...READ, query: [['b', '1']] }, { canonical: 'plus_for_space' }],
    ['no blank value', { ...READ, query: [['b', '1']] }, { canonical: 'blank_dropped' }],
    ["none of ! ' ( ) *", { ...READ, query: [['b', '1']] }, { canonical: 'extra_unencoded' }],
    ['no body', READ, { canonical: 'body_empty' }],
    ['no JSON body', READ, { canonical: 'body_reserialised' }],
    ['a body that is compact already', { ...PLAN, body: Buffer.from('{"a":1}') }, { canonical: 'body_reserialised' }],
    ['a path outside the API root', { ...READ, path: '/api/partner/webhooks' }, { canonical: 'path_without_root' }],
    ['the same path', READ, { canonical: { path: READ.path } }],
    ['the same verb', READ, { canonical: { verb: 'GET' } }],
    ['a query without canonical form', { ...READ, rawTarget: '/?q=%zz' }, { canonical: 'query_empty' }],
    ['an unsigned body', READ, { tamper: 'body' }],
    ['no query to alter', READ, { tamper: { query: 'alter' } }],
    ['no query to remove', READ, { tamper: { query: 'remove' } }],
    ['the same body', PLAN, { tamper: { body: BODY } }],
    ['the same timestamp', READ, { tamper: { timestamp: '1700000000' } }],
    ['a shift of nothing', READ, { timestamp: { shift: 0 } }],
    ['the same nonce', READ, { nonce: { raw: AT.nonce } }],
    ['the same key id', READ, { key_id: { raw: KEY.keyId } }],
    ['the right prefix', READ, { signature: { prefix: 'v1=' } }],
    ['the same secret', READ, { signature: { key: 'twin' } }],
  ])('%s', (_why, plan, fault) => {
    const context = { otherSecret: () => KEY.secret }
    expect(() => signed(plan, KEY, AT, fault, context)).toThrow(FaultHasNoEffectError)
    expect(() => signed(plan, KEY, AT, fault, context)).toThrow(/ has no effect on this call: /)
    expect(() => signed(plan, KEY, AT, fault, context)).not.toThrow(KEY.secret)
  })

  it('and so is one that names what the run does not know', () => {
    expect(() => signed(READ, KEY, AT, { nonce: { reuse: 'first' } })).toThrow(FaultContextError)
    expect(() => signed(READ, KEY, AT, { signature: { key: 'other' } })).toThrow(FaultContextError)
  })
})

/** What a faulty call signs is right for what it sends: nothing but the fault itself can be refused. */
function expectSoundlySigned(faulty: SignedRequest): void {
  const second = secondCanonicalString({ ...faulty.request, timestamp: faulty.timestamp, nonce: faulty.nonce })
  expect(faulty.canonicalString).toBe(second)
  expect(validCanonicalString(faulty.request)).toBe(second)
  expect(header(faulty.request, 'x-partner-signature')).toEqual([`v1=${hmac(second)}`])
}
