import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { createClient } from '../context/run-context.ts'
import type { Services } from '../context/scenario-run.ts'
import { converse } from '../context/send-call.ts'
import type { Step } from '../format/scenario.ts'
import { callOf } from '../format/step-names.ts'
import { NotRun, Unproven } from '../result/signals.ts'
import { planOf } from '../signing/sign-plan.ts'
import type { Target } from '../target/target.ts'

/**
 * The lists that steps ask for, of a target whose file places nothing. The runner reads them once before it judges anything:
 * as long as little is on them, they show best which value is where.
 */
export function listsToReadFirst({ dialect, operator }: Target, steps: readonly Step[]): EndpointId[] {
  // A sandbox of ours returns its places through its operator.
  if (operator?.url || Object.keys(dialect.roles).length > 0) return []
  const asked = new Set(steps.flatMap((step) => callOf(step)?.op ?? []))
  return [...asked].filter((op) => ENDPOINTS[op].openRoles !== null && ENDPOINTS[op].list !== null)
}

/** What a list that cannot be read would have shown, the scenarios see. */
export async function readListsFirst(services: Services, steps: readonly Step[]): Promise<void> {
  const { run, credentials } = services
  const client = createClient(run, 'dialect', 'l')
  try {
    for (const op of listsToReadFirst(run.target, steps))
      await converse(client, { op, plan: planOf(op), credential: credentials.main })
  } catch (error) {
    if (!(error instanceof NotRun || error instanceof Unproven)) throw error
  }
}
