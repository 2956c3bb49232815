import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changedGaps, GAP_IDS, variedGaps } from '../../../src/contract/choices.ts'
import { cliAgainst } from '../../cli/against.ts'
import { cli } from '../../cli/run.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const FREE = ['--port', '0', '--operator-port', '0', '--inventory', '0']

function fileOf(text: string, name = 'gaps.yaml'): string {
  const file = join(tempFolder(), name)
  writeFileSync(file, text)
  return file
}

/** Starts a server, stops it at its first output, and gives that with all it said. */
async function served(...options: string[]) {
  const stop = new AbortController()
  return cli(['serve', ...FREE, ...options], { stop: stop.signal, onOut: () => stop.abort() })
}

const readyGaps = async (...options: string[]) => JSON.parse((await served('--ready-json', ...options)).out).gaps

describe('serve --gaps and --vary', () => {
  it('takes choices from YAML and from JSON', async () => {
    const wanted = { 'created-status': 200, 'delivered-by': 'only 200' }
    expect(await readyGaps('--gaps', fileOf('# ours\ncreated-status: 200\ndelivered-by: only 200\n'))).toEqual(wanted)
    expect(await readyGaps('--gaps', fileOf(JSON.stringify(wanted), 'gaps.json'))).toEqual(wanted)
    expect(await readyGaps('--gaps', fileOf('# nothing yet\n'))).toEqual({})
  })

  it('takes a seed, and the file wins over it', async () => {
    const drawn = variedGaps('ci-3')
    expect(await readyGaps('--vary', 'ci-3')).toEqual(changedGaps(drawn))
    const file = fileOf('created-status: 200\nerror-layout: nested\n')
    expect(await readyGaps('--vary', 'ci-3', '--gaps', file)).toEqual(
      changedGaps({ ...drawn, 'created-status': 200, 'error-layout': 'nested' }),
    )
  })

  it('shows on the start screen its choices that differ from the default', async () => {
    const { out } = await served('--gaps', fileOf('delivered-by: only 200\n'))
    expect(out).toMatch(/Non-default choices:\n\n {2}delivered-by +only 200\n/)
    expect((await served()).out).not.toContain('Open points')
  })

  it('says that a data directory holds a world with other choices', async () => {
    const data = tempFolder()
    const file = fileOf('delivered-by: only 200\n')
    expect((await served('--data', data, '--gaps', file)).err).toBe('')
    expect((await served('--data', data, '--gaps', file)).err).toBe('')
    expect((await served('--data', data, '--vary', 'ci-3')).err).toMatch(
      /^note: .*--gaps and --vary are for new worlds/,
    )
  })

  it.each([
    ['created-status: 202\n', ':1:17 created-status is 202; legal are 201, 200\n'],
    [
      'skew-edge: refused\ndeliverd-by: only 200\n',
      ':2:1 unknown open point: "deliverd-by"; did you mean "delivered-by"?; "gap list" names them all\n',
    ],
    ['- created-status\n', ':1:1 the file must hold ids and their values\n'],
    ['created-status: 200\ncreated-status: 201\n', ':2:1 duplicate key\n'],
    ['created-status: [200\n', ':2:1 '],
  ])('refuses %j with its place and exit code 4', async (text, problem) => {
    const file = fileOf(text)
    const { code, out, err } = await served('--gaps', file)
    expect([code, out]).toEqual([4, ''])
    expect(err).toContain(`${file}${problem}`)
  })

  it('tells all mistakes of a file, a key that was given before among them', async () => {
    const file = fileOf('created-status: 200\nskew-edge: never\nbogus: 1\ncreated-status: 7\n')
    const { err } = await served('--gaps', file)
    expect(err.trimEnd().split('\n')).toEqual([
      expect.stringContaining(`${file}:2:12 skew-edge is "never"`),
      `${file}:3:1 unknown open point: "bogus"; "gap list" names them all`,
      `${file}:4:1 duplicate key`,
      expect.stringContaining(`${file}:4:17 created-status is 7`),
    ])
  })

  it('names a file that is not there', async () => {
    const { code, err } = await served('--gaps', '/no/such/gaps.yaml')
    expect([code, err]).toEqual([4, 'error: --gaps /no/such/gaps.yaml: no such file\n'])
  })
})

describe('world create --gaps and --vary', () => {
  it('gives a world its choices', async () => {
    const { okJson, run } = cliAgainst(await startSandbox({ inventory: 0 }))
    const file = fileOf('created-status: 200\n')
    const made = await okJson('world', 'create', 'ci', '--inventory', '0', '--gaps', file, '--vary', 'ci-3')
    expect(made.gaps).toEqual(changedGaps({ ...variedGaps('ci-3'), 'created-status': 200 }))
    const { out } = await run('world', 'create', 'shown', '--inventory', '0', '--gaps', file)
    expect(out).toMatch(/^world {2}shown\n\nnon-default choices\n {2}created-status {2}200\n\nCREDENTIAL/)
    const broken = await run('world', 'create', 'other', '--gaps', fileOf('created-status: 1\n'))
    expect([broken.code, broken.out]).toEqual([4, ''])
    expect(broken.err).toContain(':1:17 created-status is 1; legal are 201, 200\n')
  })
})

describe('gap list', () => {
  it('shows every open point with what is usual, and with --world what that world chose', async () => {
    const { ok, okJson } = cliAgainst(await startSandbox({ inventory: 0, gaps: { 'delivered-by': 'only 200' } }))
    const lines = (await ok('gap', 'list')).trimEnd().split('\n')
    expect(lines.slice(1).map((line) => line.split(' ')[0])).toEqual(GAP_IDS)
    expect(lines[0]).toMatch(/^GAP +ROW +DEFAULT +QUESTION \(OTHER VALUES\)$/)
    expect(lines.find((line) => line.startsWith('delivered-by'))).toMatch(
      / HOOK-07 +any 2xx +Which answers .* \(only 200\)$/,
    )
    expect(lines.find((line) => line.startsWith('webhook-places'))).toContain('chosen by serve --webhook-hosts')
    const chosen = (await ok('gap', 'list', '--world', 'default')).split('\n')
    expect(chosen.find((line) => line.startsWith('delivered-by'))).toMatch(
      / HOOK-07 +only 200 \* +Which answers .* \(any 2xx\)$/,
    )
    expect((await okJson('gap', 'list')).gaps).toHaveLength(GAP_IDS.length)
    expect((await okJson('gap', 'list', '--world', 'default')).gaps[0]).toHaveProperty('chosen')
  })
})
