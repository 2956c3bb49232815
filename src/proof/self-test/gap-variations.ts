import type { LoadedScenario } from '../../conformance/format/scenario.ts'
import {
  changedGaps,
  GAP_IDS,
  type GapChoices,
  type GapId,
  type GapValue,
  gapOf,
  variedGaps,
} from '../../contract/choices.ts'
import { didYouMean, fits } from '../../contract/words.ts'
import type { GapVariationRun } from './result.ts'
import { checksOf, nameOf, reasonOf, runAgainstOwn, type Suite } from './suite.ts'

/** Choices of open points that differ from our sandbox's own. */
export interface GapVariation {
  choice: string
  gaps: Partial<GapChoices>
}

/** Which gap variations are tried. */
export interface GapVariationOptions {
  /** How many more are drawn from seeds. */
  vary?: number
  /** Every legal value of every open point, one at a time, although `quick` leaves them out. */
  each?: boolean
  /** Only a few draws, which follow from this seed: for work on the suite, not to prove it. */
  quick?: string | undefined
}

/** Number of draws of a whole self-test, and of a quick one. */
const DRAWN = 50
const DRAWN_QUICKLY = 3

/** A pattern of gap variations fits none. */
export class UnknownGapVariationError extends RangeError {
  override readonly name = 'UnknownGapVariationError'
}

/**
 * Every legal value of every open point alone, draws of all of them from seeds, and as few mixes as have every legal value
 * between them: `vary selftest-1` is what `serve --vary selftest-1` starts.
 */
export function allGapVariations({ vary = 0, each = false, quick }: GapVariationOptions = {}): GapVariation[] {
  const isWhole = quick === undefined
  const many = (isWhole ? DRAWN : DRAWN_QUICKLY) + vary
  const drawn = Array.from({ length: many }, (_, n) => drawnGapVariation(`${quick ?? 'selftest'}-${n + 1}`))
  return [...(isWhole ? mixes() : []), ...drawn, ...(each || isWhole ? eachAlone() : [])]
}

const ANY_SEED = /^vary ([^*\s]+)$/

/**
 * The gap variations that a pattern names: `gap=value` or `mix 1 of 4`, where `*` stands for any text, or `vary SEED` with any
 * seed.
 *
 * @throws UnknownGapVariationError if it fits none.
 * @example findGapVariations('skew-edge=*')
 */
export function findGapVariations(pattern: string): GapVariation[] {
  const [, seed] = ANY_SEED.exec(pattern) ?? []
  if (seed !== undefined) return [drawnGapVariation(seed)]
  const all = allGapVariations()
  const found = all.filter(({ choice }) => fits(pattern, choice))
  if (found.length > 0) return found
  throw new UnknownGapVariationError(
    `no such gap variation: "${pattern}"${didYouMean(
      pattern,
      all.map(({ choice }) => choice),
    )}`,
  )
}

function mixes(): GapVariation[] {
  const most = Math.max(...GAP_IDS.map((id) => otherValues(id).length))
  return Array.from({ length: most }, (_, n) => ({ choice: `mix ${n + 1} of ${most}`, gaps: mixOf(n) }))
}

/** The nth unusual value of every open point; if there are fewer, they repeat. */
function mixOf(n: number): Partial<GapChoices> {
  const ids = GAP_IDS.filter((id) => otherValues(id).length > 0)
  return Object.fromEntries(ids.map((id) => [id, otherValues(id)[n % otherValues(id).length]]))
}

function drawnGapVariation(seed: string): GapVariation {
  return { choice: `vary ${seed}`, gaps: changedGaps(variedGaps(seed)) }
}

function eachAlone(): GapVariation[] {
  return GAP_IDS.flatMap((id) =>
    otherValues(id).map((value) => ({ choice: `${id}=${value}`, gaps: { [id]: value } as Partial<GapChoices> })),
  )
}

function otherValues(id: GapId): readonly GapValue[] {
  return gapOf(id).values.slice(1)
}

/** @throws UnknownGapVariationError */
export function gapVariationCalled(choice: string): GapVariation {
  const [variation] = findGapVariations(choice)
  if (!variation) throw new UnknownGapVariationError(choice)
  return variation
}

