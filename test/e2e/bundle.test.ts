import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inPackage } from '../../src/package-files.ts'

const FOLDER = inPackage('dist/bundle')

test('the bundle keeps a call whose result is not used, because it may throw', () => {
  expect(readFileSync(join(FOLDER, 'defects.js'), 'utf8')).toContain('\t\tdecodeURIComponent(path);\n')
})

test('no file of the bundle imports a module of Node, because that would load what is behind each of its members', () => {
  const chunks = readdirSync(FOLDER).filter((name) => name.endsWith('.js'))
  const importing = chunks.filter((name) => /^import .*"node:/m.test(readFileSync(join(FOLDER, name), 'utf8')))
  expect(importing).toEqual([])
})
