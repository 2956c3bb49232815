import { expect, it } from 'vitest'
import { rowIn } from '../../support/coverage.ts'
import { step } from '../../support/sales.ts'
import { startSandbox } from '../../support/sandbox.ts'

it('a world that calls its states, parameters and errors otherwise is read in its own words', async () => {
  const sandbox = await startSandbox({
    inventory: 0,
    gaps: {
      'held-status': 'HELD',
      'case-states': 'open, in_negotiation, won, lost',
      'cursor-parameter': 'page_token',
      'error-layout': 'list',
    },
  })
  const { json: order } = await sandbox.sell()
  await sandbox.sell()
  await step(sandbox, order.public_id, 'hold')
  expect((await sandbox.call({ path: `/orders/${order.public_id}` })).json.status).toBe('HELD')
  const { json: page } = await sandbox.call({ path: '/orders?limit=1' })
  await sandbox.call({ path: `/orders?limit=1&page_token=${page.next_cursor}` })
  const body = { tier: 'managed', buyer_email: 'b@example.test', budget: 1_000 }
  expect((await sandbox.call({ path: '/brokerage', body })).json.status).toBe('open')
  await sandbox.call({ path: '/pricing' })
  for (const [section, id] of [
    ['orders', 'EXTERNALLY_PAID>MANUAL_REVIEW'],
    ['orders', 'MANUAL_REVIEW'],
    ['situations', 'cursor'],
    ['cases', 'NEW>OPEN'],
    ['codes', 'validation_error'],
    ['gaps', 'error-layout'],
  ] as const) {
    expect([id, (await rowIn(sandbox, section, id)).state]).toEqual([id, 'met'])
  }
  expect((await rowIn(sandbox, 'gaps', 'error-layout')).title).toMatch(/: list$/)
})
