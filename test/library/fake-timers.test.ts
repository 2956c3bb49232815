import { afterEach, expect, it, vi } from 'vitest'
import { openSandbox } from './support.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('works while a test has replaced the timers and the time of its process', async () => {
  const sandbox = await openSandbox()
  const world = await sandbox.createWorld({ frozen: true })
  vi.useFakeTimers({ now: new Date('2030-01-01T00:00:00Z') })
  expect((await world.call('GET', '/orders')).status).toBe(200)
})
