import { expect, test } from 'vitest'
import { profileOfAll } from '../../src/conformance/engine/profile.ts'
import { loadRequirements } from '../../src/conformance/format/requirements.ts'
import { RULES } from '../../src/contract/rules.ts'
import { brokenRules, findDefects, listDefects, UnknownDefectError } from '../../src/proof/defects/index.ts'

const registry = loadRequirements()
const defects = listDefects()
const TABLES = new Set(['scopes', 'affiliate', 'steps'])

test('no two defects have one id or one summary', () => {
  expect(new Set(defects.map(({ id }) => id)).size).toBe(defects.length)
  expect(new Set(defects.map(({ summary }) => summary)).size).toBe(defects.length)
})

const idsOf = (some: typeof defects) => some.map(({ id }) => id)

test('every defect has a plain id, is told in one sentence and changes something', () => {
  const isPlain = (id: string) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(id)
  expect(idsOf(defects.filter(({ id }) => !isPlain(id)))).toEqual([])
  expect(idsOf(defects.filter(({ summary }) => !/^[A-Z].*\.$/.test(summary)))).toEqual([])
  const unchanged = defects.filter(({ id }) => {
    const { rules, hooks } = brokenRules(id)
    return JSON.stringify(rules) === JSON.stringify(RULES) && Object.keys(hooks).length === 0
  })
  expect(idsOf(unchanged)).toEqual([])
})

/** Each member of each group of rules; of a table of endpoints or steps the table itself. */
const MEMBERS = Object.entries(RULES).flatMap(([group, members]) =>
  Object.entries<unknown>(TABLES.has(group) ? { [group]: members } : members).map(
    ([member, value]) => ({ path: TABLES.has(group) ? [group] : [group, member], value }) as const,
  ),
)

test('each rule is a limit, a word of the document, a set or a table, and none is a switch', () => {
  const isWord = (value: unknown) => value === 'sandbox'
  const others = MEMBERS.filter(({ value }) => typeof value !== 'number' && typeof value !== 'object' && !isWord(value))
  expect(others.map(({ path }) => path.join('.'))).toEqual([])
})

test('each rule is changed by a defect: what none changes can stand where it is read', () => {
  const at = (rules: object, path: readonly string[]) =>
    path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], rules)
  const changed = defects.map(({ id }) => brokenRules(id).rules)
  const unchanged = MEMBERS.filter(({ path, value }) => changed.every((rules) => at(rules, path) === value))
  expect(unchanged.map(({ path }) => path.join('.'))).toEqual([])
})

test('every defect breaks requirements of the document, and every requirement is broken by a defect', () => {
  const isMust = (id: string) => registry.requirements.get(id)?.level === 'must'
  expect(idsOf(defects.filter(({ breaks }) => breaks.length === 0 || !breaks.every(isMust)))).toEqual([])
  const broken = new Set(defects.flatMap(({ breaks }) => breaks))
  expect(profileOfAll(registry).requirements.filter((id) => !broken.has(id))).toEqual([])
})

test('an id that nobody has is refused with those that come near', () => {
  expect(() => brokenRules('nonce-never-traked')).toThrow(UnknownDefectError)
  expect(() => brokenRules('nonce-never-traked')).toThrow(/"nonce-never-traked"; did you mean nonce-never-tracked/)
})

test('a pattern stands for every defect that it fits, and an id for one', () => {
  const found = findDefects('affiliate-link-*').map(({ id }) => id)
  expect(found.length).toBeGreaterThan(3)
  expect(found.filter((id) => !id.startsWith('affiliate-link-'))).toEqual([])
  expect(findDefects('nonce-race').map(({ id }) => id)).toEqual(['nonce-race'])
  expect(findDefects('*-race').map(({ id }) => id)).toContain('nonce-race')
})

test('a pattern that fits none is refused, and a dot in it is a dot', () => {
  expect(() => findDefects('no-such-*')).toThrow(UnknownDefectError)
  expect(() => findDefects('nonce.*')).toThrow(UnknownDefectError)
})
