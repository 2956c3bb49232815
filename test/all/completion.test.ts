import { execFile } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { tempFolderOfFile } from '../support/temp-folder.ts'
import { lacks } from '../support/tools.ts'

const BIN = fileURLToPath(new URL('../../bin/partner-sandbox.js', import.meta.url))
const folder = tempFolderOfFile()
const program = join(folder, 'partner-sandbox')
writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`)
chmodSync(program, 0o755)
writeFileSync(join(folder, 'target.yaml'), '')

/** Runs a program of a shell in which `partner-sandbox` can be called. */
async function run(shell: string, ...args: string[]): Promise<string[]> {
  const env = { ...process.env, HOME: folder, PATH: `${folder}${delimiter}${process.env['PATH']}` }
  const { stdout, stderr } = await promisify(execFile)(shell, args, { env, cwd: folder })
  expect(stderr).toBe('')
  return stdout.trimEnd().split('\n')
}

describe('in bash', () => {
  const offersFor = (...words: string[]) =>
    run(
      'bash',
      '--norc',
      '-c',
      `source <(partner-sandbox completion bash); COMP_WORDS=(partner-sandbox ${words.map((word) => `'${word}'`).join(' ')})
       COMP_CWORD=${words.length}; _partner_sandbox; printf '%s\\n' "\${COMPREPLY[@]}"`,
    )

  it('offers the commands, the flags and the values that may come next', async () => {
    expect(await offersFor('order', 'st')).toEqual(['start-transfer'])
    expect(await offersFor('order', 'list', '--st')).toEqual(['--status'])
    expect(await offersFor('order', 'list', '--status', 'TRANSFER_C')).toEqual(['TRANSFER_COMPLETED'])
    expect(await offersFor('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']))
  })
})

describe.skipIf(lacks('fish'))('in fish', () => {
  const offersFor = async (line: string) => {
    const script = `partner-sandbox completion fish | source; complete -C 'partner-sandbox ${line}'`
    return (await run('fish', '--no-config', '-c', script)).map((row) => row.split('\t')[0])
  }

  it('offers the commands, the flags, the values and the files that may come next', async () => {
    expect(await offersFor('order st')).toEqual(['start-transfer'])
    expect(await offersFor('order list --st')).toEqual(['--status'])
    expect(await offersFor('completion ')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']))
    expect(await offersFor('conform --target ')).toContain('target.yaml')
  })
})

describe.skipIf(lacks('zsh'))('in zsh', () => {
  it('offers words with what they are about', async () => {
    const script = `autoload -U compinit; compinit -u -D; source <(partner-sandbox completion zsh)
      echo $_comps[partner-sandbox]
      _describe() { print -l -- "\${(@P)2}" }
      words=(partner-sandbox order st); CURRENT=3; _partner_sandbox`
    expect(await run('zsh', '-f', '-c', script)).toEqual([
      '_partner_sandbox',
      expect.stringMatching(/^start-transfer:\S.* /),
    ])
  })
})
