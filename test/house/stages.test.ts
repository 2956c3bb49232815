import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const RUN_STAGES = new URL('run-stages.mjs', import.meta.url).href
const WITHIN_MS = 50_000

/** Runs a line of shell for each name, two at once. */
function run(lines: Record<string, string>, { cwd = tempFolder(), sumsUp = false } = {}) {
  const stages = Object.entries(lines).map(
    ([name, line]) =>
      `{ name: '${name}', command: ['sh', '-c', ${JSON.stringify(line)}], note: /counted (.*)/, closing: /^last.*/m }`,
  )
  const text = `import { runStages } from '${RUN_STAGES}'
    process.exitCode = (await runStages([${stages.join()}], { atOnce: 2, env: { SIZE: 'full' }, sumsUp: ${sumsUp} })) ? 0 : 1`
  const options = { cwd, encoding: 'utf8', timeout: WITHIN_MS } as const
  return spawnSync(process.execPath, ['--input-type=module', '--eval', text], options)
}

it('runs every stage, and shows last what a failed one has printed, as it printed it', () => {
  const { status, stdout } = run({
    first: 'echo why >&2; exit 3',
    second: 'exit 0',
    third: 'echo counted $SIZE; echo last',
  })
  expect(status).toBe(1)
  expect(stdout).toMatch(/^FAILED {2}first +\d+ s$/m)
  expect(stdout).toMatch(/^passed {2}second +\d+ s$/m)
  expect(stdout).toMatch(/^passed {2}third +\d+ s {2}full$/m)
  expect(stdout).toMatch(/\n\nlast\n\n== first\nwhy\n$/)
})

it('sums up below all that was printed: each stage with its time, and the total', () => {
  const { stdout } = run({ first: 'echo why >&2; exit 3', second: 'exit 0' }, { sumsUp: true })
  const [, table = ''] = stdout.split('\n== first\nwhy\n\n')
  expect(table.split('\n').sort()).toEqual([
    '',
    expect.stringMatching(/^FAILED {2}first +\d+ s$/),
    expect.stringMatching(/^passed {2}second +\d+ s$/),
    expect.stringMatching(/^total +\d+ s$/),
  ])
})

it('runs two at once: here the first ends only when the second writes', () => {
  const folder = tempFolder()
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
  const { status, stdout } = run(
    { reader: 'test "$(cat pipe)" = written', writer: 'echo written >pipe' },
    { cwd: folder },
  )
  expect(stdout).toMatch(/^passed {2}reader/m)
  expect(status).toBe(0)
})

it('fails on a program that does not exist, and asks for no colors', () => {
  const { status, stdout } = run({ missing: 'no-such-program', plain: 'test "$NO_COLOR$FORCE_COLOR" = 1' })
  expect(status).toBe(1)
  expect(stdout).toMatch(/^passed {2}plain/m)
  expect(stdout).toMatch(/== missing\n.*no-such-program/)
})
