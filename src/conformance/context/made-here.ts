import { isAccepted } from '../http/exchange.ts'
import { lastSegment } from '../http/last-segment.ts'
import type { Call } from '../signing/sign-call.ts'
import type { ScenarioRun } from './run.ts'

/** Whether the same credential made what the path names, in an earlier step of the scenario. */
export function madeHere({ records }: ScenarioRun, { credential, path }: Call): boolean {
  const id = lastSegment(path)
  return [...records.values()].some(
    (record) =>
      record.kind === 'calls' &&
      record.exchanges.some(
        ({ call: made, answer }) =>
          made.method === 'POST' &&
          made.credential.name === credential.name &&
          isAccepted(answer) &&
          JSON.stringify(answer?.json ?? null).includes(JSON.stringify(id)),
      ),
  )
}
