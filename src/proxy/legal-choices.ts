import { DEFAULT_GAPS, GAP_IDS, type GapChoices, gapOf } from '../contract/choices.ts'
import type { EndpointId } from '../contract/endpoints.ts'
import { isObject } from '../contract/is-object.ts'
import { answerNames, inStates, parameterNames, type Renaming, stateNames } from '../contract/wire-names.ts'

/** The usual choices but for one: each legal value of each open point. */
const CHOICES: readonly GapChoices[] = GAP_IDS.flatMap((id) =>
  gapOf(id).values.map((value) => ({ ...DEFAULT_GAPS, [id]: value })),
)

/** Our names of the states that a sandbox may call otherwise. */
const OWN_STATES: ReadonlyMap<string, string> = new Map(CHOICES.flatMap((gaps) => reversed(stateNames(gaps))))

/** Every name that a sandbox may have for the query parameters of an endpoint, each with our usual one. */
export function legalParameters(endpoint: EndpointId): ReadonlyMap<string, string> {
  return new Map(CHOICES.flatMap((gaps) => reversed(parameterNames(endpoint, gaps))))
}

/** The same for the outermost fields of its answers. */
export function legalFields(endpoint: EndpointId): ReadonlyMap<string, string> {
  return new Map(CHOICES.flatMap((gaps) => reversed(answerNames(endpoint, gaps))))
}

/**
 * An answer with our usual name of each field and state that a sandbox may call otherwise.
 *
 * @param fields as `legalFields` gives them.
 */
export function inUsualNames(json: unknown, fields: ReadonlyMap<string, string>): unknown {
  const own = inStates(json, OWN_STATES)
  if (!isObject(own)) return own
  return Object.fromEntries(Object.entries(own).map(([name, value]) => [fields.get(name) ?? name, value]))
}

function reversed(names: Renaming): [chosen: string, ours: string][] {
  return [...names].map(([ours, chosen]) => [chosen, ours])
}
