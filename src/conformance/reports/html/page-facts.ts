import { grouped } from '../../../contract/words.ts'
import { exchangesIn } from '../../http/exchange.ts'
import type {
  CheckResult,
  RedactedExchange,
  RequirementResult,
  RunResult,
  ScenarioResult,
} from '../../result/result.ts'
import type { CheckGroup, ReportedCheck } from '../causes.ts'
import { OUTCOME_OF, OUTCOMES, type RenderOptions, type ReportModel } from '../report-model.ts'
import { MAX_BODY_CHARACTERS, MAX_HEADER_CHARACTERS, MAX_HEADERS } from './texts.ts'

/** How something ended, as the page shows it: a known failure is neither a failure nor a skip. */
export type Mark = (typeof OUTCOME_OF)[keyof typeof OUTCOME_OF] | 'known failure' | 'open' | 'not observable'

/** A run with what every part of the page looks up in it. */
export interface PageFacts extends ReportModel {
  readonly options: RenderOptions
  readonly rows: readonly {
    readonly requirement: RequirementResult
    readonly mark: Mark
    /** Part of the verdict: it is in the profile, or failed. */
    readonly counts: boolean
  }[]
  /** A card for each scenario; the rows of a scenario that runs over several share one. */
  readonly cards: readonly {
    /** Id of the scenario, without its row. */
    readonly id: string
    readonly title: string
    readonly checks: readonly ReportedCheck[]
    readonly durationMs: number
  }[]
  /** Each way in which a requirement failed, known ones last. */
  readonly causes: readonly CheckGroup[]
  readonly checksByRequirement: ReadonlyMap<string, readonly ReportedCheck[]>
  /** The exchanges that the page shows, by scenario. */
  readonly keptByScenario: ReadonlyMap<string, readonly RedactedExchange[]>
  /** Anchors are our own numbers and do not depend on the names in the run. */
  readonly anchors: ReadonlyMap<string, string>
}

export function factsOf(model: ReportModel, options: RenderOptions): PageFacts {
  const { run, checks } = model
  const kept = keptExchanges(run)
  const checksByRequirement = grouped(checks, ({ check }) => check.requirement)
  const cards = cardsOf(model)
  const areas = [...new Set(run.requirements.map(({ section }) => section))]
  return {
    ...model,
    options,
    checksByRequirement,
    cards,
    rows: run.requirements.map((one) => rowOf(model, one)),
    causes: [...model.failed, ...model.known].flatMap((failed) => failed.causes),
    keptByScenario: grouped(kept, ({ scenario }) => scenario),
    anchors: new Map([
      ...run.requirements.map(({ id }, at) => [`requirement ${id}`, `r${at}`] as const),
      ...[...model.failed, ...model.known].toReversed().map(({ id }, at) => [`failure ${id}`, `f${at}`] as const),
      ...areas.map((section, at) => [`area ${section}`, `a${at}`] as const),
      ...cards.flatMap((card, at) =>
        [card.id, ...card.checks.map(({ scenario }) => scenario.id)].map((id) => [`scenario ${id}`, `s${at}`] as const),
      ),
      ...kept.map(({ id }, at) => [`exchange ${id}`, `x${at}`] as const),
    ]),
  }
}

function cardsOf({ run, checks }: ReportModel): PageFacts['cards'] {
  const checksOf = grouped(checks, ({ scenario }) => scenario.id)
  return [...grouped(run.scenarios, ({ id }) => id.replace(/\[[^[\]]*\]$/, ''))].map(([id, scenarios]) => ({
    id,
    title: titleOf(scenarios),
    checks: scenarios.flatMap((scenario) => checksOf.get(scenario.id) ?? []),
    durationMs: scenarios.reduce((sum, { durationMs }) => sum + durationMs, 0),
  }))
}

/** Rows of one scenario have titles of their own: that of the first row that is worst is the one to see. */
function titleOf(scenarios: readonly ScenarioResult[]): string {
  const rank = ({ checks }: ScenarioResult) =>
    Math.min(...checks.map(({ verdict }) => OUTCOMES.indexOf(OUTCOME_OF[verdict])))
  const [worst] = [...scenarios].sort((a, b) => rank(a) - rank(b))
  return worst?.title ?? ''
}

