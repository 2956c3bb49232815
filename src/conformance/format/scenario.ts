import type { TypeOf } from '../../contract/schema.ts'
import type { EFFECTS, ELSE_RUNG, SCENARIO, STEP } from './scenario-schema.ts'
import type { AT_ONCE, BODY, CALL, CREDENTIAL, PAGE } from './schema-calls.ts'
import type { HOOK } from './schema-events.ts'
import type { OBSERVATION } from './schema-observation.ts'

export type { Expectation } from './expectations/expectation.ts'
export type { Matcher, Template } from './values.ts'

/** A scenario file as data: the types are those of its schema, where each key is described. */
export type Scenario = TypeOf<typeof SCENARIO>
export type Effects = TypeOf<typeof EFFECTS>
export type Step = TypeOf<typeof STEP>
export type CredentialChoice = TypeOf<typeof CREDENTIAL>
export type CallStep = TypeOf<typeof CALL>
export type AtOnce = TypeOf<typeof AT_ONCE>
export type BodySpec = TypeOf<typeof BODY>
export type OperatorStep = NonNullable<Step['operator']>
export type ElseRung = TypeOf<typeof ELSE_RUNG>
export type HookStep = TypeOf<typeof HOOK>
export type PageStep = TypeOf<typeof PAGE>
export type ObserveItem = TypeOf<typeof OBSERVATION>

/** A checked scenario and where it came from. */
export interface LoadedScenario {
  /** Path under scenarios/ without its ending, e.g. `auth/nonce-reuse`; of a row with its name, `auth/nonce-reuse[webhooks.put]`. */
  id: string
  /** File as it was given to the loader. */
  file: string
  scenario: Scenario
  /** The file as it is written, where this is one row of it. */
  written?: Scenario
}
