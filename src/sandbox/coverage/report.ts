import { changedGaps } from '../../contract/gaps.ts'
import { codeSection, endpointSection, retrySection } from './call-rows.ts'
import type { CountedWorld } from './coverage.ts'
import { gapSection } from './gap-rows.ts'
import { caseSection, eventSection, orderSection } from './lifecycle-rows.ts'
import { countedSinceMs, factsSinceStart } from './restart.ts'
import { evidenceOf, type RowState, type Section } from './row.ts'
import { situationSection, webhookSection } from './situation-rows.ts'

/** What the clients of a world have met of the contract, against the whole of it. */
export interface CoverageReport {
  readonly world: string
  readonly seed: string
  /** World time of the report. */
  readonly atMs: number
  /** Since when it counts; null since the world was made or reset. */
  readonly sinceMs: number | null
  readonly met: number
  readonly of: number
  /** Rounded down, so that 100 means all. */
  readonly percent: number
  /** Rows that are wrong; no other number shows them. */
  readonly wrong: number
  /** Rows that are listed and are no part of the sum. */
  readonly notCounted: number
  /** Whether the world has chosen open points otherwise: some of them add rows or take them away, so its sum is its own. */
  readonly hasChoices: boolean
  readonly sections: readonly Section[]
}

const SECTIONS = [
  endpointSection,
  codeSection,
  retrySection,
  orderSection,
  caseSection,
  eventSection,
  webhookSection,
  situationSection,
  gapSection,
]

/** @example const { percent } = await coverageOf(world) */
export async function coverageOf(world: CountedWorld): Promise<CoverageReport> {
  const facts = await factsSinceStart(world)
  const evidence = evidenceOf(world, facts)
  const sections = SECTIONS.map((sectionOf) => sectionOf(evidence))
  const met = sum(sections.map((section) => section.met))
  const of = sum(sections.map((section) => section.of))
  return {
    world: world.name,
    seed: world.chance.seed,
    atMs: world.clock.nowMs(),
    sinceMs: countedSinceMs(world),
    met,
    of,
    percent: Math.floor((100 * met) / of),
    wrong: sum(sections.map((section) => inState(section, 'wrong'))),
    notCounted: sum(sections.map((section) => inState(section, 'not_counted'))),
    hasChoices: Object.keys(changedGaps(world.gaps)).length > 0,
    sections,
  }
}

function inState({ rows }: Section, wanted: RowState): number {
  return rows.filter(({ state }) => state === wanted).length
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
