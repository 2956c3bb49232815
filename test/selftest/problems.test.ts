import { describe, expect, test } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { profileOfAll } from '../../src/conformance/engine/profile.ts'
import { loadRequirements } from '../../src/conformance/format/requirements.ts'
import { changedGaps, GAPS, variedGaps } from '../../src/contract/choices.ts'
import {
  allGapVariations,
  findGapVariations,
  narrowed,
  UnknownGapVariationError,
} from '../../src/proof/self-test/gap-variations.ts'
import { neverRed, problemsOf, requirementRows } from '../../src/proof/self-test/problems.ts'
import type { BadServerRun, CorrectRun, DefectRun, GapVariationRun } from '../../src/proof/self-test/result.ts'

const registry = loadRequirements()
const suite = {
  scenarios: [{ id: 'a', file: 'a.yaml', scenario: { title: 'A', proves: ['AUTH-05'], steps: [] } }],
  registry,
  wall: wallClock,
  toolVersion: '0.0.0',
  signal: undefined,
}

const CHECK = { scenario: 'a', step: 'one', requirement: 'AUTH-05' }
const OTHER = { ...CHECK, step: 'two' }

const VALID: CorrectRun = {
  verdict: 'conforming',
  passed: [CHECK, OTHER],
  notGreen: [],
  shown: [...profileOfAll(registry).requirements],
  tookMs: 1,
}
const KILLED: DefectRun = {
  id: 'x',
  breaks: ['AUTH-05'],
  scenarios: 1,
  killedBy: [CHECK],
  alsoRed: [],
  failure: null,
  tookMs: 1,
}
const FREE: GapVariationRun = {
  choice: 'g=v',
  because: [],
  verdict: 'conforming',
  red: [],
  unproved: 0,
  failure: null,
  tookMs: 1,
}
const DEGENERATE: BadServerRun = {
  name: 'lies',
  saysYes: false,
  isOdd: false,
  verdict: 'non_conforming',
  shown: [],
  harnessErrors: 0,
  strayed: 0,
  smuggled: [],
  failure: null,
  tookMs: 1,
}

/** The problems where one thing is not as it should be. */
function problems(change: {
  sound?: Partial<CorrectRun>
  defect?: Partial<DefectRun>
  variation?: Partial<GapVariationRun>
  degenerate?: Partial<BadServerRun>
}): string[] {
  return problemsOf(suite, {
    sound: { ...VALID, ...change.sound },
    defects: [{ ...KILLED, ...change.defect }],
    freedoms: [{ ...FREE, ...change.variation }],
    degenerates: [{ ...DEGENERATE, ...change.degenerate }],
  })
}

test('there is no problem where all is as it should be', () => {
  expect(problems({})).toEqual([])
})

test('a red check of the correct sandbox is a problem', () => {
  expect(problems({ sound: { notGreen: [{ ...CHECK, verdict: 'inconclusive', actual: 'no twin' }] } })).toEqual([
    'the correct sandbox: a one (AUTH-05) is inconclusive: no twin',
  ])
})

test('a requirement that the correct sandbox does not show is a problem', () => {
  expect(problems({ sound: { shown: VALID.shown.filter((id) => id !== 'IDEM-04') } })).toEqual([
    'IDEM-04 has no check that the correct sandbox passes',
  ])
})

test('a defect that survives is a problem, and so is the scenario that killed nothing', () => {
  expect(problems({ defect: { killedBy: [] } })).toEqual([
    'the defect x survives: no check went red of AUTH-05',
    'the scenario a kills no defect',
  ])
})

test('a defect under which the runner breaks is a problem, even where it is killed', () => {
  expect(problems({ defect: { failure: 'TypeError: no' } })).toEqual(['the defect x: TypeError: no'])
})

test('a red check under a gap variation is a problem, and so is a run of one that judged nothing', () => {
  expect(problems({ variation: { red: [{ ...CHECK, actual: '403' }] } })).toEqual([
    'the gap variation g=v: a one (AUTH-05) is red: 403',
  ])
  const because = ['g=v', 'h=w']
  expect(problems({ variation: { choice: 'mix 1 of 4', because, red: [{ ...CHECK, actual: '403' }] } })).toEqual([
    'the gap variation mix 1 of 4: a one (AUTH-05) is red by g=v and h=w: 403',
  ])
  expect(problems({ variation: { verdict: 'void' } })).toEqual(['the gap variation g=v: nothing was judged'])
})

