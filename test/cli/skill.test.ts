import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repoRoot } from '../house/repo.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cli } from './run.ts'

const SKILL = readFileSync(join(repoRoot, 'skills/partner-sandbox/SKILL.md'), 'utf8')

test('skill prints the skill of the package', async () => {
  expect(await cli(['skill'])).toEqual({ code: 0, out: SKILL, err: '' })
})

test('skill --out writes it where agents look for a skill, and again after an update', async () => {
  const folder = join(tempFolder(), 'skills')
  for (const _time of [1, 2]) {
    const written = join(folder, 'partner-sandbox/SKILL.md')
    expect(await cli(['skill', '--out', folder])).toEqual({ code: 0, out: '', err: `wrote ${written}\n` })
    expect(readFileSync(written, 'utf8')).toBe(SKILL)
  }
})

test('skill --out refuses a place that cannot be written, in one line with exit code 4', async () => {
  const { code, err } = await cli(['skill', '--out', 'package.json'])
  expect([code, err]).toEqual([4, 'error: --out: cannot write package.json/partner-sandbox/SKILL.md (ENOTDIR)\n'])
  // No folder can be made there.
  expect(await cli(['skill', '--out', '/proc/no/such'])).toMatchObject({
    code: 4,
    err: expect.stringMatching(/^error: --out: cannot write \/proc\/no\/such\/.+ \(\w+\)\n$/),
  })
})

test('the skill is below 5 KB, has the name of its folder, and names pages that exist', () => {
  expect(Buffer.byteLength(SKILL)).toBeLessThan(5_000)
  const [, name, description = ''] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(SKILL) ?? []
  expect(name).toBe('partner-sandbox')
  expect(description.length).toBeLessThan(1_024)
  const pages = [...SKILL.matchAll(/`(?:docs\/)?([\w-]+\.md)`/g)]
  expect(pages.length).toBeGreaterThan(5)
  for (const [, page] of pages) expect(() => readFileSync(join(repoRoot, `docs/${page}`))).not.toThrow()
})
