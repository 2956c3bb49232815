import { describe, expect, it } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { cliAgainst } from './against.ts'

describe('world create', () => {
  it('makes a world that goes on by itself, with the rules that the options say', async () => {
    const { okJson } = cliAgainst(await startSandbox({ inventory: 0 }))
    const made = await okJson(
      ...['world', 'create', 'ci', '--inventory', '0', '--start-after', '10m', '--complete-after', 'PT2H'],
      ...['--settle-every', '7d', '--commission-partner-collected', '100', '--commission-hosted-checkout', '200'],
      ...['--commission-brokerage', '0', '--hold-above', '100000', '--hold-country', 'SE', '--hold-country', 'NO'],
    )
    expect(made).toMatchObject({
      progress: { start_after: '10m', complete_after: '2h', settle_every: '7d' },
      rules: {
        commission: {
          partner_collected_basis_points: 100,
          hosted_checkout_basis_points: 200,
          brokerage_basis_points: 0,
        },
        review: { price_above_cents: 100_000, buyer_countries: ['SE', 'NO'] },
      },
    })
  })

  it('leaves to the sandbox what no option says', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const { okJson } = cliAgainst(sandbox)
    const { json: usual } = await sandbox.operate('GET', '/v1/worlds/default')
    const { progress, rules } = await okJson('world', 'create', 'plain', '--inventory', '0')
    expect({ progress, rules }).toEqual({ progress: usual.progress, rules: usual.rules })
    const one = await okJson('world', 'create', 'one', '--inventory', '0', '--commission-brokerage', '5')
    expect(one.rules).toEqual({ ...usual.rules, commission: { ...usual.rules.commission, brokerage_basis_points: 5 } })
  })
})

describe('world progress', () => {
  it('shows it, sets it whole, and stops it', async () => {
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
    expect(await okJson('world', 'progress', 'ci', '--world', 'ci')).toEqual(await okJson('world', 'progress'))
  })
})

describe('world rules', () => {
  it('shows them, sets them whole, and takes them back to what is usual', async () => {
    const { ok, okJson, run } = cliAgainst(await startSandbox({ inventory: 0 }))
    const usual = await okJson('world', 'rules')
    await ok('world', 'create', 'ci', '--inventory', '0')
    const set = await okJson('world', 'rules', 'ci', '--commission-brokerage', '7', '--hold-country', 'SE')
    expect(set).toEqual({
      commission: { ...usual.commission, brokerage_basis_points: 7 },
      review: { price_above_cents: null, buyer_countries: ['SE'] },
    })
    expect(await okJson('world', 'rules', '--world', 'ci')).toEqual(set)
    expect(await ok('world', 'rules', 'ci')).toMatch(/brokerage_basis_points +7\n/)
    expect(await okJson('world', 'rules', 'ci', '--usual')).toEqual(usual)
    const both = await run('world', 'rules', '--usual', '--hold-above', '1')
    expect([both.code, both.err]).toEqual([4, expect.stringContaining('--usual takes no other rule')])
  })
})
