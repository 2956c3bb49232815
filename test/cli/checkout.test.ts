import { describe, expect, it } from 'vitest'
import { openSession } from '../support/checkout.ts'
import { startSandbox } from '../support/sandbox.ts'
import { cliAgainst } from './against.ts'

describe('checkout', () => {
  it('lists sessions in a table, and says how to see more', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const { run, ok } = cliAgainst(sandbox)
    expect(await ok('checkout', 'list')).toBe('no checkout sessions\n')
    const [first, second] = [await openSession(sandbox), await openSession(sandbox)]
    await ok('checkout', 'cancel', first.session_id)
    expect((await run('checkout', 'pay', first.session_id)).err).toBe(
      `error: pay is refused: checkout session ${first.session_id} is cancelled; it allows no step at all\n`,
    )
    expect(await ok('checkout', 'list')).toMatch(
      new RegExp(
        `^SESSION +STATUS +DOMAIN +PRICE +ORDER +PARTNER +CREATED +EXPIRES\\n${second.session_id} +open +stalls-2\\.test .+\\n${first.session_id} +cancelled +stalls-1\\.test +USD [\\d,]+\\.\\d\\d +- +ptr_`,
      ),
    )
    expect(await ok('checkout', 'list', '--limit', '1')).toContain(
      `\n(there are more: --cursor ${second.session_id})\n`,
    )
  })

  it('pays as the buyer who is named, and shows the order', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const { ok, okJson } = cliAgainst(sandbox)
    const { session_id: id, domain } = await openSession(sandbox)
    expect(await ok('checkout', 'show', id)).toMatch(/\nbuyer +-\n(.+\n)*actions +pay, decline, cancel\n$/)
    expect(await ok('checkout', 'decline', id)).toMatch(/^outcome +declined\n(.+\n)*status +open\n/)
    const text = await ok('checkout', 'pay', id, '--email', 'a@b.test', '--name', 'A B', '--country', 'SE')
    expect(text).toMatch(/^outcome +paid\n(.+\n)*buyer +A B <a@b\.test>, SE\n(.+\n)*actions +-\n$/)
    const { public_id: publicId } = await okJson('checkout', 'show', id)
    expect(await okJson('order', 'show', publicId)).toMatchObject({ domain, buyer: { country: 'SE' } })
  })

  it('says what stands in the way where it is not the state', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const { run, ok } = cliAgainst(sandbox)
    const { session_id: id, domain } = await openSession(sandbox)
    await ok('domain', 'set', domain, '--unlisted')
    const { code, err } = await run('checkout', 'pay', id)
    expect(code).toBe(1)
    expect(err).toMatch(new RegExp(`^error: pay is refused: .+ \\(checkout session ${id} is open\\)\\n$`))
  })
})
