import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { bytesOf, openDatabase } from '../../src/storage/db.ts'
import {
  finish,
  finishNew,
  makeFolder,
  removeDatabase,
  removeUnfinished,
  writeUnfinished,
} from '../../src/storage/files.ts'
import { tempFolder } from '../support/temp-folder.ts'

test.each([finish, finishNew])('a file gets its name when it is whole, and is for its owner alone: %o', (naming) => {
  const folder = tempFolder()
  writeUnfinished(join(folder, 'a.sqlite'), Buffer.from('whole'))
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^a\.sqlite\.[\da-f]{8}\.new$/)])
  naming(join(folder, 'a.sqlite'))
  expect(readdirSync(folder)).toEqual(['a.sqlite'])
  expect(statSync(join(folder, 'a.sqlite')).mode & 0o777).toBe(0o600)
})

test('a new file takes no name that another has, nor its log', () => {
  const file = join(tempFolder(), 'a.sqlite')
  writeFileSync(file, 'first')
  writeFileSync(`${file}-wal`, 'orders')
  writeUnfinished(file, Buffer.from('second'))
  expect(() => finishNew(file)).toThrow(/another program has just put a file at .*a\.sqlite; is a second/)
  expect([file, `${file}-wal`].map((each) => readFileSync(each, 'utf8'))).toEqual(['first', 'orders'])
})

test('a new file that a second server has swept away is named, with what may have done it', () => {
  const file = join(tempFolder(), 'a.sqlite')
  writeUnfinished(file, Buffer.from('new'))
  removeUnfinished(dirname(file))
  expect(() => finishNew(file)).toThrow(/just deleted what was to become .*a\.sqlite; is a second/)
})

test('a log without its database is not that of a new one', () => {
  const file = join(tempFolder(), 'a.sqlite')
  writeFileSync(`${file}-wal`, 'orders')
  writeUnfinished(file, Buffer.from('new'))
  finishNew(file)
  expect(existsSync(`${file}-wal`)).toBe(false)
})

test('what was never finished is swept away, and nothing else', () => {
  const folder = tempFolder()
  for (const name of [
    'a.sqlite.new',
    'a.sqlite.new-wal',
    'a.sqlite.0123abcd.new',
    'a.sqlite',
    'b.sqlite.new.sqlite',
    'notes.new',
  ]) {
    writeFileSync(join(folder, name), '')
  }
  removeUnfinished(folder)
  expect(readdirSync(folder).sort()).toEqual(['a.sqlite', 'b.sqlite.new.sqlite', 'notes.new'])
})

test('nothing of a removed database is left', () => {
  const folder = tempFolder()
  const file = join(folder, 'a.sqlite')
  openDatabase(file).exec("INSERT INTO meta VALUES ('a', 'b')")
  removeDatabase(file)
  expect(existsSync(file)).toBe(false)
  expect(readdirSync(folder)).toEqual([])
})

test('bytes say that they have no log beside them, whatever the file said', () => {
  const file = join(tempFolder(), 'a.sqlite')
  const db = openDatabase(file)
  expect(readFileSync(file)[18]).toBe(2)
  expect([...bytesOf(db).subarray(18, 20)]).toEqual([1, 1])
  db.close()
})

test('a folder is made with those above it, for its owner alone, and may be there', () => {
  const folder = join(tempFolder(), 'a', 'b')
  for (const _ of ['new', 'there']) makeFolder(folder)
  expect([folder, join(folder, '..')].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700])
})

test.runIf(process.platform === 'linux')('a file system that makes no folders is an error, not an endless loop', () => {
  expect(() => makeFolder('/proc/no-such-folder/worlds')).toThrow(/ENOENT/)
})
