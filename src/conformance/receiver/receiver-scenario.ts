import type { CheckResult, DeclaredCheck, Outline } from '../result/result.ts'
import type { Courier } from './delivery.ts'

/** Scenarios for receivers are code; this is what they judge. */
const REQUIREMENTS_FILE = 'fixtures/receiver-requirements.yaml'

/** A part of a scenario: the checks that it declares, and the code that makes them. */
export interface ReceiverStep {
  checks: readonly DeclaredCheck[]
  run(courier: Courier): Promise<CheckResult[]>
}

export interface ReceiverScenario extends Outline {
  steps: readonly ReceiverStep[]
  /** What others send meanwhile would disturb it. */
  alone: boolean
}

/** @param id never renamed, as those of scenario files. */
export function receiverScenario(
  id: string,
  title: string,
  steps: readonly ReceiverStep[],
  { alone = false } = {},
): ReceiverScenario {
  return { id, title, file: REQUIREMENTS_FILE, checks: steps.flatMap(({ checks }) => checks), steps, alone }
}

/** The name of a step about an event type. */
export function stepOf(type: string): string {
  return type.replaceAll('.', '_')
}

/** One step that shows the same of several deliveries, each under its own name. */
export function courseStep(requirement: string, names: readonly string[], run: ReceiverStep['run']): ReceiverStep {
  return { checks: names.map((step) => ({ step, requirement })), run }
}
