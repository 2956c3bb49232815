import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inPackage } from '../../src/package-files.ts'

const FOLDER = inPackage('dist/bundle')

test('the bundle keeps a call whose result is not used, because it may throw', () => {
  const files = readdirSync(FOLDER).filter((name) => name.startsWith('proof'))
  const code = files.map((name) => readFileSync(join(FOLDER, name), 'utf8')).join('\n')
  expect(code).toContain('\t\tdecodeURIComponent(path);\n')
})

test('a help page loads the start alone, and an operator command two files more', () => {
  const start = ['main.js', 'rolldown-runtime.js', 'start.js']
  expect(loadedBy('main.js')).toEqual(start)
  const command = loadedBy('main.js', 'operator.js')
  expect(command).toEqual(['main.js', 'operator.js', 'rolldown-runtime.js', 'rows.js', 'start.js'])
})

test('what is loaded late loads no heavy file that its name does not tell of', () => {
  const late = readdirSync(FOLDER).filter((name) => /^(?:late|proof)\b.*\.js$/.test(name))
  expect(late.length).toBeGreaterThan(10)
  for (const name of late) {
    const heavy = loadedBy(name).filter((one) => one === 'server.js' || one === 'runner.js')
    expect([name, heavy.filter((one) => !name.includes(one.slice(0, -3)))]).toEqual([name, []])
  }
})

test('only what serves tools for agents loads the SDK that not everybody has', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.js'))
  const withSdk = files.filter((name) =>
    readFileSync(join(FOLDER, name), 'utf8').includes('require("@modelcontextprotocol/'),
  )
  expect(withSdk.every((name) => name.includes('optional'))).toBe(true)
  expect(withSdk).not.toEqual([])
})

test('the modules for vitest find what they import beside them', () => {
  const imported = (file: string) =>
    [...readFileSync(join(FOLDER, file), 'utf8').matchAll(/from ['"]\.\/(.+)['"]/g)].map(([, name = '']) => name)
  expect(imported('vitest.mjs')).toEqual(['index.js', 'test-world.js'])
  expect(imported('vitest-global-setup.mjs')).toEqual(['index.js'])
  expect(readdirSync(FOLDER)).toEqual(expect.arrayContaining(['index.js', 'test-world.js']))
})

test('packages load no module of Node for what we do not use of them', () => {
  const modulesOf = (file: string) => readFileSync(join(FOLDER, file), 'utf8').match(/(?<=require\()"node:[\w/]+"/g)
  expect(modulesOf('start.js')).not.toContain('"node:child_process"')
  expect(modulesOf('server.js')).not.toContain('"node:https"')
  expect(modulesOf('server.js')).not.toContain('"node:http2"')
})

/** These files of the bundle and all that they import, by name. */
function loadedBy(...files: string[]): string[] {
  const found = new Set(files)
  for (const file of found) {
    const code = readFileSync(join(FOLDER, file), 'utf8')
    for (const [, name = ''] of code.matchAll(/^(?:const \w+ = )?require\("\.\/([^"]+)"\);$/gm)) found.add(name)
  }
  return [...found].sort()
}
