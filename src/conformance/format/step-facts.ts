import { parseDuration } from '../../clock/duration.ts'
import { ENDPOINT_IDS, ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import type { DeclaredCheck, Outline } from '../result/result.ts'
import { isFailure } from './expectations/outcomes.ts'
import type { RoleName } from './roles.ts'
import type { AtOnce, CallStep, Expectation, LoadedScenario, ObserveItem, Scenario, Step } from './scenario.ts'
import { ACTIONS, type Action, type Produced, STEP_KINDS } from './step-kinds.ts'

/** The kinds whose keys a step has; it has exactly one. */
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

/** What a step produces, for expectations to be about; null if nothing. */
export function producedBy(step: Step): Produced | null {
  const [action] = actionsOf(step)
  return action === undefined ? null : STEP_KINDS[action].produces(step[action] as never)
}

/** The call of a step; one that repeats the call of another step has none of its own. */
export function callOf({ call }: Step): CallStep | undefined {
  return call === undefined || call.again !== undefined || call.after !== undefined ? undefined : call
}

/** Whether a step makes one call of its own, once: it may have a fault. */
export function isPlainCall(step: Step): boolean {
  const call = callOf(step)
  return call !== undefined && call.at_once === undefined && call.until === undefined
}

/** How many calls are made at once, and what they have in common. */
export function atOnceOf({ at_once: atOnce = 1 }: CallStep): AtOnce {
  return typeof atOnce === 'number' ? { calls: atOnce } : atOnce
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
