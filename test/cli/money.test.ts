import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { listening } from '../support/listening.ts'
import { closeDeal, deliver, sellHosted } from '../support/sales.ts'
import { startSandbox } from '../support/sandbox.ts'
import { cliAgainst } from './against.ts'
import { cli } from './run.ts'

describe('settle run', () => {
  it('shows what was settled and the statement of each partner', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const { ok, okJson } = cliAgainst(sandbox)
    const { json: order } = await sandbox.sell()
    await deliver(sandbox, order.public_id)
    const text = await ok('settle', 'run')
    expect(text).toMatch(/^run +run_\w+\nran at +\S+\nsettled +1\nstatements +2\n\nSTATEMENT +PARTNER +SOLD /)
    expect(text).toMatch(new RegExp(`\\n${order.public_id} +stalls-1\\.test +USD [\\d,]+\\.\\d\\d `))
    expect(text).toMatch(
      /\n\nSTATEMENT +PARTNER +SOLD +COMMISSION +OWED +ADJUSTMENT +ORDERS +FROM +TO\nstm_\w+ +ptr_\w+ +USD [1-9][\d,]*\.\d\d .+ 1 +\S+ +\S+\nstm_\w+ +ptr_\w+ +USD 0\.00 /,
    )
    expect(await ok('settle', 'run')).toMatch(/\nsettled +no orders\nstatements +2\n\nSTATEMENT /)
    expect((await okJson('settle', 'run')).statements).toHaveLength(2)
  })
})

describe('payout run', () => {
  it('shows each payout, or that nothing was due', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const { ok, okJson } = cliAgainst(sandbox)
    await closeDeal(sandbox, 10_000)
    expect(await ok('payout', 'run')).toMatch(
      /^run +prun_\w+\nran at +\S+\npayouts +1\n\nPAYOUT +PARTNER +KIND +AMOUNT +PAID\npo_\w+ +ptr_\w+ +brokerage +USD 10\.00 +\S+\n$/,
    )
    expect(await ok('payout', 'run')).toMatch(/\npayouts +nothing was due\n$/)
    expect((await okJson('payout', 'run')).payouts).toEqual([])
  })
})

describe('settle show and payout show', () => {
  it('show a run as it was shown when it was made, whatever came after it', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const { ok, okJson, run } = cliAgainst(sandbox)
    const { json: order } = await sandbox.sell()
    await deliver(sandbox, order.public_id)
    await closeDeal(sandbox, 10_000)
    const settled = await ok('settle', 'run')
    const paid = await ok('payout', 'run')
    const runOf = (text: string) => /^run +(\S+)/.exec(text)?.[1] ?? ''
    await ok('settle', 'run')
    await ok('payout', 'run')
    expect(await ok('settle', 'show', runOf(settled))).toBe(settled)
    expect(await ok('payout', 'show', runOf(paid))).toBe(paid)
    expect((await okJson('settle', 'show', runOf(settled))).settled[0].public_id).toBe(order.public_id)
    for (const [name, words] of [
      ['settle', 'no such settlement run in this world'],
      ['payout', 'no such payout run in this world'],
    ] as const) {
      const { code, err } = await run(name, 'show', 'run_nowhere')
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(words) })
    }
  })
})

describe('settle list and payout list', () => {
  it('show the runs so far, newest first and page by page', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const { ok, okJson } = cliAgainst(sandbox)
    expect(await ok('settle', 'list')).toBe('no settlement runs\n')
    expect(await ok('payout', 'list')).toBe('no payout runs\n')
    const { json: order } = await sandbox.sell()
    await deliver(sandbox, order.public_id)
    await closeDeal(sandbox, 10_000)
    const { run_id: first } = await okJson('settle', 'run')
    const { run_id: second } = await okJson('settle', 'run')
    const { run_id: paid } = await okJson('payout', 'run')
    expect(await ok('settle', 'list')).toMatch(
      new RegExp(
        `^RUN +RAN AT +SETTLED +STATEMENTS +OWED +ADJUSTMENT\\n${second} +\\S+ +0 +2 +USD 0\\.00 +USD 0\\.00\\n${first} +\\S+ +1 +2 +USD [1-9][\\d,]*\\.\\d\\d +USD 0\\.00\\n$`,
      ),
    )
    expect(await ok('settle', 'list', '--limit', '1')).toContain(`\n(there are more: --cursor ${second})\n`)
    expect(await ok('settle', 'list', '--cursor', second)).toContain(`\n${first} `)
    expect(await ok('payout', 'list')).toMatch(
      new RegExp(`^RUN +RAN AT +PAYOUTS +PAID\\n${paid} +\\S+ +1 +USD 10\\.00\\n$`),
    )
  })
})

describe('audit', () => {
  it('says that a valid world balances, and what was checked', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const { ok, okJson } = cliAgainst(sandbox)
    await sellHosted(sandbox)
    expect(await ok('audit')).toMatch(
      /^balanced +yes\norders +1\ncases +0\nsales +1\n(.+\n)*orders undone +0\nof which by the partner +0\n$/,
    )
    expect(await okJson('audit')).toMatchObject({ balanced: true, differences: [] })
  })

  it('shows every difference and ends with exit code 1', async () => {
    const sandbox = await startSandbox({ inventory: 0, defect: 'settlement-leaves-the-state' })
    const { run, ok } = cliAgainst(sandbox)
    const { json: order } = await sandbox.sell()
    await deliver(sandbox, order.public_id)
    await ok('settle', 'run')
    const { code, out, err } = await run('audit')
    expect([code, err]).toEqual([1, ''])
    expect(out).toMatch(/^balanced +no\norders +1\n(.+\n)*\nWHAT +ID +EXPECTED +FOUND\n/)
    expect(out).toMatch(new RegExp(`\\nsale\\.unsettled +${order.public_id} +\\d+\\.\\d\\d +0\\.00\\n`))
    expect(out).toMatch(new RegExp(`\\nsale\\.entries +${order.public_id} +1 +2\\n`))
    const raw = await run('audit', '--json')
    expect([raw.code, JSON.parse(raw.out).balanced]).toEqual([1, false])
  })

  it('never takes an answer for a balance that does not say so', async () => {
    const other = createServer((_request, response) => response.end('{"differences":[]}'))
    expect(await cli(['audit', '--sandbox', await listening(other)])).toEqual({
      code: 5,
      out: '',
      err: 'error: the answer does not say whether it balances; is the sandbox of another version?\n',
    })
  })
})