/** The whole suite against a sandbox that fills gaps differently; no check may hold that against it. */
export async function runGapVariation(suite: Suite, { choice, gaps }: GapVariation): Promise<GapVariationRun> {
  return { choice, because: [], ...(await tried({ ...suite, scenarios: metBy(suite, choice) }, gaps)) }
}

/** In a quick self-test each draw meets a share of the scenarios, and all of them together the whole suite. */
function metBy({ scenarios, isQuick }: Suite, choice: string): readonly LoadedScenario[] {
  if (!isQuick) return scenarios
  const draw = Number(/\d+$/.exec(choice)?.[0] ?? 0)
  return scenarios.filter((_, index) => (index + draw) % DRAWN_QUICKLY === 0)
}

/** The same alone in the process: if a check is red, it looks for the fewest choices that cause it. */
export async function explainGapVariation(suite: Suite, variation: GapVariation): Promise<GapVariationRun> {
  const run = await runGapVariation(suite, variation)
  if (run.red.length === 0) return run
  const guilty = await narrowed(variation.gaps, redAgain(suite, run.red))
  return { ...run, because: Object.entries(guilty).map(([id, value]) => `${id}=${String(value)}`) }
}

async function tried(suite: Suite, gaps: Partial<GapChoices>): Promise<Omit<GapVariationRun, 'choice' | 'because'>> {
  try {
    const result = await runAgainstOwn(suite, suite.scenarios, { gaps })
    return {
      verdict: result.verdict,
      red: checksOf(result, ({ verdict }) => verdict === 'fail' || verdict === 'harness_error').map((check) => ({
        ...nameOf(check),
        actual: check.actual,
      })),
      unproved: checksOf(result, ({ verdict }) => verdict === 'inconclusive' || verdict === 'not_run').length,
      failure: null,
      tookMs: result.durationMs,
    }
  } catch (error) {
    return { verdict: null, red: [], unproved: 0, failure: reasonOf(error), tookMs: 0 }
  }
}

/** Whether the scenarios that went red also do so under other choices. */
function redAgain(suite: Suite, red: GapVariationRun['red']): (gaps: Partial<GapChoices>) => Promise<boolean> {
  const ids = new Set(red.map(({ scenario }) => scenario))
  const scenarios = suite.scenarios.filter(({ id }) => ids.has(id))
  return async (gaps) => (await tried({ ...suite, scenarios }, gaps)).red.length > 0
}

type Choices = Partial<GapChoices>

/**
 * The fewest choices that still cause the effect: one if one is enough. Of several causes it finds one.
 *
 * @param happens asked for parts of the choices; true for the whole.
 * @example await narrowed({ a: 1, b: 2, c: 3 }, async (part) => 'b' in part) // { b: 2 }
 */
export async function narrowed(choices: Choices, happens: (part: Choices) => Promise<boolean>): Promise<Choices> {
  let left: ChosenValue[] = Object.entries(choices)
  for (let parts = 2; left.length > 1; ) {
    const smaller = await firstThatHappens(candidates(left, parts), happens)
    if (smaller) {
      left = smaller
      parts = 2
    } else if (parts >= left.length) break
    else parts = Math.min(left.length, parts * 2)
  }
  return Object.fromEntries(left)
}

type ChosenValue = [id: string, value: unknown]

/** Each part alone, and then all but each part. */
function candidates(entries: readonly ChosenValue[], parts: number): ChosenValue[][] {
  const size = Math.ceil(entries.length / parts)
  const starts = Array.from({ length: Math.ceil(entries.length / size) }, (_, n) => n * size)
  const alone = starts.map((start) => entries.slice(start, start + size))
  const without = starts.map((start) => [...entries.slice(0, start), ...entries.slice(start + size)])
  return [...alone, ...(parts > 2 ? without : [])]
}

async function firstThatHappens(
  found: readonly ChosenValue[][],
  happens: (part: Choices) => Promise<boolean>,
): Promise<ChosenValue[] | null> {
  for (const entries of found) if (await happens(Object.fromEntries(entries))) return entries
  return null
}
