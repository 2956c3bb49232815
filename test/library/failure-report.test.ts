import { expect, it } from 'vitest'
import { failureReport } from '../../src/library/test-world.ts'
import { shareSandbox } from './support.ts'

const openWorld = shareSandbox()

it('the report of a failed test shows the non-default choices of its world', async () => {
  const world = await openWorld({ gaps: { 'created-status': 200 } })
  expect(await failureReport(world)).toContain('non-default choices: created-status 200')
  expect(await failureReport(await openWorld())).not.toContain('non-default choices')
})

it('the report of a failed test tells where no call has come', async () => {
  const world = await openWorld()
  expect(await failureReport(world)).toContain('no call used a key of this world')
  await world.call('GET', '/orders')
  expect(await failureReport(world)).not.toContain('no call used a key')
})

it('a failure report has the reason of each refused call, and no command for a world that is deleted next', async () => {
  const world = await openWorld()
  const { requestId } = await world.call('POST', '/quotes', { domain: 'not-listed.test' })
  expect(await failureReport(world)).toMatch(
    new RegExp(`404 not_found: .* \\(${requestId}\\)\n +domain: sent not-listed.test, .*\n +See what is listed\\.\n$`),
  )
})
