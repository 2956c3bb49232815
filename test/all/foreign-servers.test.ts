import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repoRoot } from '../house/repo.ts'

const FOLDER = join(repoRoot, 'test/foreign-servers')

/** The small sweep of `test/foreign-servers/sweep.mjs`: its exit code, and every line that tells of a fault. */
function sweep(...args: string[]): Promise<{ exit: number; told: string[] }> {
  return new Promise((done) => {
    execFile(process.execPath, [join(FOLDER, 'sweep.mjs'), '--small', ...args], (error, stdout, stderr) => {
      const lines = `${stdout}${stderr}`.split('\n').filter((line) => !/^(?:quiet|found) /u.test(line))
      done({
        exit: error === null ? 0 : Number(error.code),
        told: lines.filter((line) => line.startsWith(' ') || /^[A-Zw]/u.test(line)),
      })
    })
  })
}

describe('servers that others could have written from the API document', { timeout: 180_000 }, () => {
  it.concurrent.each([
    ['an account with a year behind it, read through connections that close when idle', 'A'],
    ['amounts in whole units and a spell of 503', 'B'],
    ['a history written newest first, late effects and calls that are reset', 'C'],
    ['names that are sold again, listed oldest first', 'D'],
    ['reports of many pages, with a target file that does not say how to follow them', 'E'],
    ['envelopes, amounts as text, every list in pages of five and eight calls at a time', 'I'],
    ['bare arrays, unknown parameters refused and a clock that is not that of the Date header', 'J'],
  ])('%s: judged twice, nothing is held against it', async (_, letter) => {
    expect(await sweep('--valid', '--on', letter)).toEqual({ exit: 0, told: [] })
  })

  it('is found out once it breaks what the document asks for', async () => {
    expect(await sweep('--broken')).toEqual({ exit: 0, told: [] })
  })

  it('breaks nothing that the list of broken variants does not name, and names nothing that no code breaks', async () => {
    const code = readdirSync(FOLDER)
      .filter((name) => name.endsWith('.mjs'))
      .map((name) => readFileSync(join(FOLDER, name), 'utf8'))
      .join('\n')
    // Those of odd-input.mjs are a table, and each of its rows is asked for.
    const table = readFileSync(join(FOLDER, 'odd-input.mjs'), 'utf8').matchAll(/^ {2}(\w+): \[/gmu)
    const switches = [...code.matchAll(/broken\((?:c, )?['`]([^'`$]+)/gu), ...table].map((match) => String(match[1]))
    const { VARIANTS } = await import(join(FOLDER, 'variants.mjs'))
    const names: string[] = VARIANTS.map((variant: { name: string }) => variant.name)
    expect(
      switches.filter((name) => !names.some((each) => each === name || (name.endsWith('_') && each.startsWith(name)))),
    ).toEqual([])
    expect(names.filter((name) => !switches.some((each) => name.startsWith(each)))).toEqual([])
  })
})
