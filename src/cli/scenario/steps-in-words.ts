import { describeExpectation } from '../../conformance/describe.ts'
import { isOperatorAction, OPERATOR_ACTIONS } from '../../conformance/operator-actions.ts'
import type { CallStep, Scenario, Step } from '../../conformance/scenario.ts'
import { callOf, endpointOf, expectationsOf, observationsOf, showsOf, stepName } from '../../conformance/steps.ts'

/** A step for a person: what is done, and what is asked of it. */
export interface StepInWords {
  name: string
  does: string
  /** One line each: `must be ...`, `shows ID: ...`, `records ID`. */
  asks: string[]
}

/** @example stepsInWords(scenario)[0] // { name: 'search', does: 'calls domains.search', asks: ['shows AUTH-01: accepted'] } */
export function stepsInWords(scenario: Scenario): StepInWords[] {
  return scenario.steps.map((step, index) => ({ name: stepName(step, index), does: deedOf(step), asks: asksOf(step) }))
}

function deedOf(step: Step): string {
  const who = step.as === undefined || step.as === 'main' ? '' : ` as ${words(step.as)}`
  const fault = step.fault === undefined ? '' : `, with one thing wrong: ${words(step.fault)}`
  return `${actionOf(step)}${who}${fault}`
}

function actionOf(step: Step): string {
  const call = callOf(step)
  if (step.burst && call)
    return `sends ${step.burst.lanes} calls at once (${callInWords(call)})${step.burst.share ? `, which share ${step.burst.share.join(' and ')}` : ''}`
  if (step.until && call) return `repeats ${callInWords(call)} until what is expected comes`
  if (call) return `calls ${callInWords(call)}`
  if (step.resend !== undefined) return `sends the request of ${step.resend} again, byte for byte`
  if (step.retry !== undefined) return `makes the call of ${step.retry} anew once its Retry-After has passed`
  if (step.operator) return operatorInWords(step)
  if (step.mark) return 'remembers where the event history ends'
  if (step.events) return `reads the event history${ofType(step.events.type)}${where(step.events.where)}`
  if (step.quiet) return `waits for what must not come: ${step.quiet.events}${where(step.quiet.where)}`
  if (step.hook) return `has the receiver answer ${words(step.hook.answer)} from here on`
  if (step.receive) return `waits for deliveries${ofType(step.receive.type)}${where(step.receive.where)}`
  if (step.open !== undefined) return `opens the page ${typeof step.open === 'string' ? step.open : words(step.open)}`
  if (step.submit) return `presses the button "${step.submit.button}" of a page`
  return 'does nothing'
}

function callInWords({ op, method, target, query, body }: CallStep): string {
  if (op === undefined) return `${method} ${target}`
  const route = endpointOf(op)
  const extras = [query && `query ${words(query)}`, body && `body ${words(body)}`].filter(Boolean)
  return `${op} (${method ?? route.method} ${route.path})${extras.length > 0 ? ` with ${extras.join(' and ')}` : ''}`
}

function operatorInWords(step: Step): string {
  const [[name, argument] = ['']] = Object.entries(step.operator ?? {})
  const about = isOperatorAction(name) ? OPERATOR_ACTIONS[name].about.split(':')[0] : name
  const otherwise = step.else === undefined ? '' : `; where nobody can: ${step.else.map(words).join(', then ')}`
  return `operator: ${about} (${name}: ${words(argument)})${otherwise}`
}

function asksOf(step: Step): string[] {
  const expectations = expectationsOf(step).map((expectation) => {
    const ids = showsOf(expectation)
    const what = describeExpectation(expectation, step)
    return ids.length === 0 ? `has to hold for the rest to mean anything: ${what}` : `shows ${ids.join(', ')}: ${what}`
  })
  const twin =
    step.twin_shows === undefined ? [] : [`shows ${step.twin_shows}: the same call without the fault is accepted`]
  const records = observationsOf(step).map(
    ({ gap, take = 'outcome', as }) => `records ${gap}: ${take}${as === undefined ? '' : ` (${as})`}`,
  )
  return [...expectations, ...twin, ...records]
}

const ofType = (type: string | undefined) => (type === undefined ? '' : ` for ${type}`)
const where = (wanted: object | undefined) => (wanted === undefined ? '' : ` where ${words(wanted)}`)

/** A value as a scenario writes it on one line. */
function words(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return `[${value.map(words).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${key}: ${words(inner)}`)
    .join(', ')} }`
}
