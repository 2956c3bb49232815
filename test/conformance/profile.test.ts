import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { profileOfAll, profilesOf, unionOf } from '../../src/conformance/engine/profile.ts'
import { selected } from '../../src/conformance/engine/schedule.ts'
import { fits } from '../../src/contract/words.ts'
import { PROFILES_FILE } from '../../src/package-files.ts'
import { registry } from '../support/referee.ts'
import { scenarios } from '../support/suite.ts'

const profiles = profilesOf(registry)
const all = profileOfAll(registry)
const profile = (name: string) => profiles.find((one) => one.name === name) ?? all

describe('the profiles of this package', () => {
  it('begin with the one that is about everything', () => {
    expect(profiles[0]).toEqual(all)
  })

  it('each have a title, and patterns which all stand for a must requirement that a caller can observe', () => {
    const rows: Record<string, Record<string, unknown>> = parse(readFileSync(PROFILES_FILE, 'utf8'))
    for (const [name, { title, requirements, orders = 'none', ...rest }] of Object.entries(rows)) {
      expect(name).toMatch(/^(?!all$)[a-z][a-z0-9-]*$/)
      expect([title, orders, rest]).toEqual([expect.stringMatching(/\S/), 'none', {}])
      const isLost = (pattern: string) => !all.requirements.some((id) => fits(pattern, id))
      expect((requirements as string[]).filter(isLost)).toEqual([])
    }
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