/** A requirement of which the baseline lists each failure has a mark of its own. */
function rowOf({ run, failed, known }: ReportModel, requirement: RequirementResult): PageFacts['rows'][number] {
  const { id, level, status, unobservable } = requirement
  const isKnown = known.some((one) => one.id === id) && failed.every((one) => one.id !== id)
  const counts = run.profile.requirements.includes(id) || status === 'violated'
  if (unobservable !== undefined) return { requirement, mark: 'not observable', counts }
  if (level === 'open') return { requirement, mark: 'open', counts }
  return { requirement, mark: isKnown ? 'known failure' : OUTCOME_OF[status], counts }
}

/** The `id` of the element for a thing; undefined where the page does not show it. */
export function anchorOf(
  { anchors }: PageFacts,
  kind: 'requirement' | 'failure' | 'area' | 'scenario' | 'exchange',
  id: string,
): string | undefined {
  return anchors.get(`${kind} ${id}`)
}

/** More than these make a page slow to open. */
const MAX_EXCHANGES = 1_200

/** Of their headers and bodies together. */
const MAX_CHARACTERS = 6_000_000

/** Of one scenario that is not green; those that its checks name are always among them. */
const MAX_OF_A_SCENARIO = 60

/**
 * The exchanges that the page shows, in the order they were sent: of scenarios that are not green all, of green ones those
 * that checks name. Where that is too many, those that decided something come before those that did not.
 */
function keptExchanges({ scenarios, exchanges }: RunResult): RedactedExchange[] {
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  const red = scenarios.filter((scenario) => scenario.checks.some(isRed)).map(({ id }) => id)
  const calls = grouped(exchanges, ({ scenario }) => scenario)
  const wanted = [
    ...checks.filter(isRed).flatMap((check) => [check.exchange ?? '', ...exchangesIn(check.twin)]),
    ...red.flatMap((id) => (calls.get(id) ?? []).slice(0, MAX_OF_A_SCENARIO).map((exchange) => exchange.id)),
    ...checks.map(({ exchange }) => exchange ?? ''),
  ]
  const byId = new Map(exchanges.map((exchange) => [exchange.id, exchange]))
  let characters = 0
  const kept = [...new Set(wanted)]
    .flatMap((id) => byId.get(id) ?? [])
    .slice(0, MAX_EXCHANGES)
    .filter((exchange) => {
      characters += shownCharacters(exchange)
      return characters <= MAX_CHARACTERS
    })
  const ids = new Set(kept)
  return exchanges.filter((exchange) => ids.has(exchange))
}

function shownCharacters({ requestHeaders, responseHeaders, requestBody, responseBody }: RedactedExchange): number {
  const headers = [...requestHeaders.slice(0, MAX_HEADERS), ...responseHeaders.slice(0, MAX_HEADERS)].flat()
  const bodies = [requestBody, responseBody].map(({ length }) => Math.min(length, MAX_BODY_CHARACTERS))
  const lengths = [...bodies, ...headers.map(({ length }) => Math.min(length, MAX_HEADER_CHARACTERS))]
  return lengths.reduce((sum, length) => sum + length, 0)
}

function isRed({ verdict }: CheckResult): boolean {
  return verdict === 'fail' || verdict === 'inconclusive' || verdict === 'harness_error' || verdict === 'drift'
}

const WORST_FIRST: readonly Mark[] = ['failed', 'known failure', 'inconclusive', 'not run', 'passed']

/** Requirements by how they ended: those of the profile, and any other that failed. */
export function countsOf(rows: PageFacts['rows']): (readonly [mark: Mark, count: number])[] {
  const marks = rows.flatMap(({ mark, counts }) => (counts ? mark : []))
  return WORST_FIRST.map((name) => [name, marks.filter((mark) => mark === name).length] as const).filter(
    ([, count]) => count > 0,
  )
}
