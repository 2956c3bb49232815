import { isDeepStrictEqual } from 'node:util'
import { eventValue } from '../context/event-history.ts'
import type { CallExchange, HistoryEvent, ScenarioRun } from '../context/run.ts'
import { includedItems } from '../dialect/list-values.ts'
import { isPageFact } from '../format/roles.ts'
import type { NamedStep, ObserveItem } from '../format/scenario.ts'
import { observationName, observationsOf } from '../format/step-facts.ts'
import { shown } from '../format/values.ts'
import { type Answer, isAccepted } from '../http/exchange.ts'
import { atPointer } from '../http/json-body.ts'
import { factOf, type PageVisit } from '../pages/page-visit.ts'
import type { Observation } from '../result/result.ts'
import type { Subject } from './judge.ts'
import type { PlacedCheck } from './placed-check.ts'
import { findValue, matcherFilling, newIn } from './references.ts'

/** Records what a target does with open points. Nothing here can fail; a pinned answer that changed is drift. */
export function observe(
  scenarioRun: ScenarioRun,
  step: NamedStep,
  subject: Subject,
  exchange: string | null,
): { checks: PlacedCheck[]; observations: Observation[] } {
  const checks: PlacedCheck[] = []
  const observations: Observation[] = []
  for (const item of observationsOf(step)) {
    const value = observedValue(scenarioRun, step.id, item, subject)
    const gap = observationName(item)
    const base = {
      step: step.id,
      requirement: item.gap,
      expected: 'open',
      actual: shown(value ?? 'no answer'),
      exchange,
    }
    if (value === null) {
      checks.push({ ...base, verdict: 'inconclusive', note: 'the connection broke' })
      continue
    }
    observations.push({ gap, value, scenario: scenarioRun.id })
    const { pins } = scenarioRun.run.target
    const drifted = Object.hasOwn(pins, gap) && !isDeepStrictEqual(pins[gap], value)
    checks.push(
      drifted
        ? { ...base, verdict: 'drift', expected: `pinned: ${shown(pins[gap])}` }
        : { ...base, verdict: 'observed' },
    )
  }
  return { checks, observations }
}

/** `items.ROLE`: what the items say, each value once. */
const OF_ITEMS = 'items.'
/** `type.ROLE`: the JSON type of what is there, before it is read. */
const TYPE_OF = 'type.'
/** `at.ROLE`: the place where it was found rather than its value. */
const PLACE_OF = 'at.'

/**
 * What an observation records (docs/scenarios.md: observe). `null` if there was no answer to look into.
 *
 * @param step its name, for the items that its own `includes` asks for.
 */
function observedValue(
  scenarioRun: ScenarioRun,
  step: string,
  { take = 'outcome' }: ObserveItem,
  subject: Subject,
): unknown {
  if (subject.kind === 'events') return ofEvents(subject.events, take)
  if (subject.kind === 'pages') return ofPage(subject.visits[0]?.visit, take)
  if (subject.kind === 'burst')
    return take === 'count'
      ? subject.exchanges.filter(({ answer }) => isAccepted(answer)).length
      : tally(scenarioRun, subject.exchanges)
  if (subject.kind === 'run') return null
  const { exchange } = subject
  const { answer } = exchange
  if (!answer) return null
  if (take === 'outcome') return outcomeInWords(scenarioRun, exchange)
  if (take === 'status') return answer.status
  if (take === 'params') return parameterNames(exchange)
  if (take.startsWith(OF_ITEMS)) return ofItems(scenarioRun, step, take.slice(OF_ITEMS.length), answer)
  if (take.startsWith(PLACE_OF)) return placeOf(scenarioRun, take.slice(PLACE_OF.length), answer)
  if (take.startsWith(TYPE_OF)) return typeAt(scenarioRun, take.slice(TYPE_OF.length), answer)
  const found = findValue(scenarioRun, answer, take === 'code' ? 'error.code' : take)
  return found.found ? found.value : `no ${take}`
}

/** Names as they were in the request, in their order. */
function parameterNames({ call }: CallExchange): string {
  const names = call.query.map(([name]) => name)
  return names.length === 0 ? 'none' : [...new Set(names)].join(', ')
}

function typeAt(scenarioRun: ScenarioRun, role: string, answer: Answer): string {
  const found = findValue(scenarioRun, answer, role)
  return found.found ? typeof atPointer(answer.json, found.at) : `no ${role}`
}

function placeOf(scenarioRun: ScenarioRun, role: string, answer: Answer): string {
  const found = findValue(scenarioRun, answer, role)
  return found.found ? found.at || 'the whole body' : `no ${role}`
}

/** Of the items that the step selects; of all if it selects none. */
function ofItems(scenarioRun: ScenarioRun, step: string, role: string, answer: Answer): unknown {
  const list = newIn(scenarioRun, answer)
  const items = includedItems(scenarioRun.scenario, step, list, matcherFilling(scenarioRun, answer))
  return each(
    items.map((item) => {
      const found = list.find(item, role)
      return found.found ? found.value : `no ${role}`
    }),
  )
}

function each(values: readonly unknown[]): string {
  return [...new Set(values.map(String))].join(', ') || 'none'
}

/** How many came; of a path, its value in the first; `items.PATH`: in all of them, in the order they came. */
function ofEvents(events: readonly HistoryEvent[], take: string): unknown {
  const [first] = events
  if (take === 'count' || take === 'outcome' || !first) return events.length
  if (take.startsWith(OF_ITEMS)) {
    const path = take.slice(OF_ITEMS.length)
    return each(events.map((event) => eventValue(event, path) ?? `no ${path}`))
  }
  return eventValue(first, take) ?? `no ${take}`
}

function ofPage(visit: PageVisit | undefined, take: string): unknown {
  if (!visit?.answer) return null
  if (take === 'status') return visit.answer.status
  if (!isPageFact(take)) return visit.location === null ? visit.answer.status : `${visit.answer.status} elsewhere`
  const found = factOf(visit, take)
  return 'value' in found ? (found.value ?? `no ${take}`) : found.unknown
}

function outcomeInWords(scenarioRun: ScenarioRun, { answer }: CallExchange): string {
  if (!answer) return 'no answer'
  if (isAccepted(answer)) return 'accepted'
  const code = findValue(scenarioRun, answer, 'error.code')
  return code.found ? `${String(code.value)} ${answer.status}` : `${answer.status}`
}

/** How often each outcome came, in a fixed order. */
function tally(scenarioRun: ScenarioRun, exchanges: readonly CallExchange[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of exchanges.map((exchange) => outcomeInWords(scenarioRun, exchange)).sort())
    counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
