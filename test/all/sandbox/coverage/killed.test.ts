import { cpSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { coverageIn } from '../../../support/coverage.ts'
import { startSandbox } from '../../../support/sandbox.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

test('what was met more than a second before a kill is known after it', async () => {
  const [dataDir, left] = [tempFolder(), tempFolder()]
  const frozen = { inventory: 0, frozen: true, clockMs: Date.parse('2026-03-01T00:00:00.000Z') }
  const killed = await startSandbox({ ...frozen, dataDir })
  await killed.sell()
  for (const path of ['/events', '/pricing', '/orders']) await killed.call({ path })
  const { summary } = await coverageIn(killed)
  await sleep(1_500)
  // What a kill leaves: the files as they are, with nothing of what a close would write.
  cpSync(dataDir, left, { recursive: true })
  const next = await startSandbox({ ...frozen, dataDir: left })
  expect((await coverageIn(next)).summary).toEqual(summary)
  expect(summary.met).toBeGreaterThan(5)
})
