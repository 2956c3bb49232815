#!/usr/bin/env node
// Installs the packed package into an empty project of each test runner, compiles an import of its subpath strictly under NodeNext
// and Bundler, runs the example of the repository there, and sees that a failing test reports on its world.
//
//   npm run test:toolchains                  all of them
//   npm run test:toolchains -- jest          one of them
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { npmCli, pack } from '../nodes/pack.mjs'

const run = promisify(execFile)
const repoRoot = fileURLToPath(new URL('../..', import.meta.url))
const INSTALL_MS = 10 * 60_000
const TEST_MS = 3 * 60_000

/** A failing test, in a world that has refused a call. */
const failing = (subpath) => `import { test } from 'partner-sandbox/${subpath}'
test('fails on purpose', async ({ world }) => {
  await world.as('only-search').call('POST', '/quotes', { domain: 'stalls-1.test' })
  throw new Error('on purpose')
})
`

/** What a strict project imports. */
const typed = (subpath) => `import { startSandbox } from 'partner-sandbox'
import { test } from 'partner-sandbox/${subpath}'

export const started = startSandbox({ seed: 'typed' })
test('has types', async ({ world }) => {
  const { public_id } = (await world.orders.list()).orders[0] ?? { public_id: '' }
  const text: string = public_id
  // @ts-expect-error: a world has no such member
  world.nothing
  await world.orders.startTransfer(text)
})
`

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium-headless-shell'

/** A row for each test runner: what is installed beside the package, its example, and its command. */
const RUNNERS = {
  vitest: {
    packages: ['vitest@4'],
    example: null,
    files: {
      'quotes.test.mjs': `import { test } from 'partner-sandbox/vitest'
import { expect } from 'vitest'
test('a world is empty', async ({ world }) => expect(await world.orders.all()).toEqual([]))
`,
      'vitest.config.mjs': 'export default { test: { testTimeout: 30_000 } }\n',
    },
    command: (file) => ['node_modules/vitest/vitest.mjs', 'run', ...file],
    failing: 'failing.test.mjs',
  },
  playwright: {
    packages: ['@playwright/test@1'],
    example: 'playwright',
    files: {},
    command: (file) => ['node_modules/@playwright/test/cli.js', 'test', ...file],
    env: { CHROMIUM_PATH: CHROMIUM },
    failing: 'failing.test.ts',
  },
  'node-test': {
    packages: [],
    example: 'node-test',
    files: {},
    command: (file) => ['--test', ...(file.length > 0 ? file : ['orders.test.mjs'])],
    failing: 'failing.test.mjs',
  },
  jest: {
    packages: ['jest@30'],
    example: 'jest',
    files: {},
    command: (file) => ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', ...file],
    failing: 'failing.test.mjs',
  },
}

const MODULES = { nodenext: 'nodenext', bundler: 'esnext' }

/** The steps of one runner, in order. */
function stepsFor(name, { packages, example, files, command, env, failing: failingFile }, { cwd, npm, tarball }) {
  const options = { cwd, timeout: TEST_MS, env: { ...process.env, ...env, NO_COLOR: '1' } }
  const types = ['typescript@7', '@types/node@20']
  return {
    async install() {
      await writeFile(join(cwd, 'package.json'), '{ "private": true, "type": "module" }')
      const args = [npm, 'install', '--no-audit', '--no-fund', tarball, ...packages, ...types]
      await run(process.execPath, args, { ...options, timeout: INSTALL_MS })
    },
    async types() {
      await writeFile(join(cwd, 'typed.ts'), typed(name))
      for (const [resolution, module] of Object.entries(MODULES)) {
        const flags = ['--strict', '--noEmit', '--exactOptionalPropertyTypes', '--target', 'es2023', '--types', 'node']
        const how = ['--module', module, '--moduleResolution', resolution]
        await run(process.execPath, ['node_modules/typescript/bin/tsc', ...flags, ...how, 'typed.ts'], options)
      }
      await rm(join(cwd, 'typed.ts'))
    },
    async example() {
      if (example) await cp(join(repoRoot, 'examples', example), cwd, { recursive: true })
      for (const [file, text] of Object.entries(files)) await writeFile(join(cwd, file), text)
      await run(process.execPath, command([]), options)
    },
    async 'failure report'() {
      await writeFile(join(cwd, failingFile), failing(name))
      const { stdout, stderr } = await run(process.execPath, command([failingFile]), options).then(
        () => {
          throw new Error('the failing test passed')
        },
        (error) => error,
      )
      const said = `${stdout}${stderr}`
      if (!/of the failed test "fails on purpose": world /.test(said) || !/as only-search got 403 forbidden/.test(said))
        throw new Error(`no report on the world of the failing test:\n${said}`)
    },
  }
}

const wanted = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'partner-sandbox-toolchains-'))
try {
  const npm = await npmCli()
  const tarball = await pack(folder, npm)
  for (const [name, row] of Object.entries(RUNNERS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const cwd = join(folder, name)
    await mkdir(cwd)
    for (const [step, act] of Object.entries(stepsFor(name, row, { cwd, npm, tarball }))) {
      const started = performance.now()
      const problem = await act().then(
        () => null,
        (error) => error,
      )
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.log(`${name}: ${step} ${problem ? 'FAILED' : 'ok'} (${seconds} s)`)
      if (!problem) continue
      process.exitCode = 1
      console.error(`${problem.message}\n${problem.stdout ?? ''}${problem.stderr ?? ''}`.slice(0, 4_000))
      break
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
