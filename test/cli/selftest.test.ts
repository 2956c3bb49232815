import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { cli } from './run.ts'

const SCENARIO = fileURLToPath(new URL('../../scenarios/auth/wrong-secret.yaml', import.meta.url))

test('lists every defect with what it breaks', async () => {
  const { code, out } = await cli(['selftest', '--list'])
  expect(code).toBe(0)
  expect(out).toMatch(/^secret-of-key-id +A signature made with the key id .+ \(AUTH-05\)$/m)
  expect(out).not.toMatch(/\S {30,}\S.* {30,}\S/) // No second column of padding.
})

test('lists them as JSON', async () => {
  const { out } = await cli(['selftest', '--list', '--json'])
  expect(JSON.parse(out)).toContainEqual({
    id: 'secret-of-key-id',
    breaks: ['AUTH-05'],
    summary: 'A signature made with the key id in the place of the secret passes.',
  })
})

test('refuses an unknown defect with those that come near', async () => {
  const { code, out, err } = await cli(['selftest', '--defect', 'secret-of-keyid', '--scenarios', SCENARIO])
  expect(code).toBe(4)
  expect(out).toBe('')
  expect(err).toContain('--defect: no such defect: "secret-of-keyid"; did you mean secret-of-key-id')
})

test('shows which check killed a defect and exits 0', async () => {
  const { code, out } = await cli(['selftest', '--defect', 'secret-of-key-id', '--scenarios', SCENARIO])
  expect(out).toMatch(/^secret-of-key-id +AUTH-05 +\S*wrong-secret#key_id_as_secret AUTH-05/m)
  expect(out).toMatch(/^defects killed +1 of 1$/m)
  expect(code).toBe(0)
})

test('names a defect that survives and exits 1', async () => {
  const { code, out } = await cli(['selftest', '--defect', 'nonce-race', '--scenarios', SCENARIO])
  expect(out).toContain('the defect nonce-race survives: no scenario proves NONCE-04\n')
  expect(out).toMatch(/^not passed: 1 problem$/m)
  expect(code).toBe(1)
})

test('refuses a seed that could not be part of a name', async () => {
  const { code, err } = await cli(['selftest', '--quick', 'two words'])
  expect([code, err]).toEqual([4, expect.stringContaining('letters, digits')])
})
