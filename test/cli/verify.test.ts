import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { signWith } from '../support/signer.ts'
import { tempFolderOfFile } from '../support/temp-folder.ts'
import { cli } from './run.ts'

const SECRET = 'sk_test_0123456789abcdef'
const KEY = { keyId: 'pk_test_1', secret: SECRET }
const env = { PARTNER_SECRET: SECRET, OTHER: 'sk_test_fedcba9876543210' }
const folder = tempFolderOfFile()
let files = 0

function file(content: string | Buffer): string {
  files += 1
  const path = join(folder, String(files))
  writeFileSync(path, content)
  return path
}

const CALL = { method: 'POST', target: '/api/partner/v1/quotes?b=2&a=1', timestamp: '1767225600', nonce: 'a-nonce' }
const BODY = '{"domain": "é.test"}\n'

/** A raw request, signed by the second signer with another thing than what is sent, or with the same. */
function raw(signs: Partial<typeof CALL & { secret: string; body: string }> = {}, body = BODY, headers = ''): string {
  const { secret = SECRET, ...changed } = signs
  const signed = signWith({ ...KEY, secret }, { ...CALL, body, ...changed }).headers
  const lines = Object.entries(signed).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${CALL.target} HTTP/1.1\r\nHost: 127.0.0.1:4600\r\n${lines.join('')}${headers}\r\n${body}`
}

async function verified(...args: string[]) {
  const outcome = await cli(['verify', ...args], { env })
  expect(outcome.out + outcome.err).not.toContain(SECRET)
  expect(outcome.out + outcome.err).not.toContain(env.OTHER)
  return outcome
}

test('a valid call is valid, to the last byte of its body', async () => {
  expect(await verified('call', file(raw()))).toEqual({
    code: 0,
    out: 'valid: the signature matches the call and the secret\n',
    err: '',
  })
  expect((await verified('call', file(`${raw()} `))).code).toBe(1)
})

test('what an editor put behind the announced body is no part of it', async () => {
  const announced = `Content-Length: ${Buffer.byteLength(BODY)}\r\n`
  expect((await verified('call', file(`${raw({}, BODY, announced)}\n`))).code).toBe(0)
})

test('a wrong signature is explained with both strings, their first difference and the right header', async () => {
  const { code, out } = await verified(
    'call',
    file(raw({ target: CALL.target.toUpperCase().replace('A=1', 'a=1').replace('B=2', 'b=2') })),
  )
  expect(code).toBe(1)
  expect(out.split('\n')[0]).toBe('The path was signed in upper case.')
  expect(out).toContain('> PATH             /api/partner/v1/quotes\n')
  expect(out).toContain('> PATH             /API/PARTNER/V1/QUOTES\n')
  expect(out).toContain('First difference: line 2 (PATH), column 2\n')
  expect(out).toContain(
    `X-Partner-Signature: ${signWith(KEY, { ...CALL, body: BODY }).headers['X-Partner-Signature']}\n`,
  )
})

test('--json gives the diagnosis as the operator API does', async () => {
  const { code, out } = await verified(
    'call',
    file(raw({ secret: env.OTHER })),
    '--other-secret-env',
    'OTHER',
    '--json',
  )
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({
    sound: false,
    sentence: 'The secret in OTHER was used.',
    mistakes: [{ id: 'secret-of-another', says: 'the secret in OTHER was used' }],
    first_difference: null,
  })
})

test('what the client says it signed is held against what it should have', async () => {
  const wrong = 'POST\n/api/partner/v1/quotes\nsomething else\n1767225600\na-nonce\nx'
  const signature = createHmac('sha256', SECRET).update(wrong).digest('hex')
  const call = raw().replace(/v1=[0-9a-f]+/, `v1=${signature}`)
  const { out } = await verified('call', file(call), '--canonical', file(`${wrong}\n`), '--json')
  expect(JSON.parse(out)).toMatchObject({
    mistakes: [],
    first_difference: {
      line: 'QUERY_STRING',
      line_number: 3,
      column: 1,
      expected: 'a=1&b=2',
      signed: 'something else',
    },
  })
})

test('the age of a timestamp is judged only where a time is given', async () => {
  expect((await verified('call', file(raw()), '--now', '2026-01-01T00:05:00Z')).code).toBe(0)
  const { code, out } = await verified('call', file(raw()), '--now', '2026-01-01T02:00:00Z')
  expect([code, out.split('\n')[0]]).toEqual([
    1,
    'The clock that made the timestamp is 2 hours behind, or the call took that long to arrive.',
  ])
})

test('a curl line is read as curl would send it', async () => {
  const url = 'http://127.0.0.1:4600/api/partner/v1/quotes?b=2&a=1'
  const signing = ['sign', 'POST', url, '--key-id', 'pk_test_1', '--curl', '--body']
  for (const body of ["it's 5%\n\t", "\u0085$(x)'\\'", '{"a": "é ☃"}', '@home']) {
    const path = body.startsWith('@') ? file('x') : null
    const { out } = await cli([...signing, path ? `@${path}` : body], { env })
    expect((await verified('call', file(out))).out).toBe('valid: the signature matches the call and the secret\n')
    expect((await verified('call', file(out.replace('b=2', 'b=3')))).code).toBe(1)
  }
  const { out } = await cli([...signing, '{"a":1}'], { env })
  const spread = out
    .replaceAll(' -H ', ' \\\n  -H ')
    .replace('-X POST', '--request=POST')
    .replace('--data-binary', '-d')
  expect((await verified('call', file(`$ ${spread}`))).code).toBe(0)
})

test('a missing header is named, and one that looks like it', async () => {
  const { code, out } = await verified('call', file(raw().replace('X-Partner-Nonce', 'X-Nonce')))
  expect([code, out]).toEqual([1, 'X-Partner-Nonce is missing; X-Nonce was sent, which is another header.\n'])
})

test('a delivery is verified, and explained where it is not sound', async () => {
  const body = file(BODY)
  const { out } = await cli(['sign', '--webhook', '--body', `@${body}`], { env })
  const hex = createHmac('sha256', SECRET).update(BODY).digest('hex')
  expect(out).toBe(`X-Partner-Signature: ${hex}\n`)
  expect((await verified('webhook', '--body', body, '--signature', hex)).out).toBe(
    'valid: the signature matches the body and the secret\n',
  )
  const prefixed = await verified('webhook', '--body', body, '--signature', `v1=${hex}`)
  expect([prefixed.code, prefixed.out.split('\n')[0]]).toEqual([
    1,
    'The signature has a prefix; that of a delivery is the hex digest alone.',
  ])
  const reparsed = createHmac('sha256', SECRET).update('{"domain":"é.test"}').digest('hex')
  const changed = await verified('webhook', '--body', body, '--signature', reparsed)
  expect(changed.out).toBe(
    'This body is not the raw bytes that were signed (written as compact JSON, as JSON.stringify writes it, it fits): keep the bytes as they arrive, before anything parses or rewrites them, and verify these bytes.\n',
  )
  const line = signWith(KEY, { method: 'POST', target: '/hook', body: BODY, timestamp: '', nonce: '' }).signature
  expect((await verified('webhook', '--body', body, '--signature', line, '--target', '/hook')).out).toContain(
    'signed as a call',
  )
})

test.each([
  ['zz', 'has 2 characters, contains a character that is not a hex digit'],
  ['a'.repeat(63), 'has 63 characters'],
  [`${'A'.repeat(63)}`, 'has 63 characters, holds upper-case letters'],
  [`v1=${'0'.repeat(64)}`, 'has 67 characters, contains a character that is not a hex digit'],
])('the signature %s of a delivery is called malformed', async (signature, why) => {
  const { code, out } = await verified('webhook', '--body', file(BODY), '--signature', signature)
  expect([code, out.split('\n')[0]]).toEqual([
    1,
    `The signature is malformed: it is 64 lower-case hex digits, and this one ${why}.`,
  ])
})

test('a signature of a call that is malformed and no known mistake is called so', async () => {
  const { out } = await verified('call', file(raw().replace(/(X-Partner-Signature: ).*/, '$1hello')))
  expect(out.split('\n')[0]).toBe(
    'The signature is malformed: it is v1= and 64 lower-case hex digits, and this one does not begin with v1=, has 5 characters as its digest, contains a character that is not a hex digit.',
  )
})

test.each([
  [['call', '/nowhere/at/all'], 'error: /nowhere/at/all: no such file\n'],
  [['call', file('hello')], /must begin with a request line/],
  [['call', file('GET / HTTP/1.1\r\nnonsense\r\n\r\n')], /line 2 of the call is not a header/],
  [['call', file('POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc')], /announces a body of 9 bytes, but has 3/],
  [['call', file("curl 'http://h/a")], /quotation mark/],
  [['call', file('curl -F a=b http://h/a')], /-F cannot be read/],
  [['call', file(raw()), '--secret-env', 'NONE'], /the environment has no NONE/],
  [['call', file(raw()), '--other-secret-env', 'NONE'], /--other-secret-env: the environment has no NONE/],
  [['webhook', '--body', '/nowhere', '--signature', 'x'], /--body \/nowhere: no such file/],
])('refuses %j with exit code 4', async (args, message) => {
  const { code, out, err } = await verified(...args)
  expect([code, out]).toEqual([4, ''])
  expect(err).toMatch(message)
})

test('without any secret it says so', async () => {
  const { code, err } = await cli(['verify', 'call', file(raw())])
  expect([code, err]).toEqual([4, 'error: no secret: set PARTNER_SECRET, or name another variable with --secret-env\n'])
})
