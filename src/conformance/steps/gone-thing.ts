import type { EndpointId } from '../../contract/endpoints.ts'
import type { CallExchange, ScenarioRun } from '../context/run.ts'
import { converse, PAUSES_MS, probe } from '../context/send-call.ts'
import { failure } from '../format/expectations/check.ts'
import type { Step } from '../format/scenario.ts'
import { isAccepted } from '../http/exchange.ts'
import { type PlacedCheck, placed } from '../judge/placed-check.ts'
import { answerInWords } from '../judge/seen.ts'
import type { Call } from '../signing/sign-call.ts'

/** Reads of one thing, with the requirement that its maker can read it. */
const READS_OF_ONE: Partial<Record<EndpointId, string>> = { 'orders.detail': 'ORD-09', 'brokerage.detail': 'BRK-04' }

/** The violation where the target says that it does not have what it made in this scenario: twice, with a valid read between. */
export async function goneThing(
  scenarioRun: ScenarioRun,
  step: Step,
  name: string,
  { call, answer, id }: CallExchange,
): Promise<PlacedCheck | null> {
  const requirement = READS_OF_ONE[call.op as EndpointId]
  if (requirement === undefined || answer?.status !== 404 || call.invalid || step.observe !== undefined) return null
  if (!madeHere(scenarioRun, call)) return null
  await scenarioRun.run.pause(PAUSES_MS[0] as number)
  const between = await probe(scenarioRun, call.credential)
  const again = await converse(scenarioRun, call)
  if (again.answer?.status !== 404 || !isAccepted(between)) return null
  const expected = scenarioRun.run.registry.requirements.get(requirement)?.text ?? requirement
  const note = 'the target answered that it had made this, and then twice that it does not have it'
  return placed(name, requirement, expected, id, failure(answerInWords(scenarioRun, answer), note))
}

/** Whether the same credential made what the path names, in an earlier step. */
function madeHere({ records }: ScenarioRun, { credential, path }: Call): boolean {
  const id = decodeURIComponent(path.split('/').at(-1) ?? '')
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