test('a bad server that comes out green or breaks the runner is a problem', () => {
  expect(problems({ degenerate: { verdict: 'conforming' } })).toEqual(['the server that lies is called conforming'])
  expect(problems({ degenerate: { shown: ['IDEM-02'] } })).toEqual(['the server that lies is said to show IDEM-02'])
  expect(problems({ degenerate: { shown: ['IDEM-06'], saysYes: true } })).toEqual([])
  expect(problems({ degenerate: { verdict: 'conforming', isOdd: true } })).toEqual([])
  expect(problems({ degenerate: { strayed: 3 } })).toEqual([
    'the server that lies has had 3 requests sent to another host',
  ])
  expect(problems({ degenerate: { smuggled: ['a control character in json'] } })).toEqual([
    'the server that lies smuggles a control character in json',
  ])
  expect(problems({ degenerate: { harnessErrors: 2 } })).toEqual(['the server that lies leads to 2 harness errors'])
  expect(problems({ degenerate: { verdict: null, failure: 'TypeError: no' } })).toEqual([
    'the server that lies: TypeError: no',
  ])
})

test('a requirement’s row names what its checks killed and what they did not notice', () => {
  const unnoticed = {
    ...KILLED,
    id: 'y',
    breaks: ['AUTH-05', 'AUTH-04'],
    killedBy: [{ ...CHECK, requirement: 'AUTH-04' }],
  }
  const rows = requirementRows(suite, VALID.passed, [KILLED, unnoticed])
  expect(rows.find(({ id }) => id === 'AUTH-05')).toEqual({
    id: 'AUTH-05',
    checks: 2,
    killed: ['x'],
    unnoticed: ['y'],
  })
})

test('a check that no defect turns red is named', () => {
  expect(neverRed(VALID.passed, [KILLED])).toEqual([OTHER])
})

const otherValues = Object.entries(GAPS).flatMap(([id, gap]) =>
  gap.values.slice(1).map((value) => `${id}=${String(value)}`),
)

const valuesIn = ({ gaps }: { gaps: object }) => Object.entries(gaps).map(([id, value]) => `${id}=${String(value)}`)

test('the mixes have every legal value between them, but for the usual ones', () => {
  const mixes = allGapVariations().filter(({ choice }) => choice.startsWith('mix'))
  expect(new Set(mixes.flatMap(valuesIn))).toEqual(new Set(otherValues))
  const most = Math.max(...Object.values(GAPS).map(({ values }) => values.length - 1))
  expect(mixes).toHaveLength(most)
})

test('beside them fifty draws are tried, more where they are asked for, and each value by itself', () => {
  const drawn = (options = {}) => allGapVariations(options).filter(({ choice }) => choice.startsWith('vary'))
  expect(drawn().map(({ choice }) => choice)).toEqual(Array.from({ length: 50 }, (_, n) => `vary selftest-${n + 1}`))
  expect(drawn()[0]?.gaps).toEqual(changedGaps(variedGaps('selftest-1')))
  expect(drawn({ vary: 3 })).toHaveLength(53)
  const alone = allGapVariations().filter(({ choice }) => choice.includes('='))
  expect(alone.map(({ choice }) => choice)).toEqual(otherValues)
  expect(alone.flatMap(valuesIn)).toEqual(otherValues)
})

test('a quick self-test has three draws from its seed and no value by itself, unless it is asked for', () => {
  const choices = allGapVariations({ quick: '4711' }).map(({ choice }) => choice)
  expect(choices).toEqual(['vary 4711-1', 'vary 4711-2', 'vary 4711-3'])
  expect(allGapVariations({ quick: '4711', each: true }).length).toBe(choices.length + otherValues.length)
})

test('gap variations are found by name, by pattern, and by any seed', () => {
  expect(findGapVariations('skew-edge=refused').map(({ gaps }) => gaps)).toEqual([{ 'skew-edge': 'refused' }])
  expect(findGapVariations('missing-headers-status=*').length).toBeGreaterThan(1)
  expect(findGapVariations('vary my-own-seed')[0]?.gaps).toEqual(changedGaps(variedGaps('my-own-seed')))
  expect(() => findGapVariations('skew-egde=refused')).toThrow(UnknownGapVariationError)
})

describe('narrowed', () => {
  const all = Object.fromEntries(otherValues.map((value) => value.split('=') as [string, string]))
  const narrowedTo = async (...guilty: string[]) => {
    let asked = 0
    const left = await narrowed(all, async (part) => {
      asked += 1
      return guilty.every((id) => id in part)
    })
    return [Object.keys(left), asked] as const
  }

  test.each(Object.keys(all))('finds %s where it alone is the cause', async (id) => {
    const [left, asked] = await narrowedTo(id)
    expect(left).toEqual([id])
    expect(asked).toBeLessThan(20)
  })

  test('finds two that bring it about together', async () => {
    const [left] = await narrowedTo('skew-edge', 'delivered-by')
    expect(left.sort()).toEqual(['delivered-by', 'skew-edge'])
  })
})
