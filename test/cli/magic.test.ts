import { expect, test } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { cliAgainst } from './against.ts'
import { cli } from './run.ts'

test('magic lists every domain and every buyer tag with what it does, a line each', async () => {
  const { ok, okJson } = cliAgainst(await startSandbox({ inventory: 0 }))
  const { domains, buyers } = await okJson('magic')
  const text = await ok('magic')
  expect(text).toMatch(/^DOMAIN +ACTS +ON: WHAT IT DOES\n/)
  expect(text).toMatch(/\n\nBUYER TAG +ACTS +ON: WHAT IT DOES\n/)
  for (const { pattern, acts, on, does } of [...domains, ...buyers]) {
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${pattern} `))
    expect(line?.split(/ {2,}/)).toEqual([pattern, acts, `${on}: ${does}`])
  }
  expect(domains.length).toBeGreaterThan(10)
  expect(buyers.length).toBeGreaterThan(2)
})

test('magic fits the terminal', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { out } = await cli(['magic'], { env: { PARTNER_SANDBOX_URL: sandbox.operator?.url ?? '' }, terminal: true })
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  expect(out).toMatch(/\nheld-N\.test +always +POST \/orders: .+\n {30}\S/)
})
