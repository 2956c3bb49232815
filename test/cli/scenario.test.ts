import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sampleOf } from '../support/size.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cli } from './run.ts'

const VALID = `title: A search is accepted
proves: [AUTH-01]
needs: [scope.search]
steps:
  - id: search
    call: { op: domains.search, query: { q: solar } }
    expect: { accepted: true, shows: AUTH-01 }
`

function folderWith(files: Record<string, string>): string {
  const folder = tempFolder()
  mkdirSync(join(folder, 'area'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'area', name), text)
  return folder
}

describe('scenario lint', () => {
  it('says how many are valid', async () => {
    expect(await cli(['scenario', 'lint', folderWith({ 'a.yaml': VALID, 'b.yaml': VALID })])).toEqual({
      code: 0,
      out: '2 scenarios, no problems\n',
      err: '',
    })
  })

  it('prints file:line:column and what is meant, one line a problem, and exits 4', async () => {
    const folder = folderWith({ 'a.yaml': VALID, 'b.yaml': VALID.replace('domains.search', 'domain.search') })
    const { code, out } = await cli(['scenario', 'lint', folder])
    expect(code).toBe(4)
    expect(out).toMatch(new RegExp(`^${folder}/area/b\\.yaml:6:\\d+ .*domains\\.search.*\\n$`))
  })

  it('refuses what is no YAML and what is not there', async () => {
    const folder = folderWith({ 'a.yaml': 'title: "open\n' })
    expect((await cli(['scenario', 'lint', folder])).out).toMatch(/area\/a\.yaml:\d+:\d+ .+\n/)
    expect(await cli(['scenario', 'lint', `${folder}/nowhere`])).toMatchObject({
      code: 4,
      err: `error: ${folder}/nowhere: no such file or folder\n`,
    })
  })
})

describe('scenario list', () => {
  it('shows what each scenario proves', async () => {
    expect(await cli(['scenario', 'list', folderWith({ 'a.yaml': VALID })])).toEqual({
      code: 0,
      out: 'SCENARIO  PROVES   TITLE\narea/a    AUTH-01  A search is accepted\n',
      err: '',
    })
  })

  it('prints JSON with --json', async () => {
    const unsaid = VALID.replace('needs: [scope.search]\n', '')
    const { out } = await cli(['scenario', 'list', folderWith({ 'a.yaml': unsaid }), '--json'])
    expect(JSON.parse(out)).toEqual([
      { id: 'area/a', title: 'A search is accepted', proves: ['AUTH-01'], needs: ['scope.search'] },
    ])
  })

  it('shows with --coverage which requirements have a scenario, which have none, and which cannot have one', async () => {
    const { code, out } = await cli(['scenario', 'list', folderWith({ 'a.yaml': VALID }), '--coverage'])
    expect(code).toBe(0)
    expect(out).toMatch(/\nAUTH-01 +must +area\/a\n/)
    expect(out).toMatch(/\nAUTH-02 +must +none\n/)
    expect(out).toMatch(/\nNONCE-08 +open +cannot be observed\n/)
    expect(out).toMatch(
      /\n1 of 132 requirements have a scenario\n0 of 42 open points have an observation\nneither a scenario nor a reason: CRED-01 /,
    )
  })

  it('stops at a file with a problem', async () => {
    const { code, out, err } = await cli(['scenario', 'list', folderWith({ 'a.yaml': 'steps: []\n' })])
    expect([code, out]).toEqual([4, ''])
    expect(err).toMatch(/area\/a\.yaml:\d+:\d+ .+\n/)
  })
})

