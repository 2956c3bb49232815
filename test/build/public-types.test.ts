import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { bundlePublicTypes } from '../../src/build/public-types.ts'
import { tempFolder } from '../support/temp-folder.ts'

function written(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? entry.name : []))

test('each export is one file, with all that it needs beside it and nothing else', async () => {
  const outputs = written({
    'index.d.ts': "export type { A } from './part/a.ts'\nexport type { Server } from 'node:http'\n",
    'other.d.ts':
      "import type { A } from './part/a.js'\n/** Says what it is. */\nexport declare function other(a: A): void\n",
    'part/a.d.ts': "export type A = import('../c.tsx').C\n",
    'c.d.ts': 'export interface C { readonly name: string }\n',
    'internal.d.ts': "export * from './index.ts'\n",
  })
  const folder = join(tempFolder(), 'types')
  mkdirSync(folder)
  writeFileSync(join(folder, 'stale.d.ts'), '')
  await bundlePublicTypes(['index.d.ts', 'other.d.ts'], outputs, folder)
  const files = filesIn(folder)
  expect(files.filter((name) => ['index.d.ts', 'other.d.ts'].includes(name))).toHaveLength(2)
  expect(files.length).toBeLessThanOrEqual(3)
  expect(readFileSync(join(folder, 'other.d.ts'), 'utf8')).toContain('/** Says what it is. */')
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  expect(all.join('').match(/interface C\b/g)).toHaveLength(1)
})

test('a declaration that is missing stops the build', async () => {
  const outputs = written({ 'index.d.ts': "export * from './gone.ts'\n" })
  const bundling = bundlePublicTypes(['index.d.ts'], outputs, join(tempFolder(), 'types'))
  await expect(bundling).rejects.toThrow('gone.d.ts is not there')
})
