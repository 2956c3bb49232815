import { expect, test } from 'vitest'
import { loadRequirements } from '../../src/conformance/format/requirements.ts'
import { tagsOf } from '../../src/conformance/format/step-facts.ts'
import { coverageOf, isUncovered, rulesOfAllCalls } from '../../src/conformance/format/suite-coverage.ts'
import { GAP_IDS, gapOf } from '../../src/contract/choices.ts'
import { ENDPOINT_IDS } from '../../src/contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { RECEIVER_REQUIREMENTS_FILE, REQUIREMENTS_FILE } from '../../src/package-files.ts'
import { registry } from '../support/referee.ts'
import { problems, scenarios } from '../support/suite.ts'

test.each([REQUIREMENTS_FILE, RECEIVER_REQUIREMENTS_FILE])(
  '%s has a level and a text in each row, and lists no id that is none',
  (file) => {
    const { requirements, conflicts, unobservable } = loadRequirements(file)
    expect(requirements.size).toBeGreaterThan(10)
    for (const { level, text } of requirements.values())
      expect([level, text]).toEqual([expect.stringMatching(/^(?:must|open)$/), expect.stringMatching(/\S/)])
    const listed = [...conflicts.map(({ requirement }) => requirement), ...unobservable.keys()]
    expect(listed.filter((id) => !requirements.has(id))).toEqual([])
    expect([...conflicts.map(({ why }) => why), ...unobservable.values()].filter((why) => !/\S/.test(why))).toEqual([])
  },
)

const rows = coverageOf(scenarios, registry)

test('no scenario names an id that is none, or proves what no step shows', () => {
  expect(problems).toEqual([])
})

test('every must has a scenario and every open point an observation, or a reason why nobody can see it', () => {
  expect(rows.filter(isUncovered).map(({ id }) => id)).toEqual([])
})

test('nothing is listed as unobservable that a scenario looks at', () => {
  expect(rows.filter((row) => row.unobservable !== null && row.scenarios.length > 0).map(({ id }) => id)).toEqual([])
})

test('every scenario has a tag to be selected by: its folder, without saying so', () => {
  expect(
    scenarios.filter((loaded) => !tagsOf(loaded).includes(loaded.id.split('/')[0] ?? '')).map(({ id }) => id),
  ).toEqual([])
})

test('every open choice of the sandbox belongs to an open row', () => {
  const rowOf = (id: (typeof GAP_IDS)[number]) => registry.requirements.get(gapOf(id).requirement)
  expect(GAP_IDS.filter((id) => rowOf(id)?.level !== 'open')).toEqual([])
})

test('a requirement without a scenario is uncovered, and one with a reason is not', () => {
  const bare = coverageOf([], registry).filter(isUncovered)
  expect(bare.map(({ id }) => id)).toContain('NONCE-01')
  expect(bare.map(({ id }) => id)).not.toContain('NONCE-08')
})

test('a rule of all calls is tried at every operation, or at each that takes no order: the profile core orders nothing', () => {
  const rules = new Map(rulesOfAllCalls(scenarios, registry).map(({ requirement, checks }) => [requirement, checks]))
  const without = (requirement: string) => ENDPOINT_IDS.filter((id) => !rules.get(requirement)?.has(id))
  const everywhere = ['AUTH-05', 'AUTH-07', 'AUTH-08', 'AUTH-09', 'NONCE-02', 'WIRE-01']
  expect(everywhere.flatMap(without)).toEqual([])
  const ofOrders = ['orders.create', 'orders.detail', 'refunds.create']
  const elsewhere = ['AUTH-01', 'AUTH-02', 'AUTH-03', 'AUTH-04', 'NONCE-01', 'TIME-02', 'TIME-03']
  expect(elsewhere.flatMap(without).filter((id) => !ofOrders.includes(id))).toEqual([])
  expect(without('CANON-08').filter((id) => ENDPOINTS[id].effect === 'read')).toEqual([])
})
