import { expect, it, onTestFinished, vi } from 'vitest'
import { openSandbox } from './support.ts'

it('works while a test has other timers and another time in the place of its own', async () => {
  const sandbox = await openSandbox()
  const world = await sandbox.createWorld({ frozen: true })
  onTestFinished(() => void vi.unstubAllGlobals())
  for (const name of ['setImmediate', 'setTimeout', 'setInterval']) vi.stubGlobal(name, () => ({ unref: () => {} }))
  vi.stubGlobal(
    'Date',
    class extends Date {
      static override now = () => Date.parse('2030-01-01T00:00:00Z')
    },
  )
  expect((await world.call('GET', '/orders')).status).toBe(200)
})
