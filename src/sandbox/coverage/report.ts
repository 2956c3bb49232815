import { formatInstant } from '../../clock/instant.ts'
import { changedGaps } from '../../contract/choices.ts'
import { codeSection, endpointSection, retrySection } from './call-rows.ts'
import type { CountedWorld } from './coverage.ts'
import { countedSinceMs, factsSinceStart } from './facts.ts'
import { caseSection, eventSection, orderSection } from './lifecycle-rows.ts'
import { evidenceOf, type RowState } from './row.ts'
import { gapSection, situationSection, webhookSection } from './situation-rows.ts'

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

/** What the clients of a world have exercised, compared with the whole contract. */
export type CoverageReport = Awaited<ReturnType<typeof coverageOf>>

/** Who reports: the version of this program, and how the words of a command become a line for this sandbox. */
interface Reporting {
  readonly version: string
  readonly command: (words: string) => string
}

/** @example const { summary } = await coverageOf(world, { version: '1.0.0', command: (words) => `partner-sandbox ${words}` }) */
export async function coverageOf(world: CountedWorld, { version, command }: Reporting) {
  const evidence = evidenceOf(world, await factsSinceStart(world), command)
  const sections = SECTIONS.map((sectionOf) => sectionOf(evidence))
  const sinceMs = countedSinceMs(world)
  const states = sections.flatMap(({ rows }) => rows.map(({ state }) => state))
  const met = count(states, 'met')
  const notCounted = count(states, 'not_counted')
  const of = states.length - notCounted
  return {
    world: world.name,
    seed: world.chance.seed,
    version,
    now: formatInstant(world.clock.nowMs()),
    since: sinceMs === null ? null : formatInstant(sinceMs),
    summary: {
      met,
      of,
      // Rounded down, so that 100 means all.
      percent: Math.floor((100 * met) / of),
      wrong: count(states, 'wrong'),
      not_counted: notCounted,
      // Some choices add rows or take them away, so the sum of this world is its own.
      own_choices: Object.keys(changedGaps(world.gaps)).length > 0,
      sections: sections.map(({ rows: _rows, ...total }) => total),
    },
    sections,
  }
}

function count(states: readonly RowState[], wanted: RowState): number {
  return states.filter((state) => state === wanted).length
}
