import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { profileOfAll } from '../../src/conformance/engine/profile.ts'
import { loadRequirements } from '../../src/conformance/format/requirements.ts'
import { RULES } from '../../src/contract/rules.ts'
import { brokenRules, findDefects, listDefects, UnknownDefectError } from '../../src/proof/defects/index.ts'

const { registry } = loadRequirements(fileURLToPath(new URL('../../fixtures/requirements.yaml', import.meta.url)))
const defects = listDefects()

test('there are at least 40 defects, as the issue asks', () => {
  expect(defects.length).toBeGreaterThanOrEqual(40)
})

test('no two defects have one id or one summary', () => {
  expect(new Set(defects.map(({ id }) => id)).size).toBe(defects.length)
  expect(new Set(defects.map(({ summary }) => summary)).size).toBe(defects.length)
})

test.for(defects.map((defect) => [defect.id, defect] as const))('%s is told in one sentence', ([id, { summary }]) => {
  expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  expect(summary).toMatch(/^[A-Z].*\.$/)
})

test.for(defects.map((defect) => [defect.id, defect] as const))(
  '%s breaks requirements of the document',
  ([, { breaks }]) => {
    expect(breaks.map((id) => [id, registry.requirements.get(id)?.level])).toEqual(breaks.map((id) => [id, 'must']))
  },
)

test.for(defects.map((defect) => [defect.id, defect] as const))('%s changes something', ([id]) => {
  const { rules, hooks } = brokenRules(id)
  expect(JSON.stringify(rules) !== JSON.stringify(RULES) || Object.keys(hooks).length > 0).toBe(true)
})

test.for(profileOfAll(registry).requirements)('%s is broken by a defect', (id) => {
  expect(defects.filter(({ breaks }) => breaks.includes(id)).map((defect) => defect.id)).not.toEqual([])
})

test('an id that nobody has is refused with those that come near', () => {
  expect(() => brokenRules('nonce-never-traked')).toThrow(UnknownDefectError)
  expect(() => brokenRules('nonce-never-traked')).toThrow(/"nonce-never-traked"; did you mean nonce-never-tracked/)
})

test('a pattern stands for every defect that it fits, and an id for one', () => {
  const found = findDefects('checkout-token-*').map(({ id }) => id)
  expect(found.length).toBeGreaterThan(3)
  expect(found.filter((id) => !id.startsWith('checkout-token-'))).toEqual([])
  expect(findDefects('nonce-race').map(({ id }) => id)).toEqual(['nonce-race'])
  expect(findDefects('*-race').map(({ id }) => id)).toContain('nonce-race')
})

test('a pattern that fits none is refused, and a dot in it is a dot', () => {
  expect(() => findDefects('no-such-*')).toThrow(UnknownDefectError)
  expect(() => findDefects('nonce.*')).toThrow(UnknownDefectError)
})
