import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startBreakable } from '../support/breakable.ts'
import { failOperation } from '../support/broken-files.ts'
import { failStatement, STATEMENT_FAULTS, type StatementFault } from '../support/broken-statements.ts'
import { faultsAtEvery } from '../support/every-fault.ts'
import { WORLD_ACTS } from './operator-acts.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'faults-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))
const on = await startBreakable(dataDir)

const acts = WORLD_ACTS.map((act) => [act.name, act] as const)

test.each(acts)('no world is half there when an operation on the files of %s fails', async (_name, act) => {
  const failAt = (n: number) => failOperation(n, n % 2 === 0 ? 'EIO' : 'ENOSPC', dataDir)
  expect(await faultsAtEvery(on, act, failAt, dataDir)).toEqual([])
})

test.each(acts)('no world is half there when a statement of %s fails', async (_name, act) => {
  const failAt = (n: number) => failStatement(n, STATEMENT_FAULTS[n % STATEMENT_FAULTS.length] as StatementFault)
  expect(await faultsAtEvery(on, act, failAt, dataDir)).toEqual([])
})
