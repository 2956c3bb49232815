import { expect, test } from 'vitest'
import { dryRunLines } from '../../src/cli/output/dry-run.ts'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { rehearse } from '../../src/conformance/engine/run.ts'
import type { Step } from '../../src/conformance/format/scenario.ts'
import { checksOfStep } from '../../src/conformance/format/step-facts.ts'
import { fakeTarget, judge, registry, scenario, targetOf } from '../support/referee.ts'
import { scenarios } from '../support/suite.ts'

const own: Step = {
  id: 'own',
  call: { op: 'availability', query: { domain: 'a.test' } },
  expect: { accepted: true, shows: 'INV-07' },
}
const foreign: Step = {
  id: 'foreign',
  optional: 'step',
  as: 'other_partner',
  call: { op: 'availability', query: { domain: 'a.test' } },
  expect: { accepted: true, shows: 'INV-07' },
}
const named = (shows: string) => ({ status: [200, '${foreign.listing.price}' as unknown as number], shows })

async function checksOf(steps: Step[], more: Record<string, unknown> = {}) {
  const fake = await fakeTarget()
  const result = await judge(targetOf(fake, more), [scenario({ proves: ['INV-07'], steps })])
  const checks = result.scenarios.flatMap((one) => one.checks)
  return {
    status: result.requirements.find(({ id }) => id === 'INV-07')?.status,
    checks: checks.map(({ step, verdict, reason }) => [step, verdict, ...(reason ? [reason] : [])].join(' ')),
  }
}

test('what an optional step lacks leaves out that step alone, and keeps no requirement from being shown', async () => {
  const { status, checks } = await checksOf([own, foreign])
  expect(checks).toEqual(['own pass', 'foreign not_run needs-partner'])
  expect(status).toBe('shown')
})

test('a key of another partner without the scope is as good as none', async () => {
  const narrow = {
    name: 'narrow',
    partner: 'other',
    key_id: 'pk_test_narrow',
    secret: 'sk_test_narrow',
    scopes: ['report'],
  }
  const fake = await fakeTarget()
  const main = { name: 'main', key_id: fake.keyId, secret: fake.secret }
  const { status, checks } = await checksOf([own, foreign], { credentials: [main, narrow] })
  expect(checks).toEqual(['own pass', 'foreign not_run needs-scope'])
  expect(status).toBe('shown')
})

test('without the word, it leaves out the scenario', async () => {
  const { optional: _, ...needed } = foreign
  const { status, checks } = await checksOf([own, needed])
  expect(checks).toEqual(['own not_run needs-partner', 'foreign not_run needs-partner'])
  expect(status).toBe('not_exercised')
})

test('an optional step alone shows nothing that another has not shown', async () => {
  expect(await checksOf([foreign])).toEqual({ status: 'not_exercised', checks: ['foreign not_run needs-partner'] })
})

test('a step without checks that names what is left out takes the whole scenario with it', async () => {
  const made: Step = { id: 'made', call: { again: 'foreign' } }
  const { checks } = await checksOf([own, foreign, made, { ...own, id: 'after' }])
  expect(checks).toEqual(['own not_run needs-partner', 'foreign not_run needs-partner', 'after not_run needs-partner'])
})

test('nothing is sent where nothing is left to be judged', async () => {
  const made: Step = { id: 'made', call: { op: 'quotes.create' } }
  const fake = await fakeTarget()
  const result = await judge(targetOf(fake), [scenario({ proves: ['INV-07'], steps: [made, foreign] })])
  expect(result.created).toEqual([])
  expect(result.plan).toMatchObject({ quotes: 0 })
})

test('a step, or one of its expectations, that names what was left out is left out too, and counts', async () => {
  const after: Step = { ...own, id: 'after', expect: [{ accepted: true, shows: 'INV-07' }, named('INV-07')] }
  const built: Step = { id: 'built', call: { again: 'foreign' }, expect: { accepted: true, shows: 'INV-07' } }
  const { status, checks } = await checksOf([own, foreign, after, built])
  expect(checks).toEqual([
    'own pass',
    'foreign not_run needs-partner',
    'after pass',
    'after not_run needs-partner',
    'built not_run needs-partner',
  ])
  expect(status).toBe('not_exercised')
})

test('a check is left out in its place, also where others of its step show the same', async () => {
  const kept = { accepted: true, shows: 'INV-07' } as const
  const { checks } = await checksOf([foreign, { ...own, expect: [named('INV-07'), kept, kept] }])
  expect(checks).toEqual(['foreign not_run needs-partner', 'own not_run needs-partner', 'own pass', 'own pass'])
})

test('a dry run leaves out what the run leaves out, and nothing else', async () => {
  const steps: Step[] = [foreign, { ...own, expect: [named('INV-07'), { accepted: true, shows: 'INV-07' }] }]
  const scenarios = [scenario({ proves: ['INV-07'], steps })]
  const target = targetOf(await fakeTarget())
  const result = await rehearse({ target, scenarios, registry, wall: wallClock, toolVersion: '0.0.0' })
  const reasons = result.scenarios.flatMap(({ checks }) => checks.map(({ reason }) => reason))
  expect(reasons).toEqual(['needs-partner', 'needs-partner', 'dry-run'])
  expect(dryRunLines(result)).toContain('1 of 1 scenarios would run')
})

test('of optional checks, the scenario is left out, and keeps no requirement from being shown', async () => {
  const { status, checks } = await checksOf([own, { ...foreign, optional: 'checks' }])
  expect(checks).toEqual(['own not_run needs-partner', 'foreign not_run needs-partner'])
  expect(status).toBe('not_exercised')
  const fake = await fakeTarget()
  const shown = [scenario({ proves: ['INV-07'], steps: [own] })]
  const other = { ...scenario({ proves: ['INV-07'], steps: [{ ...foreign, optional: 'checks' }] }), id: 'orders/other' }
  const { requirements } = await judge(targetOf(fake), [...shown, other])
  expect(requirements.find(({ id }) => id === 'INV-07')).toMatchObject({ status: 'shown' })
})

test('every requirement has a check that is not optional', () => {
  const needed = scenarios
    .flatMap((one) => one.scenario.steps.flatMap(checksOfStep))
    .filter(({ optional }) => !optional)
  const all = scenarios.flatMap((one) => one.scenario.proves)
  const counted = new Set(needed.map(({ requirement }) => requirement))
  expect([...new Set(all)].filter((id) => registry.requirements.has(id) && !counted.has(id))).toEqual([])
})
