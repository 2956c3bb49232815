import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Worlds } from '../../../src/sandbox/worlds/worlds.ts'
import { StorageError } from '../../../src/storage/storage-error.ts'
import { openTiny } from '../../support/breakable.ts'
import { failOperation } from '../../support/broken-files.ts'
import { failStatement, RUNS, type WaitingFault } from '../../support/broken-statements.ts'
import { dump } from '../../support/dump.ts'
import { size } from '../../support/size.ts'
import { tempFolderOfFile } from '../../support/temp-folder.ts'
import { setWall } from '../../support/world.ts'

const root = tempFolderOfFile()
let folders = 0
const folder = () => join(root, String(++folders))

const open = (dataDir: string) => openTiny(dataDir, setWall())

/** Without what is drawn anew for a new world. */
function contentOf(worlds: Worlds): unknown {
  const content = worlds.list().map((world) => [world.name, dump(world.db, ['credentials', 'meta'])])
  worlds.close()
  return [content, [...worlds.unusable]]
}

function somethingToFind(): string {
  const dataDir = folder()
  open(dataDir).close()
  return dataDir
}

/** Starts with the first, a later, a still later thing failing: it goes well, or says why it cannot and the next one does. */
function startAtEvery(dataDir: string, failAt: (n: number, dataDir: string) => WaitingFault): void {
  const copyOf = () => {
    const copy = folder()
    cpSync(dataDir, copy, { recursive: true })
    return copy
  }
  const whole = contentOf(open(copyOf()))
  for (let n = 1; ; n += size(3, 1)) {
    const copy = copyOf()
    const fault = failAt(n, copy)
    let came: unknown
    try {
      came = open(copy)
    } catch (error) {
      came = error
    } finally {
      fault.end()
    }
    const place = `${n}: ${fault.struck()}`
    if (came instanceof Error) expect(came, place).toBeInstanceOf(StorageError)
    const started = came instanceof Error ? open(copy) : (came as Worlds)
    expect(contentOf(started), place).toEqual(whole)
    rmSync(copy, { recursive: true })
    if (fault.struck() === null) return
  }
}

const failFile = (n: number, dataDir: string) => failOperation(n, n % 2 === 0 ? 'EIO' : 'ENOSPC', dataDir)

test('a start that meets a broken disk says so, loses nothing, and the next one goes well', {
  timeout: 120_000,
}, () => {
  const found = somethingToFind()
  startAtEvery(found, failFile)
  for (const faultOf of RUNS) startAtEvery(found, (n) => failStatement(n, faultOf(n)))
})

test('a first start that meets a broken disk says so, and the next one makes the world', { timeout: 120_000 }, () => {
  const nothing = folder()
  mkdirSync(nothing)
  startAtEvery(nothing, failFile)
  for (const faultOf of RUNS) startAtEvery(nothing, (n) => failStatement(n, faultOf(n)))
})
