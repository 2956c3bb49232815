import type { EndpointId } from '../../contract/endpoints.ts'
import { identityOf, namesALease, OF_A_LEASE } from '../context/earlier-items.ts'
import type { ScenarioRun } from '../context/run.ts'
import { converse } from '../context/send-call.ts'
import type { RoleName } from '../format/roles.ts'
import type { CallStep, Step } from '../format/scenario.ts'
import { callOf, expectationsOf, expectsForbidden, LIST_OF } from '../format/step-facts.ts'
import { isAccepted } from '../http/exchange.ts'
import { isOpen } from '../result/open.ts'
import { callTo } from '../signing/sign-call.ts'
import { wholeList } from './all-pages.ts'
import { filledCall } from './call-plan.ts'

/**
 * Reads the rows that are on the target before a scenario begins, if it looks for one by the name of a domain that it will sell.
 * A name that an earlier run or another caller has sold may be for sale again. Lists which need no name are read once, as long as this
 * run has not sold it.
 */
export async function readPast(scenarioRun: ScenarioRun): Promise<ScenarioRun['past']> {
  const past = new Map<EndpointId, ReadonlySet<string> | null>()
  if (!scenarioRun.leases.some(({ listed }) => listed)) return past
  for (const step of scenarioRun.scenario.steps) {
    const call = callOf(step)
    if (call?.op === undefined || !looksForALease(step, call)) continue
    const rows = await rowsBefore(scenarioRun, step, { op: call.op, query: queryByLease(call), all_pages: true })
    const known = past.get(call.op)
    past.set(call.op, rows && known !== null ? new Set([...(known ?? []), ...rows]) : null)
  }
  return past
}

/** The query of a call as far as it names a domain that the scenario sells. */
function queryByLease({ query }: CallStep): Record<string, string> {
  const pairs = Array.isArray(query) ? query : Object.entries(query ?? {})
  return Object.fromEntries(pairs.filter(([, value]) => String(value).includes(OF_A_LEASE))) as Record<string, string>
}

/** Whether a step finds rows of a list by the name of a domain that the scenario sells. */
function looksForALease(step: Step, call: CallStep): boolean {
  if (call.op === undefined || call.op === 'events.list' || LIST_OF[call.op] === undefined) return false
  return Object.keys(queryByLease(call)).length > 0 || expectationsOf(step).some(namesALease)
}

function rowsBefore(scenarioRun: ScenarioRun, step: Step, call: CallStep & { op: EndpointId }) {
  const { past } = scenarioRun.run
  const credential = scenarioRun.run.credentials.pick(step.as, expectsForbidden(step))
  // The query of a call is a template here: two calls of one scenario may ask for different domains of it.
  const asked = Object.values(call.query ?? {})
  const names = asked.length > 0 ? scenarioRun.leases.map(({ domain }) => domain) : []
  const key = [call.op, credential.name, ...names, ...asked].join(' ')
  const isSecondHand = scenarioRun.leases.some((lease) => lease.isSecondHand)
  const rows = (isSecondHand ? undefined : past.get(key)) ?? readRows(scenarioRun, credential, call)
  past.set(key, rows)
  return rows
}

async function readRows(
  scenarioRun: ScenarioRun,
  credential: ScenarioRun['run']['credentials']['main'],
  call: CallStep & { op: EndpointId },
): Promise<ReadonlySet<string> | null> {
  const { op } = call
  const { dialect } = scenarioRun.run
  const read = await filledCall(scenarioRun, call, credential).catch(unlessNotRun(callTo(op, credential)))
  const first = await converse(scenarioRun, read)
  // If the runner does not know how to reach the next page, the scenario will not get there either.
  const { answer } = await wholeList(scenarioRun, first).catch(unlessNotRun(first))
  if (!isAccepted(answer)) return null
  const found = dialect.items(LIST_OF[op] as RoleName, answer)
  return new Set((found.found ? found.items : []).map((item) => identityOf(dialect, op, item)))
}

function unlessNotRun<Value>(otherwise: Value): (error: unknown) => Value {
  return (error) => {
    if (isOpen(error, 'not_run')) return otherwise
    throw error
  }
}
