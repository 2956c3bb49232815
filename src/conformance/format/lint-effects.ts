import { ENDPOINT_IDS, ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import type { Report } from '../yaml/read-yaml.ts'
import type { Effects, Scenario, Step } from './scenario.ts'
import { callOf, expectsRefusal } from './step-facts.ts'

type Counted = Exclude<keyof Effects, 'clock' | 'settlement' | 'exclusive'>

/** The effect in which each operation that leaves something behind is counted. */
const COUNTED: Readonly<Partial<Record<EndpointId, Counted>>> = Object.fromEntries(
  ENDPOINT_IDS.flatMap((id): [EndpointId, Counted][] => {
    const { creates } = ENDPOINTS[id]
    return creates ? [[id, `${creates.kind}s`]] : []
  }),
)

/** Operator actions that reach beyond the scenario, with the effect that has to announce them. */
export const FAR_REACHING = [
  { effect: 'clock', actions: ['advance_clock', 'skew_clock'] },
  { effect: 'settlement', actions: ['settle', 'payout'] },
  { effect: 'exclusive', actions: ['rate_limit', 'fail_next'] },
] as const

/** A scenario announces what it leaves behind, so that budgets hold and nothing runs beside it that it would disturb. */
export function lintEffects(scenario: Scenario, report: Report): void {
  for (const [op, effect] of Object.entries(COUNTED)) {
    const accepted = scenario.steps.findIndex((step) => callOf(step)?.op === op && !expectsRefusal(step))
    if (accepted !== -1 && (scenario.effects?.[effect] ?? 0) === 0)
      report(['steps', accepted], `effects must say how many ${effect} this leaves behind`)
  }
  for (const { effect, actions } of FAR_REACHING) {
    const first = scenario.steps.findIndex((step) => asksFor(step, actions))
    if (first !== -1 && scenario.effects?.[effect] !== true)
      report(['steps', first], `effects must say ${effect}: true, so that nothing runs beside it`)
  }
}

/** How much the steps leave behind at most, as far as their operations say. */
export function effectsOf(steps: readonly Step[]): Effects {
  const effects: Effects = {}
  for (const step of steps) {
    const effect = COUNTED[callOf(step)?.op as EndpointId]
    if (effect !== undefined && !expectsRefusal(step)) effects[effect] = (effects[effect] ?? 0) + 1
  }
  return effects
}

function asksFor({ operator }: Step, actions: readonly string[]): boolean {
  return actions.some((action) => operator?.[action] !== undefined)
}
