import type { EndpointId } from '../../contract/endpoints.ts'
import type { ScenarioRun } from '../context/scenario-run.ts'
import { type Call, converse, PAUSES_MS, type Turn } from '../context/send-call.ts'
import { probe } from '../context/target-clock.ts'
import type { Step } from '../format/scenario.ts'
import { isAccepted } from '../http/answer.ts'
import { answerInWords, failure } from '../judge/judgment.ts'
import { type PendingCheck, pendingCheck } from '../judge/pending-checks.ts'

/** Reads of one thing, with the requirement that the partner that made it can read it. */
const READS_OF_ONE: Partial<Record<EndpointId, string>> = { 'orders.detail': 'ORD-09', 'brokerage.detail': 'BRK-04' }

/** The violation where the target says that it does not have what it made in this scenario: twice, with a valid read between. */
export async function goneThing(
  scenarioRun: ScenarioRun,
  step: Step,
  name: string,
  { call, answer, exchange }: Turn,
): Promise<PendingCheck | null> {
  const requirement = READS_OF_ONE[call.op as EndpointId]
  if (requirement === undefined || answer?.status !== 404 || call.invalid || step.observe !== undefined) return null
  if (!madeHere(scenarioRun, call)) return null
  await scenarioRun.run.pause(PAUSES_MS[0] as number)
  const between = await probe(scenarioRun, call.credential)
  const again = await converse(scenarioRun, call)
  if (again.answer?.status !== 404 || !isAccepted(between)) return null
  const expected = scenarioRun.run.registry.requirements.get(requirement)?.text ?? requirement
  const note = 'the target answered that it had made this, and then twice that it does not have it'
  return pendingCheck(name, requirement, expected, exchange.id, failure(answerInWords(scenarioRun, answer), note))
}

/** Whether the same credential made what the path names, in an earlier step. */
function madeHere({ records }: ScenarioRun, { credential, plan }: Call): boolean {
  const id = decodeURIComponent(plan.path.split('/').at(-1) ?? '')
  return [...records.values()].some(
    (record) =>
      record.kind === 'turns' &&
      record.turns.some(
        ({ call: made, answer }) =>
          made.plan.method === 'POST' &&
          made.credential.name === credential.name &&
          isAccepted(answer) &&
          JSON.stringify(answer?.json ?? null).includes(JSON.stringify(id)),
      ),
  )
}
