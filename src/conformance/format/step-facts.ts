import { parseDuration } from '../../clock/duration.ts'
import { ENDPOINT_IDS, ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import type { DeclaredCheck, Outline } from '../result/result.ts'
import { isFailure } from './expectations/outcomes.ts'
import type { RoleName } from './roles.ts'
import type { CallStep, Expectation, LoadedScenario, ObserveItem, Scenario, Step } from './scenario.ts'

/** The actions a step can have; it has exactly one. */
export const ACTIONS = [
  'call',
  'resend',
  'retry',
  'burst',
  'operator',
  'mark',
  'events',
  'quiet',
  'until',
  'hook',
  'receive',
  'open',
  'submit',
] as const

export type Action = (typeof ACTIONS)[number]

export function actionsOf(step: Step): Action[] {
  return ACTIONS.filter((action) => step[action] !== undefined)
}

/** The name of a step in reports: its id, or its place. */
export function stepName(step: Step, index: number): string {
  return step.id ?? `step${index + 1}`
}

/** What a step expects, always as a list; plain acceptance counts as none here. */
export function expectationsOf(step: Step): Expectation[] {
  if (step.expect === undefined || step.expect === 'accepted') return []
  return Array.isArray(step.expect) ? step.expect : [step.expect]
}

export function observationsOf(step: Step): ObserveItem[] {
  const items = step.observe === undefined ? [] : Array.isArray(step.observe) ? step.observe : [step.observe]
  return items.map((item) => (typeof item === 'string' ? { gap: item } : item))
}

export function showsOf(expectation: Expectation): string[] {
  if (expectation.shows === undefined) return []
  return typeof expectation.shows === 'string' ? [expectation.shows] : expectation.shows
}

/** The call of a step, for every action; a resend has none of its own. */
export function callOf(step: Step): CallStep | undefined {
  return step.call ?? step.burst?.call ?? step.until?.call
}

/** The operation that records an order: the sale whose price the partner has collected. */
export const RECORD_ORDER = ENDPOINT_IDS.find((id) => ENDPOINTS[id].creates?.kind === 'order') as EndpointId

export function recordsOrder(call: CallStep | undefined): boolean {
  return call?.op === RECORD_ORDER
}

/** Whether an operation changes an order, so that one has to be recorded before. */
export function changesOrder(op: EndpointId): boolean {
  const { effect, inScenario } = endpointOf(op)
  return effect === 'write' && inScenario?.after === 'order'
}

/** How many sellable domains `needs` lists. */
export function sellableNeeded(scenario: Scenario): number {
  const counts = (scenario.needs ?? [])
    .map((need) => /^fixture\.sellable(?:\((\d+)\))?$/.exec(need))
    .filter((match) => match !== null)
  return Math.max(0, ...counts.map((match) => Number(match[1] ?? 1)))
}

/** Whether the step is meant to be refused. */
export function expectsRefusal(step: Step): boolean {
  return expectationsOf(step).some((expectation) => expectation.refused !== undefined)
}

/** Whether the step is to be refused for a missing scope, and not for who owns something. */
export function expectsForbidden(step: Step): boolean {
  const expectations = expectationsOf(step)
  return expectations.length > 0 && expectations.every(({ refused }) => refused === 'forbidden')
}

/** Whether the step is meant to meet a failure of the target. */
export function expectsServerError(step: Step): boolean {
  return expectationsOf(step).some(({ status }) => isFailure(status))
}

/** Whether the step may end either way: it observes and expects nothing. */
export function isOpenEnded(step: Step): boolean {
  return step.expect === undefined && step.observe !== undefined
}

/** The row of an operation, typed as a row rather than as this one. */
export function endpointOf(op: keyof typeof ENDPOINTS): Endpoint {
  return ENDPOINTS[op]
}

/** What a run reports of a scenario in any case. */
export function outlineOf({ id, file, scenario }: LoadedScenario): Outline {
  return { id, title: scenario.title, file, checks: declaredChecks(scenario) }
}

/** Every check that a scenario will report, in order and in every case: none may get lost. */
export function declaredChecks(scenario: Scenario): DeclaredCheck[] {
  return scenario.steps.flatMap(checksOfStep)
}

export function checksOfStep(step: Step, index: number): readonly DeclaredCheck[] {
  const shown = expectationsOf(step).flatMap(showsOf)
  if (step.twin_shows !== undefined) shown.push(step.twin_shows)
  const observed = observationsOf(step).map((item) => item.gap)
  return [...shown, ...observed].map((requirement) => ({ step: stepName(step, index), requirement }))
}

/** A duration of a scenario in milliseconds; null if there is none. */
export function durationOf(text: string | undefined): number | null {
  return text === undefined ? null : parseDuration(text)
}

/** The list that an operation answers with. */
export const LIST_OF: Partial<Record<EndpointId, RoleName>> = Object.fromEntries(
  ENDPOINT_IDS.flatMap((id): [EndpointId, RoleName][] => {
    const { list } = ENDPOINTS[id]
    return list ? [[id, list.items]] : []
  }),
)
