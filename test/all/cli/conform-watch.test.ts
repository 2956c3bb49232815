import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { watchFiles } from '../../../src/cli/run/watch.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import type { Session } from '../../../src/cli/session.ts'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const never = new AbortController().signal

function watchedFolder() {
  const folder = join(tempFolder(), 'scenarios')
  mkdirSync(folder)
  writeFileSync(join(folder, 'a.yaml'), 'one')
  return { folder, changed: watchFiles([folder]), path: (name: string) => join(folder, name) }
}

describe('watched files', () => {
  it('tell of a file that was written, or that another took the place of', async () => {
    const { changed, path } = watchedFolder()
    writeFileSync(path('a.yaml'), 'two')
    expect(await changed(never)).toEqual(new Set([path('a.yaml')]))
    writeFileSync(path('a.yaml.tmp'), 'three')
    renameSync(path('a.yaml.tmp'), path('a.yaml'))
    expect(await changed(never)).toEqual(new Set([path('a.yaml')]))
  })

  it('tell of files that come in new folders, and of those that go', async () => {
    const { changed, path } = watchedFolder()
    mkdirSync(path('deep'))
    writeFileSync(path('deep/b.yaml'), 'new')
    expect(await changed(never)).toEqual(new Set([path('deep/b.yaml')]))
    rmSync(path('deep/b.yaml'))
    expect(await changed(never)).toEqual(new Set([path('deep/b.yaml')]))
  })

  it('do not tell of what an editor keeps beside a file, nor of the same content written again', async () => {
    const { changed, path } = watchedFolder()
    writeFileSync(path('.a.yaml.swp'), 'x')
    writeFileSync(path('a.yaml'), 'one')
    writeFileSync(path('b.yaml'), 'x')
    expect(await changed(never)).toEqual(new Set([path('b.yaml')]))
  })

  it('are not waited for once the signal has aborted', async () => {
    expect(await watchedFolder().changed(AbortSignal.abort())).toBeNull()
  })

  it('end with the signal', async () => {
    const { changed } = watchedFolder()
    const stop = new AbortController()
    const ended = changed(stop.signal)
    stop.abort()
    expect(await ended).toBeNull()
  })
})

const VALID = `title: A search is accepted
proves: [AUTH-01]
needs: [scope.search]
steps:
  - id: search
    call: { op: domains.search, query: { q: solar } }
    expect: { accepted: true, shows: AUTH-01 }
`

describe('conform --watch', () => {
  it('runs what a change concerns, outlives a file with errors, and ends with the last exit code', async () => {
    const folder = join(tempFolder(), 'scenarios')
    mkdirSync(folder)
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    write('one.yaml', VALID)
    write('two.yaml', VALID)
    const stop = new AbortController()
    const steps = [
      () => write('one.yaml', VALID.replace('AUTH-01 }', 'AUTH-01, status: 299 }')),
      () => write('two.yaml', 'steps: no\n'),
      () => write('two.yaml', VALID.replace('A search', 'Another search')),
      () => stop.abort(),
    ]
    let out = ''
    let err = ''
    const session: Session = {
      out: (text) => {
        out += text
      },
      err: (text) => {
        err += text
        if (text.startsWith('watching')) steps.shift()?.()
      },
      outIsTerminal: false,
      errIsTerminal: false,
      columns: 80,
      env: {},
      wall: wallClock,
      program: 'x',
      interrupted: () => stop.signal,
      exitWith: () => undefined,
    }
    const code = await runCli(['conform', '--self', '--watch', '--scenarios', folder], '0', session)
    expect(out.split('\n').map((line) => line.replace(/\(.*/, ''))).toEqual([
      '2 scenarios: 2 passed ',
      expect.stringMatching(/^FAILED {2}AUTH-01 one > search: 200, expected: /),
      expect.stringMatching(/one: 1 failed $/),
      expect.stringMatching(/two: 1 passed $/),
      '',
    ])
    expect(err).toMatch(/two\.yaml:1:\d+ /)
    expect(code).toBe(2)
  }, 60_000)
})
