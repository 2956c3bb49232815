import { formatInstant } from '../../clock/instant.ts'
import { changedGaps } from '../../contract/choices.ts'
import type { CountedWorld } from './coverage.ts'
import { type Evidence, lineOf, orderOf, urlOf } from './hints.ts'
import {
  type CoverageSection,
  caseSection,
  codeSection,
  endpointSection,
  eventSection,
  gapSection,
  orderSection,
  type RowState,
  retrySection,
  situationSection,
  webhookSection,
} from './rows.ts'

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
export type CoverageReport = ReturnType<typeof coverageOf>

/** What calls and deliveries alone show, of whichever server. */
const SECTIONS_OF_CALLS = SECTIONS.filter((sectionOf) => sectionOf !== gapSection)

/** The rows that they show of sections which a sandbox fills in from its tables. */
const ROWS_OF_CALLS: Readonly<Record<string, readonly string[]>> = {
  webhooks: ['accepted', 'twice', 'later'],
  situations: ['cursor', 'after_id', 'replayed'],
}

/** Who reports: the version of this program, and how the words of a command become a line for this sandbox. */
interface Reporting {
  readonly version: string
  readonly command: (words: string) => string
  /** Set if the calls went on to another server. What a sandbox can be made to do is then no hint. */
  readonly proxy?: object
}

/** @example const { summary } = coverageOf(world, { version: '1.0.0', command: (words) => `partner-sandbox ${words}` }) */
export function coverageOf(world: CountedWorld, { version, command, proxy }: Reporting) {
  const evidence = evidenceOf(world, command)
  const sections = proxy === undefined ? sectionsOf(evidence) : sectionsOfCalls(evidence)
  const { sinceMs } = world.coverage
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

/** Every row of the contract, by section. */
export function sectionsOf(evidence: Evidence): CoverageSection[] {
  return SECTIONS.map((sectionOf) => sectionOf(evidence))
}

function sectionsOfCalls(evidence: Evidence): CoverageSection[] {
  const seen: Evidence['seen'] = (kind, id) =>
    kind.startsWith('delivered') ? evidence.seen('situation', kind) : evidence.seen(kind, id)
  return SECTIONS_OF_CALLS.map((sectionOf) => {
    const found = sectionOf({ ...evidence, seen })
    const rows = found.rows.filter(({ id }) => ROWS_OF_CALLS[found.id]?.includes(id) ?? true)
    return {
      ...found,
      met: rows.filter(({ state }) => state === 'met').length,
      of: rows.length,
      rows: rows.map((row) => ({ ...row, hint: row.request_id === null ? null : row.hint })),
    }
  })
}

function evidenceOf(world: CountedWorld, commandLine: (words: string) => string): Evidence {
  const counts = world.coverage.counts()
  const inWorld = world.name === 'default' ? '' : ` --world ${world.name}`
  const command = (words: string) => commandLine(words + inWorld)
  const [credential] = world.credentials.values()
  return {
    gaps: world.gaps,
    keyId: credential?.keyId ?? null,
    seen: (kind, id = '') => counts.of(kind, id),
    command,
    call: (call) => lineOf(world, call, command),
    orderOf: (domain, more) => orderOf(world, domain, more),
    url: (path) => urlOf(world, path),
  }
}

function count(states: readonly RowState[], wanted: RowState): number {
  return states.filter((state) => state === wanted).length
}
