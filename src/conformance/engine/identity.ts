import { createHash } from 'node:crypto'
import type { RequirementRegistry } from '../format/requirements.ts'
import type { LoadedScenario } from '../format/scenario.ts'
import { byId, type RunIdentity } from '../result/result.ts'
import type { Target } from '../target/target.ts'

/**
 * What makes two runs comparable. Scenarios and requirements are taken by their content, so a file that moved or was only
 * formatted again gives the same digest; of the target everything counts but secrets and tokens.
 *
 * @example identityOf({ runId: '3f2a', registry, scenarios, target }).edition // 'b1946ac92492'
 */
export function identityOf(run: {
  runId: string
  registry: RequirementRegistry
  scenarios: readonly LoadedScenario[]
  target: Target
}): RunIdentity {
  const { registry } = run
  return {
    runId: run.runId,
    edition: editionOf(registry),
    scenarios: digest([...run.scenarios].sort(byId).map(({ id, scenario }) => [id, scenario])),
    target: digest(withoutSecrets(run.target)),
  }
}

/** By which edition of the requirements something was judged. */
export function editionOf({ requirements, conflicts, unobservable }: RequirementRegistry): string {
  return digest([[...requirements], conflicts, [...unobservable]])
}

function withoutSecrets({ credentials, operator, knownSecrets: _, ...target }: Target): unknown {
  return {
    ...target,
    credentials: credentials.map(({ secret: __, ...rest }) => rest),
    operator: operator && { url: operator.url, world: operator.world, actions: Object.keys(operator.actions).sort() },
  }
}

const DIGEST_CHARACTERS = 12

/** A short word for a JSON value, the same for the same value in any order of its keys. */
export function digest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(inKeyOrder(value)))
    .digest('hex')
    .slice(0, DIGEST_CHARACTERS)
}

/** The same value with the keys of each object in one fixed order. */
function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, inKeyOrder(inner)]))
}
