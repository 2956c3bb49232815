import { expect, test } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { cliAgainst } from './against.ts'

const FROZEN = { inventory: 0, frozen: true, clockMs: Date.parse('2026-01-15T12:00:00.000Z') }

test('clock show says in words what is pending, what is next and what goes by another clock', async () => {
  const sandbox = await startSandbox(FROZEN)
  const { ok } = cliAgainst(sandbox)
  expect(await ok('clock', 'show')).toBe(
    [
      'mode        frozen',
      'now         2026-01-15T12:00:00.000Z',
      'pending     0',
      'next        -',
      "signatures  checked by the machine's clock (auth_clock wall)",
      'jump        none in progress',
      '',
    ].join('\n'),
  )
  await ok('world', 'progress', 'default', '--settle-every', '7d')
  const { json: quote } = await sandbox.call({ path: '/quotes', body: { domain: 'stalls-1.test' } })
  await sandbox.operate('PUT', '/v1/worlds/default/clock', { auth_clock: 'world', auth_skew_seconds: -400 })
  const shown = await ok('clock', 'show')
  expect(shown).toContain('\npending     1 quote.expired, 1 settlement.run\n')
  expect(shown).toContain(`\nnext        quote.expired at 2026-01-15T12:10:00.001Z (${quote.quote_id})\n`)
  expect(shown).toContain('\nsignatures  checked by the clock of this world, 400 s behind (auth_clock world)\n')
})

test('a jump until idle and clock show agree on a settlement run that would find nothing', async () => {
  const { ok, okJson } = cliAgainst(await startSandbox(FROZEN))
  await ok('world', 'progress', 'default', '--settle-every', '7d')
  const run = 'settlement.run at 2026-01-22T12:00:00.000Z (settlement)'
  const why = 'settlement runs without orders to settle do not count'
  expect(await ok('clock', 'advance', '--until', 'idle')).toMatch(
    new RegExp(`\\nhappened +nothing\\nstill due +${run.replace(/[()]/g, '\\$&')}: ${why}\\n$`),
  )
  const shown = await ok('clock', 'show')
  expect(shown).toContain(`\npending     1 settlement.run (idle: ${why})\n`)
  expect(shown).toContain(`\nnext        ${run}\n`)
  expect(Object.keys(await okJson('clock', 'advance', '--until', 'idle'))).not.toContain('next')
  expect(await ok('clock', 'advance', '1h')).not.toContain('still due')
  expect(await ok('clock', 'advance', '--help')).toContain('settlement runs without orders to settle do not count')
})
