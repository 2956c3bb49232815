import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repoRoot } from '../house/repo.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The built program beside a better-sqlite3 that was installed without its binary. */
function programWithoutAddon(): string {
  const folder = tempFolder()
  for (const path of ['bin', 'dist/bundle', 'fixtures', 'package.json'])
    cpSync(join(repoRoot, path), join(folder, path), { recursive: true })
  mkdirSync(join(folder, 'node_modules/better-sqlite3'), { recursive: true })
  for (const path of ['lib', 'package.json'])
    cpSync(join(repoRoot, 'node_modules/better-sqlite3', path), join(folder, 'node_modules/better-sqlite3', path), {
      recursive: true,
    })
  for (const name of ['bindings', 'file-uri-to-path', '@faker-js'])
    symlinkSync(join(repoRoot, 'node_modules', name), join(folder, 'node_modules', name))
  return join(folder, 'bin/partner-sandbox.js')
}

test('without the binary of better-sqlite3, serve says what to do in one line, with --data as well', () => {
  const program = programWithoutAddon()
  for (const more of [[], ['--data', tempFolder()]]) {
    const { stderr, status } = spawnSync(
      process.execPath,
      [program, 'serve', '--port', '0', '--operator-port', '0', ...more],
      {
        encoding: 'utf8',
        timeout: 30_000,
      },
    )
    expect(stderr).toMatch(
      /^error: better-sqlite3 has no binary for Node [\d.]+ on \w+-\w+: use Node 22 or later .*"npm rebuild better-sqlite3".*\n$/,
    )
    expect(status).not.toBe(0)
  }
})
