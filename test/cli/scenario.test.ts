import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from './run.ts'

const SOUND = `title: A search is accepted
proves: [AUTH-01]
needs: [scope.search]
steps:
  - id: search
    call: { op: domains.search, query: { q: solar } }
    expect: { accepted: true, shows: AUTH-01 }
`

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'scenarios-'))
  mkdirSync(join(folder, 'area'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'area', name), text)
  return folder
}

describe('scenario lint', () => {
  it('says how many are sound', async () => {
    expect(await cli(['scenario', 'lint', folderWith({ 'a.yaml': SOUND, 'b.yaml': SOUND })])).toEqual({
      code: 0,
      out: '2 scenarios, no problems\n',
      err: '',
    })
  })

  it('prints file:line:column and what is meant, one line a problem, and exits 4', async () => {
    const folder = folderWith({ 'a.yaml': SOUND, 'b.yaml': SOUND.replace('domains.search', 'domain.search') })
    const { code, out } = await cli(['scenario', 'lint', folder])
    expect(code).toBe(4)
    expect(out).toMatch(new RegExp(`^${folder}/area/b\\.yaml:6:\\d+ .*domains\\.search.*\\n$`))
  })

  it('refuses what is no YAML and what is not there', async () => {
    const folder = folderWith({ 'a.yaml': 'title: "open\n' })
    expect((await cli(['scenario', 'lint', folder])).out).toMatch(/area\/a\.yaml:\d+:\d+ .+\n/)
    expect(await cli(['scenario', 'lint', `${folder}/nowhere`])).toMatchObject({
      code: 4,
      out: `${folder}/nowhere:1:1 there is no such file or directory\n`,
    })
  })
})

describe('scenario list', () => {
  it('shows what each scenario proves', async () => {
    expect(await cli(['scenario', 'list', folderWith({ 'a.yaml': SOUND })])).toEqual({
      code: 0,
      out: 'SCENARIO  PROVES   TITLE\narea/a    AUTH-01  A search is accepted\n',
      err: '',
    })
  })

  it('prints JSON with --json', async () => {
    const { out } = await cli(['scenario', 'list', folderWith({ 'a.yaml': SOUND }), '--json'])
    expect(JSON.parse(out)).toEqual([
      { id: 'area/a', title: 'A search is accepted', proves: ['AUTH-01'], needs: ['scope.search'] },
    ])
  })

  it('shows with --coverage which requirements have a scenario, which have none, and which cannot have one', async () => {
    const { code, out } = await cli(['scenario', 'list', folderWith({ 'a.yaml': SOUND }), '--coverage'])
    expect(code).toBe(0)
    expect(out).toMatch(/\nAUTH-01 +area\/a\n/)
    expect(out).toMatch(/\nAUTH-02 +none\n/)
    expect(out).toMatch(/\nCRED-02 +cannot be observed\n/)
    expect(out).toMatch(/\n1 of 130 requirements have a scenario\n$/)
  })

  it('stops at a file with a problem', async () => {
    const { code, out, err } = await cli(['scenario', 'list', folderWith({ 'a.yaml': 'steps: []\n' })])
    expect([code, out]).toEqual([4, ''])
    expect(err).toMatch(/area\/a\.yaml:\d+:\d+ .+\n/)
  })
})
