import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const sideBySide = fileURLToPath(new URL('side-by-side.mjs', import.meta.url))
const WITHIN_MS = 50_000

function run(scripts: Record<string, string>, folder = tempFolder()) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts }))
  const options = { cwd: folder, encoding: 'utf8', timeout: WITHIN_MS } as const
  return spawnSync(process.execPath, [sideBySide, ...Object.keys(scripts)], options)
}

it('runs every script and fails if one failed, whichever it was', () => {
  const { status, stdout } = run({ first: 'echo of the first; exit 3', second: 'exit 0', third: 'echo of the third' })
  expect(status).toBe(1)
  expect(stdout).toContain('first: failed\nof the first\n')
  expect(stdout).toContain('second: passed\n')
  expect(stdout).toContain('third: passed\nof the third\n')
})

it('runs two at once: here the first ends only when the second writes', () => {
  const folder = tempFolder()
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
  const { status, stdout } = run({ reader: 'cat pipe', writer: 'echo written >pipe' }, folder)
  expect(status).toBe(0)
  expect(stdout).toContain('reader: passed\nwritten\n')
})

it('fails on a script that does not exist', () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'package.json'), '{ "scripts": {} }')
  expect(spawnSync(process.execPath, [sideBySide, 'missing'], { cwd: folder }).status).toBe(1)
})
