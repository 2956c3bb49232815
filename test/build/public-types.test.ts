import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { copyPublicTypes } from '../../src/build/public-types.ts'
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

test('the declarations of the exports are shipped with all that they need, and no others', () => {
  const outputs = written({
    'index.d.ts':
      "export type { A } from './part/a.ts'\nexport * from \"./b.js\"\nimport type { Server } from 'node:http'\n",
    'part/a.d.ts': "import '../side.ts'\nexport type A = import('../c.tsx').C\n",
    'b.d.ts': 'export type B = 1\n',
    'c.d.ts': "import type { A } from './part/a.ts'\nexport type C = A[]\n",
    'side.d.ts': 'export {}\n',
    'internal.d.ts': "export * from './index.ts'\n",
  })
  const folder = join(tempFolder(), 'types')
  mkdirSync(folder)
  writeFileSync(join(folder, 'stale.d.ts'), '')
  copyPublicTypes(['index.d.ts'], outputs, folder)
  expect(filesIn(folder).sort()).toEqual(['a.d.ts', 'b.d.ts', 'c.d.ts', 'index.d.ts', 'side.d.ts'])
  expect(readFileSync(join(folder, 'part/a.d.ts'), 'utf8')).toBe(readFileSync(join(outputs, 'part/a.d.ts'), 'utf8'))
})

test('a declaration that is missing stops the build', () => {
  const outputs = written({ 'index.d.ts': "export * from './gone.ts'\n" })
  expect(() => copyPublicTypes(['index.d.ts'], outputs, join(tempFolder(), 'types'))).toThrow('gone.d.ts is not there')
})
