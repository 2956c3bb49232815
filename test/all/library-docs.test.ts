import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { repoRoot } from '../house/repo.ts'
import { tempFolder } from '../support/temp-folder.ts'

const run = promisify(execFile)
const page = readFileSync(join(repoRoot, 'docs/testing.md'), 'utf8')
const examples = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)

/** The examples as files of a project that has the package, by its source. */
function writeProject(): string {
  const folder = tempFolder()
  examples.forEach((code, n) => {
    writeFileSync(join(folder, `example-${n}.ts`), code)
  })
  symlinkSync(join(repoRoot, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const src = join(repoRoot, 'src')
  const paths = {
    'partner-sandbox': [join(src, 'index.ts')],
    'partner-sandbox/vitest': [join(src, 'vitest.ts')],
    'partner-sandbox/playwright': [join(src, 'playwright.ts')],
    'partner-sandbox/node-test': [join(src, 'node-test.ts')],
    'partner-sandbox/jest': [join(src, 'jest.ts')],
  }
  const compilerOptions = { noEmit: true, declaration: false, sourceMap: false, rootDir: '/', paths }
  const config = { extends: join(repoRoot, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  return folder
}

it('has examples that compile', async () => {
  expect(examples.length).toBeGreaterThan(4)
  const folder = writeProject()
  const tsc = join(repoRoot, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error) => error)
  expect(stdout).toBe('')
}, 120_000)
