import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, test } from 'vitest'
import {
  canonicalQuery,
  canonicalString,
  EMPTY_BODY_SHA256,
  hasUnsignedBody,
  MalformedQueryError,
  splitTarget,
} from '../../src/contract/canonical-string.ts'
import { AUTH_HEADERS, HEADERS, SIGNATURE_PREFIX } from '../../src/contract/headers.ts'
import { bodySha256, hmacSha256Hex } from '../../src/contract/signature.ts'
import { secondCanonicalQuery, secondCanonicalString } from '../support/signer.ts'
import { lacks } from '../support/tools.ts'

interface Vector {
  id: string
  verdict: 'valid' | 'invalid' | 'free'
  credential: { key_id: string; secret: string }
  request: { method: string; target: string; headers: [string, string][]; body_base64: string }
  canonical_query: string | null
  body_sha256: string
  canonical_string: string | null
  signature: string | null
  mistaken_canonical_string?: string
}

const file = new URL('../../fixtures/signing-vectors.json', import.meta.url)
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] }

/** The one value of a header, or undefined where it was never sent or has two different values. */
function single(vector: Vector, name: string): string | undefined {
  const sent = vector.request.headers.filter(([key]) => key.toLowerCase() === name.toLowerCase())
  const [value, ...others] = new Set(sent.map(([, text]) => text))
  return others.length === 0 ? value : undefined
}

function bodyOf(vector: Vector): Buffer {
  return Buffer.from(vector.request.body_base64, 'base64')
}

/** Our canonical string for a call as it was sent. */
function ourCanonicalString(vector: Vector): string {
  const { method, target } = vector.request
  const { path, query } = splitTarget(target)
  return canonicalString({
    method: method.toUpperCase(),
    path,
    query: canonicalQuery(query),
    timestamp: single(vector, HEADERS.timestamp) ?? '',
    nonce: single(vector, HEADERS.nonce) ?? '',
    bodySha256: hasUnsignedBody(method.toUpperCase()) ? EMPTY_BODY_SHA256 : bodySha256(bodyOf(vector)),
  })
}

describe('the signing vectors', () => {
  it('are there, with every verdict and with a good number of each', () => {
    const count = (verdict: string) => vectors.filter((vector) => vector.verdict === verdict).length
    expect(count('valid')).toBeGreaterThan(100)
    expect(count('invalid')).toBeGreaterThan(100)
    expect(count('free')).toBeGreaterThan(20)
    expect(new Set(vectors.map((vector) => vector.id)).size).toBe(vectors.length)
  })

  it.each(vectors.map((vector) => [vector.id, vector] as const))(
    '%s: every intermediate is ours too',
    (_id, vector) => {
      const { query } = splitTarget(vector.request.target)
      if (vector.canonical_query === null) {
        expect(() => canonicalQuery(query)).toThrow(MalformedQueryError)
        expect(() => secondCanonicalQuery(query)).toThrow()
        return
      }
      expect(canonicalQuery(query)).toBe(vector.canonical_query)
      expect(secondCanonicalQuery(query)).toBe(vector.canonical_query)
      const text = ourCanonicalString(vector)
      expect(text.split('\n').at(-1)).toBe(vector.body_sha256)
      if (vector.canonical_string === null) {
        expect([single(vector, HEADERS.timestamp), single(vector, HEADERS.nonce)]).toContain(undefined)
        return
      }
      expect(text).toBe(vector.canonical_string)
      expect(hmacSha256Hex(vector.credential.secret, text)).toBe(vector.signature)
    },
  )

  it.each(vectors.filter((vector) => vector.verdict === 'valid').map((vector) => [vector.id, vector] as const))(
    '%s carries the signature that we would make',
    (_id, vector) => {
      expect(AUTH_HEADERS.map((name) => single(vector, name))).toEqual([
        vector.credential.key_id,
        expect.stringMatching(/^[0-9]+$/),
        expect.any(String),
        SIGNATURE_PREFIX + vector.signature,
      ])
      const { method, target } = vector.request
      const [timestamp, nonce] = [single(vector, HEADERS.timestamp), single(vector, HEADERS.nonce)] as [string, string]
      expect(secondCanonicalString({ method, target, body: bodyOf(vector), timestamp, nonce })).toBe(
        vector.canonical_string,
      )
    },
  )

  const mistaken = vectors.filter((vector) => vector.mistaken_canonical_string !== undefined)

  it.each(mistaken.map((vector) => [vector.id, vector] as const))('%s is signed over another text', (_id, vector) => {
    const { secret } = vector.credential
    expect(vector.mistaken_canonical_string).not.toBe(vector.canonical_string)
    const digest = hmacSha256Hex(secret, vector.mistaken_canonical_string ?? '')
    expect(single(vector, HEADERS.signature)).toBe(SIGNATURE_PREFIX + digest)
    expect(digest).not.toBe(vector.signature)
  })
})

const PROGRAM = fileURLToPath(new URL('../../fixtures/signing-vectors.py', import.meta.url))

test.skipIf(lacks('python3'))(
  'fixtures/signing-vectors.json is what its own program makes, which shares no code with src',
  () => {
    const { status, stderr, stdout } = spawnSync('python3', [PROGRAM, '--check'], { encoding: 'utf8' })
    expect([status, stderr || stdout]).toEqual([0, stdout])
  },
)
