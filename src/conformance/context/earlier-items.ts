import type { EndpointId } from '../../contract/endpoints.ts'
import type { Dialect } from '../dialect/dialect.ts'
import type { Expectation } from '../format/expectations/expectation.ts'
import { isRole, ROLE_NAMES } from '../format/roles.ts'
import { LIST_OF } from '../format/step-facts.ts'
import { Open } from '../result/open.ts'
import type { ScenarioRun } from './run.ts'

export const OF_A_LEASE = '${sellable'

/**
 * A list without what was there before, where it is asked about something that this scenario sold.
 *
 * @throws Open (inconclusive) if the runner does not know what was there before.
 */
export function withoutPast(
  { past, run }: Pick<ScenarioRun, 'past' | 'run'>,
  op: EndpointId | null,
  items: readonly unknown[],
): readonly unknown[] {
  const before = op === null ? undefined : past.get(op)
  if (op === null || before === undefined) return items
  if (before === null) throw Open.unproven(`what ${op} listed before this scenario could not be read`)
  return before.size === 0 ? items : items.filter((item) => !before.has(rowIdentity(run.dialect, op, item)))
}

/** Whether an expectation names a domain that the scenario sells. */
export function namesALease({ includes, excludes, every }: Expectation): boolean {
  return [includes, excludes, every].some((group) =>
    Object.entries(group ?? {}).some(
      ([role, matcher]) => role.endsWith('.domain') && JSON.stringify(matcher).includes(OF_A_LEASE),
    ),
  )
}

/** What never changes about a row: its id, else that of its order, else all of it but its status. */
export function rowIdentity(dialect: Dialect, op: EndpointId, json: unknown): string {
  const prefix = prefixOf(op)
  for (const name of ['public_id', 'id', 'order'].map((key) => `${prefix}.${key}`)) {
    const found = isRole(name) ? dialect.find(name, { json, op }) : null
    if (found?.found) return String(found.value)
  }
  const status = `${prefix}.status`
  const found = isRole(status) ? dialect.find(status, { json, op }) : null
  return JSON.stringify(json, (_, value: unknown) => (found?.found && value === found.value ? '' : value))
}

/** `transaction`, of `transactions.list`. */
function prefixOf(op: EndpointId): string {
  const plural = String(LIST_OF[op]).split('.')[0] ?? ''
  const singular = plural.replace(/s$/, '')
  return ROLE_NAMES.some((name) => name.startsWith(`${singular}.`)) ? singular : plural
}
