import { expect, test } from 'vitest'
import { startBreakable } from '../support/breakable.ts'
import { failStatement, STATEMENT_FAULTS, type StatementFault } from '../support/broken-statements.ts'
import { type Act, faultsAtEvery } from '../support/every-fault.ts'
import { OPERATIONS, WORLD_ACTS } from './operator-acts.ts'
import { CALLS, VISITS } from './partner-acts.ts'

const ACTS: readonly Act[] = [...CALLS, ...VISITS, ...OPERATIONS, ...WORLD_ACTS]

const on = await startBreakable(null)

test.each(ACTS.map((act) => [act.name, act] as const))(
  'nothing is half done when a statement of %s fails',
  async (_name, act) => {
    const failAt = (n: number) => failStatement(n, STATEMENT_FAULTS[n % STATEMENT_FAULTS.length] as StatementFault)
    expect(await faultsAtEvery(on, act, failAt, null)).toEqual([])
  },
)
