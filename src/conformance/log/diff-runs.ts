import { withoutIds } from '../engine/baseline.ts'
import { type CheckResult, type CheckVerdict, isOutside, type RunResult } from '../result/result.ts'

/** One check, in one run and in another. */
export interface CheckChange {
  scenario: string
  step: string
  requirement: string
  /** Null if the run has no such check. */
  before: CheckResult | null
  after: CheckResult | null
}

/** What is different about the second of two runs. */
export interface RunDiff {
  /** What was judged, or by what, if that differs. */
  identity: { what: string; before: string; after: string }[]
  /** Carried out in the first and not in the second: the second says less. */
  lost: CheckChange[]
  newlyFailing: CheckChange[]
  /** It was settled and no longer is. */
  newlyInconclusive: CheckChange[]
  newlyPassing: CheckChange[]
  /** Carried out in the second alone. */
  gained: CheckChange[]
  /** Another verdict, neither better nor worse: tolerated, drift. */
  changed: CheckChange[]
  observations: {
    gap: string
    scenario: string
    /** What was seen of the gap there; more than one value where it was looked at more than once. */
    before: unknown[]
    after: unknown[]
  }[]
}

/**
 * Compares two runs check by check.
 *
 * @example diffRuns(yesterday, today).lost.length // 0
 */
export function diffRuns(before: RunResult, after: RunResult): RunDiff {
  const changes = changesOf(before, after)
  const where = (kind: Kind) => changes.filter((change) => kindOf(change) === kind)
  return {
    identity: identityChanges(before, after),
    lost: where('lost'),
    newlyFailing: where('newly-failing'),
    newlyInconclusive: where('newly-inconclusive'),
    newlyPassing: where('newly-passing'),
    gained: where('gained'),
    changed: where('changed'),
    observations: observationChanges(before, after),
  }
}

/** What the second run was not asked to do: lost by choice. */
export function isLeftOut({ after }: CheckChange): boolean {
  return after !== null && isOutside(after)
}

/** Whether the second run is worse: it shows less, or something is red that was not. Known failures are not red. */
export function isWorse({ lost, newlyFailing, newlyInconclusive }: RunDiff): boolean {
  const unknown = newlyFailing.filter(({ after }) => after?.known === undefined)
  return lost.length + unknown.length + newlyInconclusive.length > 0
}

type Kind = 'lost' | 'newly-failing' | 'newly-inconclusive' | 'newly-passing' | 'gained' | 'changed' | 'same'

const IN_DOUBT: readonly CheckVerdict[] = ['inconclusive', 'harness_error']

function kindOf({ before, after }: CheckChange): Kind {
  const did = before !== null && before.verdict !== 'not_run'
  const does = after !== null && after.verdict !== 'not_run'
  if (!does) return did ? 'lost' : 'same'
  const was = did ? before.verdict : null
  if (after.verdict === was) return 'same'
  if (after.verdict === 'fail') return 'newly-failing'
  if (IN_DOUBT.includes(after.verdict)) return was !== null && IN_DOUBT.includes(was) ? 'same' : 'newly-inconclusive'
  if (was === null) return 'gained'
  return was === 'fail' || IN_DOUBT.includes(was) ? 'newly-passing' : 'changed'
}

function changesOf(before: RunResult, after: RunResult): CheckChange[] {
  return paired(checksByPlace(before), checksByPlace(after)).flatMap(([, one, other]) => {
    const place = one ?? other
    if (!place) return []
    const { step, requirement } = place.check
    const { scenario } = place
    return [{ scenario, step, requirement, before: one?.check ?? null, after: other?.check ?? null }]
  })
}

type Pair<Value> = readonly [key: string, before: Value | undefined, after: Value | undefined]

function paired<Value>(before: ReadonlyMap<string, Value>, after: ReadonlyMap<string, Value>): Pair<Value>[] {
  return [...new Set([...before.keys(), ...after.keys()])].map((key) => [key, before.get(key), after.get(key)])
}

/** A step may show one requirement more than once. */
function checksByPlace({ scenarios }: RunResult): Map<string, { scenario: string; check: CheckResult }> {
  const found = new Map<string, { scenario: string; check: CheckResult }>()
  for (const { id, checks } of scenarios) {
    for (const check of checks) {
      let nth = 1
      const key = () => JSON.stringify([id, check.step, check.requirement, nth])
      while (found.has(key())) nth += 1
      found.set(key(), { scenario: id, check })
    }
  }
  return found
}

function identityChanges(before: RunResult, after: RunResult): RunDiff['identity'] {
  const rows: [what: string, of: (result: RunResult) => string][] = [
    ['target', ({ target }) => `${target.url} (${target.environment})`],
    ['target file', ({ identity }) => identity.target],
    ['requirements', ({ identity }) => identity.edition],
    ['scenarios', ({ identity }) => identity.scenarios],
    ['profile', ({ profile }) => profile.name],
    ['tool', ({ tool }) => `${tool.name} ${tool.version}`],
  ]
  return rows
    .map(([what, of]) => ({ what, before: of(before), after: of(after) }))
    .filter((row) => row.before !== row.after)
}

function observationChanges(before: RunResult, after: RunResult): RunDiff['observations'] {
  return paired(valuesByPlace(before), valuesByPlace(after))
    .map(([key, one = [], other = []]) => {
      const [gap = '', scenario = ''] = JSON.parse(key) as string[]
      return { gap, scenario, before: one, after: other }
    })
    .filter(({ before: one, after: other }) => withoutIds(JSON.stringify(one)) !== withoutIds(JSON.stringify(other)))
}

/** In an order of their own: which of two came first is not a difference. */
function valuesByPlace({ observations }: RunResult): Map<string, unknown[]> {
  const found = new Map<string, Map<string, unknown>>()
  for (const { gap, scenario, value } of observations) {
    const key = JSON.stringify([gap, scenario])
    const values = found.get(key) ?? new Map<string, unknown>()
    found.set(key, values.set(JSON.stringify(value) ?? 'undefined', value))
  }
  return new Map(
    [...found].map(([key, values]) => [
      key,
      [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value),
    ]),
  )
}
