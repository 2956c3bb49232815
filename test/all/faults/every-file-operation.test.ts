import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startBreakable } from '../../support/breakable.ts'
import { failOperation } from '../../support/broken-files.ts'
import { failStatement, RUNS } from '../../support/broken-statements.ts'
import { type Act, faultsAtEvery } from '../../support/every-fault.ts'
import { IS_FULL, sampleOf } from '../../support/size.ts'
import { tempFolderOfFile } from '../../support/temp-folder.ts'
import { WORLD_ACTS } from './operator-acts.ts'

const dataDir = tempFolderOfFile()
const on = await startBreakable(dataDir)

const acts = sampleOf(WORLD_ACTS, 3).map((act) => [act.name, act] as const)
const patience = { timeout: 300_000 }

/** What takes the place of a file is there once it has its name, and only then is the name made safe. */
function named(act: Act): Act {
  return /reset|PUT .*snapshot/.test(act.name) ? { ...act, shownAfterwards: true } : act
}

test.each(acts)('no world is half there when an operation on the files of %s fails', patience, async (_name, act) => {
  const failAt = (n: number) => failOperation(n, n % 2 === 0 ? 'EIO' : 'ENOSPC', dataDir)
  expect(await faultsAtEvery(on, named(act), failAt)).toEqual([])
  expect(readdirSync(dataDir).filter((file) => file.endsWith('.new'))).toEqual([])
})

/** What judges a whole snapshot takes long, and none of it has to do with files. */
const statementActs = IS_FULL ? acts : acts.filter(([name]) => !/snapshot|import/.test(name))

test.each(statementActs)('no world is half there when a statement of %s fails', patience, async (_name, act) => {
  for (const faultOf of RUNS) {
    const failAt = (n: number) => failStatement(n, faultOf(n))
    expect(await faultsAtEvery(on, act, failAt)).toEqual([])
    expect(readdirSync(dataDir).filter((file) => file.endsWith('.new'))).toEqual([])
  }
})
