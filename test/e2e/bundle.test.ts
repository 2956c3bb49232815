import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { inPackage } from '../../src/package-files.ts'

test('the bundle keeps a call whose result is not used, because it may throw', () => {
  expect(readFileSync(inPackage('dist/bundle/defects.js'), 'utf8')).toContain('\t\tdecodeURIComponent(path);\n')
})
