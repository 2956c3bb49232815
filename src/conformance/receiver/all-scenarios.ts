import { AT_THE_SAME_TIME, courseScenarios, FIRST } from './course-scenarios.ts'
import { EFFECTS_SCENARIOS, OBSERVING_SCENARIOS } from './effects-scenarios.ts'
import { forgedScenarios } from './forged-scenarios.ts'
import type { ReceiverOptions } from './receiver-options.ts'
import type { ReceiverScenario } from './receiver-scenario.ts'
import { SECRECY } from './secrecy-scenario.ts'
import { ownEventsScenario, SOUND_SCENARIOS } from './sound-scenarios.ts'

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
    ...courseScenarios(),
    ...OBSERVING_SCENARIOS,
    ...(options.effectsUrl === undefined ? [] : EFFECTS_SCENARIOS),
    SECRECY,
  ]
}
