import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadProfiles, profileOfAll, unionOf } from '../../src/conformance/engine/profile.ts'
import { selected } from '../../src/conformance/engine/schedule.ts'
import { registry } from '../support/referee.ts'
import { scenarios } from '../support/suite.ts'
import { tempFolder } from '../support/temp-folder.ts'

const { profiles, problems } = loadProfiles('fixtures/profiles.yaml', registry)
const all = profileOfAll(registry)
const profile = (name: string) => profiles.find((one) => one.name === name) ?? all

describe('the profiles of this package', () => {
  it('are valid, and begin with the one that is about everything', () => {
    expect(problems).toEqual([])
    expect(profiles[0]).toMatchObject(all)
  })

  it('have every must requirement that a caller can observe in at least one of them', () => {
    const covered = new Set(profiles.slice(1).flatMap(({ requirements }) => requirements))
    expect(all.requirements.filter((id) => !covered.has(id))).toEqual([])
  })

  it('each have scenarios for all of their rows', () => {
    const shown = new Set(scenarios.flatMap(({ scenario }) => scenario.proves))
    for (const { requirements } of profiles) expect(requirements.filter((id) => !shown.has(id))).toEqual([])
  })

  it('have a core that orders nothing', () => {
    expect(profile('core')).toMatchObject({ orders: 'none' })
    const core = selected({ profile: profile('core').requirements, orders: 'none' }, scenarios)
    expect(core.filter(({ scenario }) => (scenario.effects?.orders ?? 0) > 0).map(({ id }) => id)).toEqual([])
  })

  it('taken together are about the rows of each, once', () => {
    const both = unionOf([profile('time'), profile('signing')], registry)
    expect(both.name).toBe('time+signing')
    expect(both.requirements).toContain('CHK-02')
    expect(both.requirements.filter((id) => id === 'TIME-01')).toHaveLength(1)
    expect(unionOf([profile('time'), profile('all')], registry)).toEqual(all)
  })
})

describe('a file of profiles', () => {
  it.each([
    ['x: { title: t, requirements: [NOPE-*] }', '1:29 "NOPE-*" matches no must requirement'],
    ['x: { title: t, requirements: [AUHT-01] }', '1:31 no such requirement: "AUHT-01"; did you mean "AUTH-01"?'],
    ['x: { title: t, requirements: [AUTH-17] }', '1:31 AUTH-17 is an open point, which no verdict covers; remove it'],
    ['x: { title: t }', '1:4 requirements must be a list of ids or patterns such as AUTH-*'],
    ['x: { requirements: [AUTH-01] }', '1:4 "x" must have a title'],
    ['x: { titel: t, title: t, requirements: [AUTH-01] }', '1:6 unknown key "titel" in "x"; did you mean "title"?'],
    ['all: { title: t, requirements: [AUTH-01] }', '1:1 "all" is built in'],
    ['[]', '1:1 a file of profiles is a map from names to profiles'],
  ])('%s is refused with its place', (text, problem) => {
    const file = join(tempFolder(), 'profiles.yaml')
    writeFileSync(file, text)
    const found = loadProfiles(file, registry).problems
    expect(found.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
      expect.stringContaining(problem.replace(/^\d+:\d+ /, '')),
    ])
    expect(found[0]?.line).toBe(1)
  })
})
