import { describe, expect, it } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { cliAgainst } from './against.ts'

describe('world progress', () => {
  it('shows it in words, sets it whole, and stops it', async () => {
    const { ok, okJson } = cliAgainst(await startSandbox({ inventory: 0 }))
    await ok('world', 'create', 'ci', '--inventory', '0', '--start-after', '10m')
    expect(await ok('world', 'progress', 'ci')).toBe(
      'start after     10m\ncomplete after  never\nsettle every    never\n',
    )
    expect(await ok('world', 'progress', '--world', 'ci', '--complete-after', '2h')).toBe(
      'start after     never\ncomplete after  2h\nsettle every    never\n',
    )
    expect(await okJson('world', 'progress')).toEqual({ start_after: null, complete_after: null, settle_every: null })
    expect(await okJson('world', 'progress', 'ci', '--manual')).toEqual(await okJson('world', 'progress'))
  })
})

describe('world rules', () => {
  it('shows them, sets them whole, and takes them back to what is usual', async () => {
    const { ok, okJson, run } = cliAgainst(await startSandbox({ inventory: 0 }))
    const usual = await okJson('world', 'rules')
    await ok('world', 'create', 'ci', '--inventory', '0')
    const set = await okJson('world', 'rules', 'ci', '--commission-brokerage', '7')
    expect(set).toEqual({ ...usual, commission: { ...usual.commission, brokerage_basis_points: 7 } })
    expect(await okJson('world', 'rules', '--world', 'ci')).toEqual(set)
    expect(await ok('world', 'rules', 'ci')).toMatch(/brokerage_basis_points +7\n/)
    expect(await okJson('world', 'rules', 'ci', '--usual')).toEqual(usual)
    const both = await run('world', 'rules', '--usual', '--hold-above', '1')
    expect([both.code, both.err]).toEqual([4, expect.stringContaining('--usual takes no other rule')])
  })
})
