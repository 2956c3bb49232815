import type { Effects, LoadedScenario, Step } from '../format/scenario.ts'
import type { DeliverStep } from '../signing/delivery.ts'

/** Scenarios for receivers are code; this is what they judge. */
const REQUIREMENTS_FILE = 'fixtures/receiver-requirements.yaml'

/** What others send meanwhile would disturb it. */
export const ALONE: Effects = { exclusive: true }

/** @param id never renamed, as those of scenario files. */
export function receiverScenario(
  id: string,
  title: string,
  steps: readonly Step[],
  effects: Effects = {},
): LoadedScenario {
  const scenario = { title, effects, steps: [...steps], proves: [] }
  return { id, file: REQUIREMENTS_FILE, scenario }
}

/** The name of a step about an event type. */
export function stepOf(type: string): string {
  return type.replaceAll('.', '_')
}

/** One step that shows the same of several deliveries, each under its own name. */
export function courseStep(requirement: string, names: readonly string[], carryOut: DeliverStep['carryOut']): Step {
  return { deliver: { checks: names.map((step) => ({ step, requirement })), carryOut } }
}
