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

test('a help page loads the start alone, and an operator command one file more', () => {
  const start = ['main.js', 'rolldown-runtime.js', 'start.js']
  expect(loadedBy('main.js')).toEqual(start)
  const command = loadedBy('main.js', 'group.js', 'request.js')
  expect(command).toEqual(['group.js', ...start, 'operator.js', 'request.js'].sort())
})

test('commander loads no module of Node for commands that are programs of their own', () => {
  expect(readFileSync(join(FOLDER, 'start.js'), 'utf8')).not.toContain('node:child_process')
})

/** These files of the bundle and all that they import, by name. */
function loadedBy(...files: string[]): string[] {
  const found = new Set(files)
  for (const file of found) {
    const code = readFileSync(join(FOLDER, file), 'utf8')
    for (const [, name = ''] of code.matchAll(/^(?:import|export) .*"\.\/([^"]+)";$/gm)) found.add(name)
  }
  return [...found].sort()
}
