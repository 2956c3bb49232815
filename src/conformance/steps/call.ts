import { sleep } from '../../clock/wall-clock.ts'
import { HEADERS } from '../../contract/headers.ts'
import { canBeProbed } from '../context/credentials.ts'
import type { ScenarioRun } from '../context/scenario-run.ts'
import type { Call, Turn } from '../context/send-call.ts'
import type { Step } from '../format/scenario.ts'
import { endpointOf } from '../format/step-facts.ts'
import { headerOf } from '../http/answer.ts'
import { isAuthenticationCode } from '../judge/authentication.ts'
import type { StepOutcome } from '../judge/pending-checks.ts'
import { Open } from '../result/open.ts'
import { callToSend } from './call-plan.ts'
import { concluded } from './judge-call.ts'
import { lookAgain, make, mayBeLate, withDoubt } from './send-until-sure.ts'

/** Makes a call, or sends one again, judges what comes back, and sees to the twin of a refusal. */
export async function runCall(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const call = await callToMake(scenarioRun, step)
  let turn = await make(scenarioRun, step, call)
  checkScope(scenarioRun, turn)
  scenarioRun.records.set(name, { kind: 'turns', turns: [turn] })
  if (mayBeLate(scenarioRun, step, turn))
    turn = await withDoubt(scenarioRun, await lookAgain(scenarioRun, step, name, call, turn))
  return concluded(scenarioRun, step, name, turn)
}

/**
 * Whether a credential holds a scope that no read can show. Its first call shows it.
 *
 * @throws Open (not_run) if that was refused as forbidden.
 */
function checkScope({ run }: ScenarioRun, { call: { op, credential }, answer }: Turn): void {
  if (op === null || credential.scopes !== null || answer?.status !== 403) return
  const { scopes } = endpointOf(op)
  if (scopes.some(canBeProbed) || run.evidence.of(op, credential.name) !== undefined) return
  const found = run.dialect.find('error.code', answer)
  if (found.found && typeof found.value === 'string' && isAuthenticationCode(found.value)) return
  throw Open.notRun(
    'needs-scope',
    `the credential ${credential.name} seems to lack the scope ${scopes.join(' or ')}: ${op} was answered 403`,
  )
}

async function callToMake(scenarioRun: ScenarioRun, step: Step): Promise<Call> {
  const { again, after } = step.call ?? {}
  if (again !== undefined) {
    const { call, signed } = earlierTurn(scenarioRun, again)
    const { op, plan, credential } = call
    return { op, plan, credential, exactly: signed, twin: { op, plan, credential } }
  }
  if (after === undefined) return callToSend(scenarioRun, step)
  const call = await callAfter(scenarioRun, after, earlierTurn(scenarioRun, after))
  return { ...call, twin: call }
}

function earlierTurn(scenarioRun: ScenarioRun, id: string): Turn {
  const record = scenarioRun.records.get(id)
  const turn = record?.kind === 'turns' ? record.turns[0] : undefined
  if (!turn) throw Open.unproven(`step ${id}, which is sent again, was not sent`)
  return turn
}

/** No scenario waits longer for a target that asked for it. */
const LONGEST_SECONDS = 60
/** A timer may ring a little early. */
const SLACK_MS = 50

/**
 * Waits for as long as an answer asked, and returns its call to be made again: with a nonce of its own, and without any
 * patience for a further 429.
 *
 * @throws Open (inconclusive) if the answer does not say how long.
 */
async function callAfter(scenarioRun: ScenarioRun, step: string, turn: Turn): Promise<Call> {
  const seconds = turn.answer ? headerOf(turn.answer, HEADERS.retryAfter) : undefined
  if (seconds === undefined || !/^\d{1,4}$/.test(seconds) || Number(seconds) > LONGEST_SECONDS) {
    throw Open.unproven(`the answer of step ${step} names no whole seconds up to ${LONGEST_SECONDS} in Retry-After`)
  }
  const { run, caller } = scenarioRun
  const waitMs = Number(seconds) * 1_000 + SLACK_MS
  run.onWait(caller, 'the target asked for it in Retry-After', waitMs)
  await sleep(waitMs, run.signal)
  const { op, plan, credential } = turn.call
  return { op, plan, credential, wants429: true }
}
