import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lacks } from '../support/tools.ts'
import { cli } from './run.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'completion-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Lines as somebody has typed them when the Tab key is pressed, and some of the words that must then be offered, or must not. */
const TYPED = [
  { line: 'partner-sandbox ', offers: ['serve', 'order', 'world', 'record', 'completion'], never: ['list'] },
  { line: 'partner-sandbox ord', offers: ['order'], never: ['serve'] },
  { line: 'partner-sandbox order st', offers: ['start-transfer'], never: ['list'] },
  { line: 'partner-sandbox order list --st', offers: ['--status'], never: ['--json'] },
  { line: 'partner-sandbox order list --status TRANSFER_', offers: ['TRANSFER_COMPLETED'], never: ['SETTLED'] },
  { line: 'partner-sandbox fault add --endpoint orders.', offers: ['orders.create'], never: ['quotes.create'] },
  { line: 'partner-sandbox request list --code price', offers: ['price_mismatch'], never: ['conflict'] },
  { line: 'partner-sandbox credential set main --scopes s', offers: ['search'], never: ['buy'] },
  { line: 'partner-sandbox event list --type order.s', offers: ['order.settled'], never: ['order.refunded'] },
  { line: 'partner-sandbox delivery probe --tampering b', offers: ['body'], never: ['secret'] },
  { line: 'partner-sandbox completion ', offers: ['bash', 'zsh', 'fish'], never: ['order'] },
] as const

async function scriptFor(shell: string): Promise<string> {
  const { code, out, err } = await cli(['completion', shell])
  expect([code, err]).toEqual([0, ''])
  const file = join(folder, `partner-sandbox.${shell}`)
  writeFileSync(file, out)
  return file
}

describe('in bash', () => {
  let script: string
  beforeAll(async () => {
    script = await scriptFor('bash')
  })

  it.each(TYPED)('offers for "$line" what may come next', async ({ line, offers, never }) => {
    const words = line.split(' ').map((word) => `'${word}'`)
    const program = `source ${script}; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}
      _partner_sandbox; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = await run('bash', ['--norc', '-c', program], { cwd: folder })
    expect(stderr).toBe('')
    expect(stdout.split('\n')).toEqual(expect.arrayContaining([...offers]))
    for (const word of never) expect(stdout.split('\n')).not.toContain(word)
  })
})

describe.skipIf(lacks('fish'))('in fish', () => {
  let script: string
  beforeAll(async () => {
    script = await scriptFor('fish')
  })

  it.each(TYPED)('offers for "$line" what may come next', async ({ line, offers, never }) => {
    const { stdout, stderr } = await run('fish', ['--no-config', '-c', `source ${script}; complete -C '${line}'`])
    expect(stderr).toBe('')
    const offered = stdout.split('\n').map((row) => row.split('\t')[0])
    expect(offered).toEqual(expect.arrayContaining([...offers]))
    for (const word of never) expect(offered).not.toContain(word)
  })
})

describe.skipIf(lacks('zsh'))('in zsh', () => {
  it('is a script that zsh reads, and it is what completes our program', async () => {
    const script = await scriptFor('zsh')
    const program = `autoload -U compinit; compinit -u -D; source ${script}; echo $_comps[partner-sandbox] $+functions[_partner_sandbox_order_list]`
    const { stdout, stderr } = await run('zsh', ['-f', '-c', program], { env: { ...process.env, HOME: folder } })
    expect([stdout, stderr]).toEqual(['_partner_sandbox 1\n', ''])
  })
})

it('refuses a shell that it does not know, and names those it does', async () => {
  const { code, err } = await cli(['completion', 'tcsh'])
  expect([code, err]).toEqual([4, expect.stringContaining('bash, zsh, fish')])
})
