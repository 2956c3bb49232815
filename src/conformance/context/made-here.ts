import type { EndpointId } from '../../contract/endpoints.ts'
import { isAccepted } from '../http/exchange.ts'
import { lastSegment } from '../http/last-segment.ts'
import type { Call } from '../signing/sign-call.ts'
import { type CallExchange, exchangesOf, type ScenarioRun } from './run.ts'

/** What reads one order or case, and which requirement says that it can be read. */
export const READS_OF_ONE: Partial<Record<EndpointId, string>> = {
  'orders.detail': 'ORD-09',
  'brokerage.detail': 'BRK-04',
}

/** Whether the target says that it does not have what the same credential made in an earlier step of the scenario. */
export function lacksWhatItMade(scenarioRun: ScenarioRun, { call, answer }: CallExchange): boolean {
  if (answer?.status !== 404 || call.op === null || READS_OF_ONE[call.op] === undefined) return false
  return madeHere(scenarioRun, call)
}

function madeHere(scenarioRun: ScenarioRun, { credential, path }: Call): boolean {
  const id = lastSegment(path)
  return exchangesOf(scenarioRun).some(
    ({ call: made, answer }) =>
      made.method === 'POST' &&
      made.credential.name === credential.name &&
      isAccepted(answer) &&
      JSON.stringify(answer?.json ?? null).includes(JSON.stringify(id)),
  )
}
