import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { billOfMaterials, bundledPackages, licensesText } from '../../src/build/bundled-packages.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Installs a package that has only what is read of it, and gives the path of a module in it. */
function install(root: string, name: string, manifest: object, license?: string): string {
  const folder = join(root, 'node_modules', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.2.3', ...manifest }))
  if (license !== undefined) writeFileSync(join(folder, 'LICENSE.md'), license)
  return join(folder, 'lib/index.js')
}

test('each package of a module is named once, with its license, in the order of the names', () => {
  const root = tempFolder()
  const zoo = install(root, 'zoo', { license: '(MIT OR Apache-2.0)' })
  const scoped = install(root, '@a/b', { license: 'MIT' }, 'You may.\n')
  const nested = install(join(root, 'node_modules/zoo'), 'inner', { license: 'ISC' })
  const packages = bundledPackages([zoo, join(root, 'src/own.ts'), scoped, zoo.replace('index', 'other'), nested])
  expect(packages.map(({ name, license, text }) => [name, license, text])).toEqual([
    ['@a/b', 'MIT', 'You may.'],
    ['inner', 'ISC', null],
    ['zoo', '(MIT OR Apache-2.0)', null],
  ])
  expect(licensesText(packages)).toContain(`${'-'.repeat(80)}\n@a/b 1.2.3 (MIT)\n\nYou may.\n`)
})

test('the bill of materials has the purl and the license of each package', () => {
  const packages = [{ name: '@a/b', version: '1.2.3', license: 'MIT', text: null }]
  expect(billOfMaterials({ name: 'product', version: '0.1.0', license: 'Apache-2.0' }, packages)).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { type: 'application', purl: 'pkg:npm/product@0.1.0' } },
    components: [
      {
        type: 'library',
        name: '@a/b',
        version: '1.2.3',
        purl: 'pkg:npm/%40a/b@1.2.3',
        licenses: [{ expression: 'MIT' }],
      },
    ],
  })
})

test('a package that does not say its license stops the build', () => {
  expect(() => bundledPackages([install(tempFolder(), 'silent', {})])).toThrow('silent 1.2.3 does not say its license')
})
