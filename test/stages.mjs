#!/usr/bin/env node
// The stages of `npm test` (what is run after every change) and of `npm run test:all` (everything, at full size):
//
//   node test/stages.mjs test [OPTION OF VITEST...]
//   node test/stages.mjs all [--whole] [OPTION OF VITEST...]
//
// With --whole, the foreign servers are judged in every noise and with every mistake, which takes an hour by itself.
// All stages run, whatever fails; the exit code is 1 if one failed.
import { spawnSync } from 'node:child_process'
import { runStages } from './house/run-stages.mjs'

const [plan, ...options] = process.argv.slice(2)
const optionsOfVitest = options.filter((option) => option !== '--whole')
const foreignSample = options.includes('--whole') ? [] : ['--each', '16']

/** The command that runs a script of package.json. */
const npm = (name, ...more) => ['npm', 'run', '--silent', name, '--', ...more]

const BUILD = { name: 'build', command: npm('build') }
const TYPES = { name: 'types', command: npm('check') }
const LINT = { name: 'lint', command: npm('lint') }
const SELFTEST = { name: 'self-test', command: npm('selftest', '--quick', ...seed()), note: /^chosen by +(.*)/m }
const TESTS = {
  name: 'tests',
  command: ['npx', 'vitest', 'run', '--project=!all', '--reporter=minimal', ...optionsOfVitest],
  note: /^ *Tests +(.*)/m,
  closing: /^ Test Files[\s\S]*/m,
}

/** Two at once, the longest first: each of them waits a part of its time. */
const AFTER_EVERY_CHANGE = [TESTS, SELFTEST, LINT, TYPES]

const EVERYTHING = [
  TYPES,
  LINT,
  { name: 'spelling', command: npm('spell') },
  { name: 'unused code', command: npm('unused') },
  { name: 'OpenAPI', command: npm('lint:openapi') },
  { name: 'package', command: npm('check:package') },
  { name: 'documentation site', command: npm('docs:site') },
  // The page of its results is written again, for the tests that look at it; commit it where it has changed.
  { name: 'self-test', command: npm('selftest', '--write-docs', 'docs/proof.md') },
  { ...TESTS, command: TESTS.command.filter((word) => word !== '--project=!all') },
  { name: 'releases of Node', command: npm('test:nodes') },
  { name: 'test runners', command: npm('test:toolchains') },
  { name: 'foreign servers', command: npm('test:foreign', ...foreignSample) },
  { name: 'speed', command: npm('test:speed') },
]

/** The commit chooses which defects the short self-test tries, so that all of them are met within days. */
function seed() {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' })
  return status === 0 ? [stdout.trim()] : []
}

const isBuilt = await runStages([BUILD], { atOnce: 1 })
// Some stages of everything measure time, so they run one at a time.
const isGood =
  plan === 'all'
    ? await runStages(EVERYTHING, { atOnce: 1, env: { IS_BUILT: '1', FULL_SIZE: '1' }, sumsUp: true })
    : await runStages(AFTER_EVERY_CHANGE, { atOnce: 2, env: { IS_BUILT: '1' } })
process.exitCode = isBuilt && isGood ? 0 : 1
