import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url))
/** The folders of a running server. */
const SERVED = ['clock', 'contract', 'operator', 'sandbox', 'storage']

/** What a file loads while the program runs: a file of ours by its path, a package by its name. */
function lazyImportsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/(?<!typeof )\bimport\('([^']+)'\)/g)].map(([, name = '']) =>
    name.startsWith('.') ? resolve(dirname(file), name) : name,
  )
}

test('a server loads every module that its start does not wait for before it is needed', () => {
  const files = SERVED.flatMap((folder) =>
    readdirSync(join(SOURCES, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(SOURCES, folder, name)),
  )
  const loaded = lazyImportsOf(join(SOURCES, 'server.ts'))
  const needed = new Set(files.flatMap(lazyImportsOf))
  expect(needed.size).toBeGreaterThan(4)
  for (const one of needed) expect(loaded).toContain(one)
})
