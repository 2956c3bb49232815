import { createHmac } from 'node:crypto'
import type { TestCall, TestSandbox } from '../support/sandbox.ts'
import { signWith } from '../support/signer.ts'
import { outcome, type Probe, showDefects } from './probe.ts'

const ROOT = '/api/partner/v1'
const READ = '/availability?domain=stalls-1.test'
const QUOTE = { domain: 'stalls-1.test' }

function call(wanted: TestCall) {
  return async (sandbox: TestSandbox) => outcome(await sandbox.call(wanted))
}

/** Sends a call whose signature covers this text. */
function signedOver(write: (canonical: string) => string, wanted: TestCall = { path: READ }) {
  return withSignature(
    (canonical, secret) => `v1=${createHmac('sha256', secret).update(write(canonical)).digest('hex')}`,
    wanted,
  )
}

/** Sends a call whose signature header is this. */
function withSignature(write: (canonical: string, secret: string) => string, wanted: TestCall = { path: READ }) {
  return async (sandbox: TestSandbox) => {
    const { secret } = sandbox.credentials[0] as { secret: string }
    const answer = await sandbox.call({
      ...wanted,
      after(sent) {
        const { headers, method, target, body } = sent
        const { canonicalString } = signWith(
          { keyId: headers['X-Partner-Key-Id'] as string, secret },
          {
            method,
            target,
            body,
            timestamp: headers['X-Partner-Timestamp'] as string,
            nonce: headers['X-Partner-Nonce'] as string,
          },
        )
        headers['X-Partner-Signature'] = write(canonicalString, secret)
      },
    })
    return outcome(answer)
  }
}

const hex = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('hex')
const without = (header: string): TestCall => ({ path: READ, after: ({ headers }) => void delete headers[header] })
const REFUSED = '401 invalid_signature'
const MISSING = '401 missing_signature_headers'

const secrets: Probe[] = [
  {
    defect: 'signature-never-verified',
    look: call({ path: READ, signs: { secret: 'wrong' } }),
    sound: REFUSED,
    broken: '200',
  },
  { defect: 'secret-of-key-id', look: withKeyId(), sound: REFUSED, broken: '200' },
  { defect: 'secret-of-anybody', look: withOthersSecret(), sound: REFUSED, broken: '200' },
  {
    defect: 'secret-wrong-is-forbidden',
    look: call({ path: READ, signs: { secret: 'wrong' } }),
    sound: REFUSED,
    broken: '403 forbidden',
  },
  {
    defect: 'key-unknown-is-not-found',
    look: call(ofKey('pk_sandbox_nobody')),
    sound: REFUSED,
    broken: '404 not_found',
  },
  {
    defect: 'key-unknown-crashes',
    look: call(ofKey('pk_sandbox_nobody')),
    sound: REFUSED,
    broken: '500 internal_error',
  },
  { defect: 'writes-hash-no-body', look: call({ path: '/quotes', body: QUOTE }), sound: '201', broken: REFUSED },
]

const headers: Probe[] = [
  {
    defect: 'key-id-missing-is-invalid-signature',
    look: call(without('X-Partner-Key-Id')),
    sound: '401 missing_credentials',
    broken: REFUSED,
  },
  {
    defect: 'key-id-missing-is-400',
    look: call(without('X-Partner-Key-Id')),
    sound: '401 missing_credentials',
    broken: '400 missing_credentials',
  },
  {
    defect: 'nonce-header-optional',
    look: call({ ...without('X-Partner-Nonce'), nonce: '' }),
    sound: MISSING,
    broken: '200',
  },
  {
    defect: 'timestamp-header-missing-is-invalid-timestamp',
    look: call(without('X-Partner-Timestamp')),
    sound: MISSING,
    broken: '401 invalid_timestamp',
  },
  {
    defect: 'signature-header-missing-crashes',
    look: call(without('X-Partner-Signature')),
    sound: MISSING,
    broken: '500 internal_error',
  },
  {
    defect: 'signature-header-missing-is-invalid-signature',
    look: call(without('X-Partner-Signature')),
    sound: MISSING,
    broken: REFUSED,
  },
]

