import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DEFAULT_GAPS } from '../../../src/contract/choices.ts'
import { ApiError } from '../../../src/contract/errors.ts'
import { hmacKeyOf } from '../../../src/contract/signature.ts'
import { CHECK_ORDERS, identify, runChecks } from '../../../src/sandbox/app/checks.ts'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import type { Credential } from '../../../src/sandbox/kernel/world.ts'
import { type Call, newCall } from '../../../src/sandbox/wire/call.ts'
import { castMember, setWall, testWorld } from '../../support/world.ts'

interface Vector {
  id: string
  title: string
  verdict: 'valid' | 'invalid' | 'free'
  credential: { key_id: string; secret: string }
  also_known?: { key_id: string; secret: string }[]
  server_time: number
  request: { method: string; target: string; headers: [string, string][]; body_base64: string }
  expected_codes?: string[]
  sandbox?: string
}

const fixture = new URL('../../../fixtures/signing-vectors.json', import.meta.url)
const { vectors } = JSON.parse(readFileSync(fixture, 'utf8')) as { vectors: Vector[] }

/** Vectors have no Host and some odd targets: they are about signatures. */
const FIRST_CHECKS = ['headers', 'key'] as const
const { beforeTransaction } = CHECK_ORDERS[DEFAULT_GAPS['check-order']]

const wall = setWall()
const world = testWorld({ inventory: 0, wall })

/** What the checks on the raw request say of a vector: `accepts`, or the code of the refusal. */
function judge(vector: Vector): string {
  wall.setMs(vector.server_time * 1_000)
  const known = new Map(
    [vector.credential, ...(vector.also_known ?? [])].map(({ key_id, secret }): [string, Credential] => [
      key_id,
      { ...castMember(world, 'main'), keyId: key_id, secret, hmacKey: hmacKeyOf(secret) },
    ]),
  )
  try {
    const find = (keyId: string) => {
      const credential = known.get(keyId)
      return credential ? { world, credential } : null
    }
    runChecks(beforeTransaction, identify(incoming(vector), find, {}, FIRST_CHECKS), find)
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
  return 'accepts'
}

function incoming({ request }: Vector): Call<Environment> {
  return newCall({
    id: 'req_vector',
    receivedAtMs: 0,
    method: request.method,
    target: request.target,
    // Node hands header values over as Latin-1.
    rawHeaders: request.headers.flatMap(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')]),
    body: Buffer.from(request.body_base64, 'base64'),
    endpoint: null,
    params: {},
  })
}

test.for(vectors.filter((vector) => vector.verdict === 'valid'))('accepts $id: $title', (vector) => {
  expect(judge(vector)).toBe('accepts')
})

test.for(vectors.filter((vector) => vector.verdict === 'invalid'))('refuses $id: $title', (vector) => {
  expect(vector.expected_codes).toContain(judge(vector))
})

test.for(vectors.filter((vector) => vector.verdict === 'free'))('does what it says with $id: $title', (vector) => {
  expect(judge(vector)).toBe(vector.sandbox)
})
