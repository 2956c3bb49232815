import { describe, expect, it } from 'vitest'
import { OPERATION_IDS, operationOf } from '../../src/operator-api/operations.ts'
import { openSession } from '../support/checkout.ts'
import { register } from '../support/hooks.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { sampleOf } from '../support/size.ts'
import { type CliAgainst, cliAgainst } from './against.ts'

/** Those of operations have subcommands, but for two that are commands themselves. */
const GROUPS = [...new Set(OPERATION_IDS.flatMap((id) => operationOf(id).commands.map(({ usage }) => usage)))]
  .filter((usage) => usage.includes(' '))
  .map((usage) => usage.split(' ')[0] as string)

/** A sandbox with something of each kind. */
async function livedIn(): Promise<TestSandbox> {
  const sandbox = await startSandbox()
  // Nobody listens there.
  await register(sandbox, 'http://127.0.0.1:9/hooks')
  await sandbox.sell()
  await sandbox.call({ path: '/quotes', body: { domain: (await sandbox.forSale(1))[0]?.domain } })
  await sandbox.call({ path: '/brokerage', body: { tier: 'managed', buyer_email: 'b@example.test', budget: 450_000 } })
  await openSession(sandbox)
  await sandbox.call({ path: '/orders', signs: { secret: 'sk_sandbox_wrong' } })
  return sandbox
}

async function examplesIn({ ok }: CliAgainst, group: string): Promise<string[][]> {
  const lines = [...(await ok(group, '--help')).matchAll(/^ {2}\$ partner-sandbox (.+?) +# .+$/gm)].map(
    ([, line]) => line,
  )
  return lines.map((line = '') => [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word))
}

describe('the examples in the help', () => {
  it.each(sampleOf([...new Set([...GROUPS, 'gap'])], 3))('of %s work as they stand', async (group) => {
    const against = cliAgainst(await livedIn())
    const examples = await examplesIn(against, group)
    expect(examples.length).toBeGreaterThan(0)
    for (const words of examples) {
      const { code, err } = await against.run(...words)
      expect([words.join(' '), code, err]).toEqual([words.join(' '), 0, ''])
    }
  })
})

describe('the help of a command that takes an id', () => {
  it.each([
    ['order hold', 'order'],
    ['brokerage show', 'case'],
    ['checkout pay', 'checkout session'],
    ['request show', 'call'],
    ['delivery probe', 'delivery'],
    ['event show', 'event'],
    ['settle show', 'settlement run'],
    ['payout show', 'payout run'],
    ['fault remove', 'fault'],
  ])('of %s says what else may be given', async (usage, noun) => {
    const { ok } = cliAgainst({ operator: null } as TestSandbox)
    const help = (await ok(...usage.split(' '), '--help')).replaceAll(/\s+/g, ' ')
    expect(help).toMatch(new RegExp(`beginning of .+ "last" is the latest ${noun}`))
  })
})
