import { describe, expect, it } from 'vitest'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { cliAgainst } from './against.ts'

async function openCase(sandbox: TestSandbox, as = 'main'): Promise<string> {
  const body = { tier: 'managed', buyer_email: 'b@example.test', budget: 450_000 }
  return (await sandbox.call({ path: '/brokerage', body, as })).json.case_id
}

describe('brokerage', () => {
  it('lists cases in a table, and says how to see more', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const { ok } = cliAgainst(sandbox)
    expect(await ok('brokerage', 'list')).toBe('no cases\n')
    const [first, other] = [await openCase(sandbox), await openCase(sandbox, 'other-partner')]
    await ok('brokerage', 'close-deal', first, '--price-cents', '400000')
    expect(await ok('brokerage', 'list')).toMatch(
      new RegExp(
        `^CASE +STATUS +TIER +DOMAIN +BUDGET +DEAL +CUT +PARTNER +CREATED\\n${other} +OPEN .+\\n${first} +DEAL_CLOSED +managed +- +USD 4,500\\.00 +USD 4,000\\.00 +USD 400\\.00 +ptr_`,
      ),
    )
    expect(await ok('brokerage', 'list', '--limit', '1')).toContain(`\n(there are more: --cursor ${other})\n`)
  })

  it('shows a case and takes its steps, with a reason of one line', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const { run, ok, okJson } = cliAgainst(sandbox)
    const id = await openCase(sandbox)
    expect(await ok('brokerage', 'show', id)).toMatch(/\nsteps +negotiate, close-deal, close-no-deal\n/)
    const refused = await run('brokerage', 'negotiate', id, '--reason', 'call\u001b[2J\nback')
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('not "call\\u001b[2J\\nback"\n')])
    const text = await ok('brokerage', 'negotiate', id, '--reason', 'call back')
    expect(text).toMatch(/\nstatus +NEGOTIATING\n(.+\n)*\nAT +STATUS +EVENT +NOTE\n.+\n.+ call back\n$/)
    expect((await run('brokerage', 'negotiate', id)).err).toBe(
      `error: negotiate is refused: case ${id} is NEGOTIATING; it allows close-deal, close-no-deal\n`,
    )
    expect((await run('brokerage', 'show', 'brk_nope')).err).toMatch(/^error: no such case .+ brokerage list" shows/)
    expect(await okJson('brokerage', 'close-deal', id)).toMatchObject({ status: 'DEAL_CLOSED' })
  })
})
