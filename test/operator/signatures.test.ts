import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { signWith } from '../support/signer.ts'

const CREDENTIALS = '/v1/worlds/default/credentials'

test('signs a canonical string as the credential would, and hands out no secret', async () => {
  const sandbox = await startSandbox()
  const { key_id: keyId, secret } = sandbox.credentials[0] as { key_id: string; secret: string }
  const call = { method: 'GET', target: '/api/partner/v1/orders', timestamp: '1700000000', nonce: randomUUID() }
  const right = signWith({ keyId, secret }, call)
  const { status, json, text } = await sandbox.operate('POST', `${CREDENTIALS}/${keyId}/signatures`, {
    canonical_string: right.canonicalString,
  })
  expect([status, json]).toEqual([201, { key_id: keyId, signature: right.signature }])
  expect(text).not.toContain(secret)
})

test('signs for no unknown key, and nothing that is no text', async () => {
  const sandbox = await startSandbox()
  const known = `${CREDENTIALS}/${sandbox.credentials[0]?.key_id}/signatures`
  expect(
    (await sandbox.operate('POST', `${CREDENTIALS}/pk_sandbox_none/signatures`, { canonical_string: 'x' })).status,
  ).toBe(404)
  for (const body of [{}, { canonical_string: '' }, { canonical_string: 7 }, { canonical_string: 'x', secret: 'y' }]) {
    expect((await sandbox.operate('POST', known, body)).status).toBe(400)
  }
})
