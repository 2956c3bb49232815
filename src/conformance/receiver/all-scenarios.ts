import { fits } from '../../contract/words.ts'
import { AT_THE_SAME_TIME, COURSE_SCENARIOS, FIRST, ownEventsScenario } from './course-scenarios.ts'
import { EFFECTS_SCENARIOS } from './effects-scenarios.ts'
import { forgedScenarios } from './forged-scenarios.ts'
import { OBSERVING_SCENARIOS } from './observing-scenarios.ts'
import type { ReceiverOptions } from './receiver-run.ts'
import type { ReceiverScenario } from './scenario.ts'
import { SECRECY } from './secrecy-scenario.ts'
import { SOUND_SCENARIOS } from './sound-scenarios.ts'

/** All scenarios there are for these options, the first one first. */
export function receiverScenarios(
  options: Pick<ReceiverOptions, 'secret' | 'ownEvents' | 'effectsUrl'>,
): ReceiverScenario[] {
  return [
    FIRST,
    AT_THE_SAME_TIME,
    ...SOUND_SCENARIOS,
    ...ownEventsScenario(options.ownEvents ?? []),
    ...forgedScenarios(options.secret),
    ...COURSE_SCENARIOS,
    ...OBSERVING_SCENARIOS,
    ...(options.effectsUrl === undefined ? [] : EFFECTS_SCENARIOS),
    SECRECY,
  ]
}

/** Whether a selection has it. */
export function isSelected(
  { id, checks }: ReceiverScenario,
  { only, requirements }: Pick<ReceiverOptions, 'only' | 'requirements'>,
): boolean {
  if (only && !only.some((pattern) => fits(pattern, id))) return false
  return !requirements || checks.some(({ requirement }) => requirements.includes(requirement))
}
