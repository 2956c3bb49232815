import { expect, test } from 'vitest'
import { closeDeal, step } from '../support/sales.ts'
import { startSandbox } from '../support/sandbox.ts'
import { cliAgainst } from './against.ts'

test('event list shows what each event is about, and says how to see more, from either end', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const { ok, okJson } = cliAgainst(sandbox)
  expect(await ok('event', 'list')).toBe('no events\n')
  const { json: order } = await sandbox.sell()
  await step(sandbox, order.public_id, 'start-transfer')
  const caseId = await closeDeal(sandbox, 10_000)
  const lines = (await ok('event', 'list')).split('\n')
  for (const [index, pattern] of [
    /^EVENT +TYPE +ABOUT +DOMAIN +STATUS +PARTNER +CREATED$/,
    new RegExp(`^evt_\\w+ +order\\.recorded +${order.public_id} +stalls-1\\.test +EXTERNALLY_PAID +ptr_`),
    new RegExp(`^evt_\\w+ +order\\.transfer_started +${order.public_id} +stalls-1\\.test +TRANSFER_IN_PROGRESS `),
    new RegExp(`^evt_\\w+ +brokerage\\.case_completed +${caseId} +- +DEAL_CLOSED `),
  ].entries()) {
    expect(lines[index]).toMatch(pattern)
  }
  expect(await ok('event', 'list', '--partner', 'ptr_nobody')).toBe('no events\n')
  const [, after = ''] = /\n\(there are more: --cursor (\d+)\)\n$/.exec(await ok('event', 'list', '--limit', '1')) ?? []
  expect((await okJson('event', 'list', '--cursor', after)).events).toHaveLength(2)
  const latest = await okJson('event', 'list', '--latest')
  expect(latest.events).toEqual((await okJson('event', 'list')).events.reverse())
  const newest = await ok('event', 'list', '--latest', '--limit', '1')
  const [, before = ''] = /\n\(there are more: --latest --cursor (\d+)\)\n$/.exec(newest) ?? []
  expect((await okJson('event', 'list', '--latest', '--cursor', before)).events).toEqual(latest.events.slice(1))
})