const coverage: Probe[] = [
  {
    defect: 'body-line-ends-not-covered',
    look: call({
      path: '/quotes',
      body: '{\r\n"domain":"stalls-1.test"}',
      signs: { body: Buffer.from('{\n"domain":"stalls-1.test"}') },
    }),
    sound: REFUSED,
    broken: '201',
  },
  {
    defect: 'signature-of-writes-not-verified',
    look: call(changedBody('{"domain":"stalls-2.test"}')),
    sound: REFUSED,
    broken: '201',
  },
  {
    defect: 'body-reserialised-passes',
    look: call(changedBody('{ "domain":"stalls-1.test"}')),
    sound: REFUSED,
    broken: '201',
  },
  {
    defect: 'body-left-out-passes',
    look: call({ path: '/quotes', body: QUOTE, signs: { body: Buffer.alloc(0) } }),
    sound: REFUSED,
    broken: '201',
  },
  { defect: 'path-root-optional', look: call({ path: READ, signs: { target: READ } }), sound: REFUSED, broken: '200' },
  {
    defect: 'path-trailing-slash-ignored',
    look: call({ path: READ, signs: { target: `${ROOT}${READ.replace('?', '/?')}` } }),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'path-of-other-endpoint-passes',
    look: call({ path: READ, signs: { target: `${ROOT}${READ.replace('availability', 'pricing')}` } }),
    sound: REFUSED,
    broken: '200',
  },
  { defect: 'verb-not-covered', look: call({ path: READ, signs: { method: 'POST' } }), sound: REFUSED, broken: '200' },
  {
    defect: 'query-additions-not-covered',
    look: call({ path: '/domains/search?q=a&added=1', signs: { target: `${ROOT}/domains/search?q=a` } }),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'timestamp-not-covered',
    look: call({
      path: READ,
      after: ({ headers }) =>
        Object.assign(headers, { 'X-Partner-Timestamp': String(Number(headers['X-Partner-Timestamp']) + 1) }),
    }),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'nonce-ending-not-covered',
    look: call({
      path: READ,
      nonce: 'nonce-a',
      after: ({ headers }) => Object.assign(headers, { 'X-Partner-Nonce': 'nonce-b' }),
    }),
    sound: REFUSED,
    broken: '200',
  },
]

const digests: Probe[] = [
  {
    defect: 'prefix-of-another-version-passes',
    look: withSignature((text, secret) => `v2=${hex(text, secret)}`),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'digest-without-hex-crashes',
    look: withSignature(() => 'v1=no'),
    sound: REFUSED,
    broken: '500 internal_error',
  },
  { defect: 'prefix-optional', look: withSignature(hex), sound: REFUSED, broken: '200' },
  { defect: 'trailing-newline-passes', look: signedOver((text) => `${text}\n`), sound: REFUSED, broken: '200' },
  { defect: 'crlf-passes', look: signedOver((text) => text.replaceAll('\n', '\r\n')), sound: REFUSED, broken: '200' },
  {
    defect: 'empty-query-line-optional',
    look: signedOver((text) => text.replace('\n\n', '\n'), { path: '/orders' }),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'verb-in-lower-case-passes',
    look: signedOver((text) => text.replace('GET', 'get')),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'digest-in-upper-case-passes',
    look: withSignature((text, secret) => `v1=${hex(text, secret).toUpperCase()}`),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'digest-in-base64-passes',
    look: withSignature((text, secret) => `v1=${Buffer.from(hex(text, secret), 'hex').toString('base64')}`),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'digest-cut-short-passes',
    look: withSignature((text, secret) => `v1=${hex(text, secret).slice(0, -1)}`),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'digest-lengthened-passes',
    look: withSignature((text, secret) => `v1=${hex(text, secret)}0`),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'digest-of-other-length-crashes',
    look: withSignature((text, secret) => `v1=${hex(text, secret).slice(0, -1)}`),
    sound: REFUSED,
    broken: '500 internal_error',
  },
]

