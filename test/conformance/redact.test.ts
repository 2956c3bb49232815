import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../src/conformance/http/exchange.ts'
import { createRedactor } from '../../src/conformance/http/redact.ts'

const SECRET = 'sk_test_a/b+c=d"e\u00e9'

function percentEscaped(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

function numbered(write: (code: number) => string): string {
  return [...SECRET].map((character) => write(character.codePointAt(0) ?? 0)).join('')
}

describe('secrets', () => {
  it.each([
    ['as they are', SECRET],
    ['URL-encoded', encodeURIComponent(SECRET)],
    ['JSON-escaped', JSON.stringify(SECRET).slice(1, -1)],
    ['in hex', Buffer.from(SECRET).toString('hex')],
    ['in upper-case hex', Buffer.from(SECRET).toString('hex').toUpperCase()],
    ['in base64', Buffer.from(SECRET).toString('base64')],
    ['in base64url', Buffer.from(SECRET).toString('base64url')],
    ['with each byte as a percent escape', percentEscaped(SECRET)],
    ['percent-escaped twice', percentEscaped(SECRET).replaceAll('%', '%25')],
    ['with each character as a JSON escape', numbered((code) => `\\u${code.toString(16).padStart(4, '0')}`)],
    ['with each character as a decimal entity', numbered((code) => `&#${code};`)],
    ['with each character as a hex entity', numbered((code) => `&#x${code.toString(16)};`)],
    ['escaped for HTML', SECRET.replaceAll('"', '&quot;')],
  ])('are taken out %s', (_form, text) => {
    expect(createRedactor([SECRET]).text(`before ${text} after`)).toMatch(/^before \[secret\].{0,4} after$/)
  })

  it.each([0, 1, 2, 3])('are taken out of base64 behind %i other bytes', (length) => {
    const text = Buffer.from(`${'x'.repeat(length)}${SECRET}tail`).toString('base64')
    expect(createRedactor([SECRET]).text(text)).toContain('[secret]')
  })

  it('are taken out where a text was cut off in the middle of one', () => {
    const { text } = createRedactor(['sk_test_abcdefgh'])
    expect(text('before sk_test_abc… (9 more characters)')).toBe('before [secret]… (9 more characters)')
    expect(text('before sk_test_… x')).toBe('before [secret]… x')
    expect(text('sk_test_xyz…')).toBe('sk_test_xyz…')
    expect(text('sk_test_abc')).toBe('sk_test_abc')
  })

  it('are no reason to blank out short words', () => {
    expect(createRedactor(['ab']).text('abracadabra')).toBe('abracadabra')
  })
})

describe('an exchange', () => {
  const signature = 'ab'.repeat(32)
  const exchange: Exchange = {
    id: 's1e1',
    scenario: 'auth/sample',
    sentAtMs: 0,
    request: {
      method: 'GET',
      target: '/x',
      headers: [
        ['X-Partner-Signature', `v1=${signature}`],
        ['Authorization', 'Bearer abc'],
      ],
      body: new Uint8Array(),
    },
    canonicalString: 'GET\n/x\n\n1\nn\nhash',
    answer: { op: null, status: 401, headers: [], body: Buffer.from(`you sent ${signature}`), json: undefined },
    broken: null,
    tookMs: 1,
  }

  const answering = (body: Buffer): Exchange => ({
    ...exchange,
    answer: { op: null, status: 200, headers: [], body, json: undefined },
  })

  it('keeps the form of a signature and none of its digits', () => {
    const redacted = createRedactor([]).exchange(exchange)
    expect(redacted.requestHeaders[0]).toEqual(['X-Partner-Signature', 'v1=[64 characters, lower-case hex]'])
    expect(redacted.responseBody).toBe('you sent [signature]')
    expect(JSON.stringify(redacted)).not.toContain('Bearer abc')
  })

  it('shows invalid UTF-8 as such and cuts a huge body', () => {
    const { responseBody } = createRedactor([]).exchange(answering(Buffer.alloc(100_000, 0xff)))
    expect(responseBody).toMatch(/^\ufffd+… \(83616 bytes more\)$/)
  })

  it('leaves no part of a secret where a huge body is cut', () => {
    for (const before of [16_360, 16_370, 16_380, 16_383]) {
      const text = `${'.'.repeat(before)}${SECRET}${'.'.repeat(9_000)}`
      const { responseBody } = createRedactor([SECRET]).exchange(answering(Buffer.from(text)))
      expect(responseBody).toMatch(/^\.+(\[secret\]\.*)?… /)
    }
  })
})