describe('scenario new', () => {
  it.each(sampleOf(['NONCE-01', 'HOOK-07', 'ORD-03', 'REF-01', 'SCOPE-01', 'NONCE-05'], 6))(
    'writes one for %s that lints once its title and what it asks are filled in',
    async (id) => {
      const file = join(folderWith({}), 'area', 'fresh.yaml')
      const { code, out, err } = await cli(['scenario', 'new', id, '--out', file])
      expect([code, out]).toEqual([0, `${file}\n`])
      expect(err).toContain('replace each TODO:')
      const untouched = await cli(['scenario', 'lint', file])
      expect(untouched.code).not.toBe(0)
      expect(untouched.out + untouched.err).toContain(`${file}:3:8 "title" is still to be filled in`)
      expect(await cli(['conform', '--self', '--scenarios', file])).toMatchObject({ code: 4 })
      writeFileSync(file, readFileSync(file, 'utf8').replace(/^title: .*$/m, 'title: A correct target refuses it'))
      const titled = await cli(['scenario', 'lint', file])
      expect({ code: titled.code, out: titled.out }).toEqual({
        code: 4,
        out: expect.stringMatching(/"(?:says|take)" is still to be filled in/),
      })
      const filled = readFileSync(file, 'utf8')
        .replace(/"TODO: outcome.*"/, 'outcome')
        .replace(/"TODO: .*"/, 'filled in')
      writeFileSync(file, filled)
      expect(await cli(['scenario', 'lint', file])).toMatchObject({ code: 0 })
    },
  )

  it('expects a refusal where the requirement is about one, so that an accepted call does not show it', async () => {
    const file = join(folderWith({}), 'area', 'fresh.yaml')
    await cli(['scenario', 'new', 'ORD-03', '--out', file])
    expect(readFileSync(file, 'utf8')).toMatch(/expect: \{ refused: true, says: "TODO: .*", shows: ORD-03 \}/)
    const filled = readFileSync(file, 'utf8').replaceAll(/"TODO: .*"/g, 'A wrong price is refused')
    writeFileSync(file, filled)
    const run = await cli(['conform', '--self', '--selected', '--scenarios', file])
    expect(run).toMatchObject({ code: 1, out: expect.stringContaining('ORD-03') })
  })

  it('writes over no file that is there', async () => {
    const file = join(folderWith({ 'mine.yaml': VALID }), 'area', 'mine.yaml')
    expect(await cli(['scenario', 'new', 'NONCE-01', '--out', file])).toMatchObject({ code: 4, out: '' })
    expect(readFileSync(file, 'utf8')).toBe(VALID)
  })

  it('refuses what is no requirement', async () => {
    expect(await cli(['scenario', 'new', 'NONCE-99'])).toMatchObject({ code: 4, out: '' })
  })
})

describe('scenario explain', () => {
  it('tells what shows a requirement, what is tolerated, and which defects break it', async () => {
    const { code, out } = await cli(['scenario', 'explain', 'NONCE-02'])
    expect(code).toBe(0)
    expect(out).toContain('auth/nonce-reuse: ')
    expect(out).toContain('tolerated: invalid_signature')
    expect(out).toContain('nonce-of-events-list-untracked: ')
    expect(out).toMatch(/conform --self --selected .*--only auth\/nonce-reuse/)
  })

  it('shows a scenario with rows once, and names them', async () => {
    const { out } = await cli(['scenario', 'explain', 'auth/each-head'])
    expect(out).toContain('rows    this one, and the same for ')
    expect(out).toContain('pricing')
    const requirement = await cli(['scenario', 'explain', 'CANON-08'])
    expect(requirement.out.match(/^auth\/each-head/gm)).toHaveLength(1)
  })

  it("explains a scenario of one's own, by its file or by its id in a folder", async () => {
    const folder = folderWith({ 'a.yaml': VALID })
    const file = join(folder, 'area/a.yaml')
    const { code, out } = await cli(['scenario', 'explain', file])
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^area\/a: A search is accepted\n/) })
    expect(out).toContain(`conform --self --selected --scenarios ${file} --only area/a\n`)
    expect((await cli(['scenario', 'explain', 'area/a', folder])).out).toBe(
      out.replace(`--scenarios ${file}`, `--scenarios ${folder}`),
    )
    const requirement = (await cli(['scenario', 'explain', 'AUTH-01', folder])).out
    expect(requirement).toContain('\narea/a: A search is accepted\n')
    expect(requirement).not.toContain('auth/')
    expect(await cli(['scenario', 'explain', `${folder}/none.yaml`])).toMatchObject({
      code: 4,
      err: `error: ${folder}/none.yaml: no such file or folder\n`,
    })
  })

  it('tells why nobody can see one, and what a scenario does step by step', async () => {
    expect((await cli(['scenario', 'explain', 'QUOTE-09'])).out).toContain('Cannot be tested from outside')
    const { out } = await cli(['scenario', 'explain', 'quotes/expired'])
    expect(out).toContain('too_late calls orders.create')
    expect(out).toContain('  shows QUOTE-03: refused: 422 quote_expired')
    expect((await cli(['scenario', 'explain', 'run/no-crash'])).out).toContain('all looks at all calls')
    expect(await cli(['scenario', 'explain', 'quotes/expird'])).toMatchObject({ code: 4, out: '' })
    expect((await cli(['scenario', 'explain', 'auth/each-hed'])).err).toContain('did you mean "auth/each-head"?')
    const { code, err } = await cli(['scenario', 'explain', 'NOPE'])
    expect([code, err]).toEqual([
      4,
      'error: no such requirement or scenario: "NOPE"; "partner-sandbox scenario list" shows all scenarios, with --coverage all requirements\n',
    ])
  })
})