const search = (query: string) => call({ path: `/domains/search?q=a&${query}` })
const canonical: Probe[] = [
  { defect: 'query-as-sent-passes', look: querySigned('q=%61&z=%7e'), sound: REFUSED, broken: '200' },
  { defect: 'query-unsorted-passes', look: querySigned('z=1&q=a'), sound: REFUSED, broken: '200' },
  { defect: 'query-sorted-by-key-only-passes', look: querySigned('q=a&z=2&z=1'), sound: REFUSED, broken: '200' },
  {
    defect: 'query-sorted-after-encoding-passes',
    look: querySigned('q=a&z%C3%A9=1&zz=2'),
    sound: REFUSED,
    broken: '200',
  },
  { defect: 'query-left-out-passes', look: querySigned('', 'q=a'), sound: REFUSED, broken: '200' },
  { defect: 'query-value-ending-not-covered', look: querySigned('q=a', 'q=b'), sound: REFUSED, broken: '200' },
  {
    defect: 'query-repetition-not-covered',
    look: querySigned('q=a&z=1&z=1', 'q=a&z=1'),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'path-case-ignored',
    look: pathSigned('/domains/stalls-1.test', '/domains/Stalls-1.test'),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'path-first-segment-optional',
    look: signedOver((text) => text.replace('/api/', '/')),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'path-version-not-covered',
    look: signedOver((text) => text.replace('/v1/', '/')),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'body-hash-in-upper-case-passes',
    look: signedOver((text) => text.replace(/[0-9a-f]{64}$/, (hash) => hash.toUpperCase())),
    sound: REFUSED,
    broken: '200',
  },
  {
    defect: 'body-hash-in-base64-passes',
    look: signedOver((text) => text.replace(/[0-9a-f]{64}$/, (hash) => Buffer.from(hash, 'hex').toString('base64'))),
    sound: REFUSED,
    broken: '200',
  },
  { defect: 'trailing-newline-demanded', look: call({ path: READ }), sound: '200', broken: REFUSED },
  { defect: 'lines-in-another-order', look: call({ path: READ }), sound: '200', broken: REFUSED },
  { defect: 'empty-query-line-left-out', look: call({ path: '/orders' }), sound: '200', broken: REFUSED },
  { defect: 'bare-question-mark-signed', look: call({ path: '/orders?' }), sound: '200', broken: REFUSED },
  { defect: 'query-not-sorted', look: call({ path: '/domains/search?z=1&q=a' }), sound: '200', broken: REFUSED },
  { defect: 'query-sorted-by-key-only', look: search('z=2&z=1'), sound: '200', broken: REFUSED },
  { defect: 'query-keys-kept-once', look: search('z=1&z=2'), sound: '200', broken: REFUSED },
  { defect: 'query-blanks-dropped', look: search('z='), sound: '200', broken: REFUSED },
  { defect: 'query-blank-without-equals-sign', look: search('z'), sound: '200', broken: REFUSED },
  { defect: 'query-extra-five-left-alone', look: search('z=%27'), sound: '200', broken: REFUSED },
  { defect: 'query-asterisk-left-alone', look: search('z=*'), sound: '200', broken: REFUSED },
  { defect: 'query-extra-five-in-lower-case', look: search('z=*'), sound: '200', broken: REFUSED },
  { defect: 'query-plus-for-space', look: search('z=1%202'), sound: '200', broken: REFUSED },
  { defect: 'query-tilde-encoded', look: search('z=~'), sound: '200', broken: REFUSED },
  { defect: 'query-encoded-twice', look: search('z=%26'), sound: '200', broken: REFUSED },
  { defect: 'query-in-latin-1', look: search('z=%C3%A9'), sound: '200', broken: REFUSED },
  { defect: 'query-sorted-after-encoding', look: search('z%C3%A9=1&zz=2'), sound: '200', broken: REFUSED },
  { defect: 'empty-body-hash-left-out', look: call({ path: READ }), sound: '200', broken: REFUSED },
  {
    defect: 'body-reserialised-before-hashing',
    look: call({ path: '/quotes', body: '{ "domain": "stalls-1.test" }' }),
    sound: '201',
    broken: REFUSED,
  },
  {
    defect: 'body-hashed-as-latin-1',
    look: call({ path: '/quotes', body: { domain: 'é.test' } }),
    sound: '404 not_found',
    broken: REFUSED,
  },
  { defect: 'path-without-root-demanded', look: call({ path: READ }), sound: '200', broken: REFUSED },
  { defect: 'path-decoded', look: call({ path: '/domains/stalls%2D1.test' }), sound: '200', broken: REFUSED },
  { defect: 'path-in-lower-case', look: call({ path: '/domains/Stalls-1.test' }), sound: '200', broken: REFUSED },
  { defect: 'verb-signed-in-lower-case', look: call({ path: READ }), sound: '200', broken: REFUSED },
]

showDefects([...secrets, ...headers, ...coverage, ...digests, ...canonical])

function changedBody(body: string): TestCall {
  return { path: '/quotes', body: QUOTE, after: (sent) => Object.assign(sent, { body: Buffer.from(body) }) }
}

function ofKey(keyId: string): TestCall {
  return { path: READ, after: ({ headers }) => Object.assign(headers, { 'X-Partner-Key-Id': keyId }) }
}

function withKeyId() {
  return async (sandbox: TestSandbox) =>
    outcome(await sandbox.call({ path: READ, signs: { secret: sandbox.credentials[0]?.key_id as string } }))
}

function withOthersSecret() {
  return async (sandbox: TestSandbox) =>
    outcome(await sandbox.call({ path: READ, signs: { secret: sandbox.credentials[1]?.secret as string } }))
}

/** A search that signs this query line, and asks with this query where it differs. */
function querySigned(line: string, asked = line) {
  return signedOver((text) => text.replace(/^(.*\n.*\n).*/, `$1${line}`), { path: `/domains/search?${asked}` })
}

function pathSigned(path: string, asked: string) {
  return call({ path: asked, signs: { target: ROOT + path } })
}
