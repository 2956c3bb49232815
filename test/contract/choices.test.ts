import { expect, test } from 'vitest'
import { changedGaps, DEFAULT_GAPS, GAP_IDS, gapOf, readGapChoices, variedGaps } from '../../src/contract/choices.ts'

const SEEDS = Array.from({ length: 200 }, (_, n) => `seed ${n}`)
const DRAWN = SEEDS.map(variedGaps)

test('a seed draws the same choices each time, and they are all legal', () => {
  for (const seed of SEEDS.slice(0, 20)) {
    const drawn = variedGaps(seed)
    expect(variedGaps(seed)).toEqual(drawn)
    expect(readGapChoices(drawn, 'typed')).toEqual({ choices: drawn, problems: [] })
    expect(Object.keys(drawn)).toEqual(GAP_IDS)
  }
})

test('a failing seed of today fails tomorrow: its draws are written down', () => {
  const { 'skew-edge': edge, 'error-layout': layout, 'delivered-by': delivered } = variedGaps('ci-4711')
  expect([edge, layout, delivered]).toEqual(['accepted', 'list', 'only 200'])
})

test.each(GAP_IDS)('every legal value of %s is drawn by some seed', (id) => {
  expect(new Set(DRAWN.map((drawn) => drawn[id]))).toEqual(new Set(gapOf(id).values))
})

test('only what differs from the usual choices is shown', () => {
  expect(changedGaps(DEFAULT_GAPS)).toEqual({})
  expect(changedGaps({ ...DEFAULT_GAPS, 'skew-edge': 'refused' })).toEqual({ 'skew-edge': 'refused' })
})

test.each([
  [{ 'skew-egde': 'refused' }, 'unknown open point: "skew-egde"; did you mean "skew-edge"?'],
  [{ 'skew-edge': 'refuse' }, 'skew-edge is "refuse"; legal are "accepted", "refused"; did you mean "refused"?'],
  [{ 'created-status': 204 }, 'created-status is 204; legal are 201, 200'],
  [{ 'created-status': '201' }, 'created-status is "201"; legal are 201, 200; did you mean "201"?'],
  [{ 'skew-edge': null }, 'skew-edge is null; legal are "accepted", "refused"'],
  [{ 'skew-edge': ['refused'] }, 'skew-edge is no single value; legal are "accepted", "refused"'],
  [{ constructor: 1 }, 'unknown open point: "constructor"'],
])('%j is refused in one sentence', (written, message) => {
  const { choices, problems } = readGapChoices(written, 'typed')
  expect([choices, problems.map((problem) => problem.message.slice(0, message.length))]).toEqual([{}, [message]])
})

test('a text is taken for the value that reads the same, where no types are written', () => {
  expect(readGapChoices({ 'created-status': '200' }, 'text')).toEqual({
    choices: { 'created-status': 200 },
    problems: [],
  })
  expect(readGapChoices({ 'skew-edge': ['refused'] }, 'text').problems).toHaveLength(1)
})
