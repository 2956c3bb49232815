import { sleep } from '../../clock/wall-clock.ts'
import { HEADERS } from '../../contract/headers.ts'
import { canBeProbed } from '../context/credentials.ts'
import type { CallExchange, ScenarioRun } from '../context/run.ts'
import type { Step } from '../format/scenario.ts'
import { endpointOf } from '../format/step-facts.ts'
import { headerOf } from '../http/exchange.ts'
import { isAuthenticationCode } from '../judge/authentication.ts'
import type { StepOutcome } from '../judge/placed-check.ts'
import { Open } from '../result/open.ts'
import { type Call, plainCall } from '../signing/sign-call.ts'
import { callToSend } from './call-plan.ts'
import { concluded } from './judge-call.ts'
import { lookAgain, make, mayBeLate, withDoubt } from './send-until-sure.ts'

/** Makes a call, or sends one again, judges what comes back, and sees to the twin of a refusal. */
export async function runCall(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const call = await callToMake(scenarioRun, step)
  let exchange = await make(scenarioRun, step, call)
  checkScope(scenarioRun, exchange)
  scenarioRun.records.set(name, { kind: 'calls', exchanges: [exchange] })
  if (mayBeLate(scenarioRun, step, exchange))
    exchange = await withDoubt(scenarioRun, await lookAgain(scenarioRun, step, name, call, exchange))
  return concluded(scenarioRun, step, name, exchange)
}

/**
 * Whether a credential holds a scope that no read can show. Its first call shows it.
 *
 * @throws Open (not_run) if that was refused as forbidden.
 */
function checkScope({ run }: ScenarioRun, { call: { op, credential }, answer }: CallExchange): void {
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
    const earlier = earlierExchange(scenarioRun, again)
    const twin = plainCall(earlier.call)
    return { ...twin, exactly: earlier, twin }
  }
  if (after === undefined) return callToSend(scenarioRun, step)
  const call = await callAfter(scenarioRun, after, earlierExchange(scenarioRun, after))
  return { ...call, twin: call }
}

function earlierExchange(scenarioRun: ScenarioRun, id: string): CallExchange {
  const record = scenarioRun.records.get(id)
  const exchange = record?.kind === 'calls' ? record.exchanges[0] : undefined
  if (!exchange) throw Open.unproven(`step ${id}, which is sent again, was not sent`)
  return exchange
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
async function callAfter(scenarioRun: ScenarioRun, step: string, exchange: CallExchange): Promise<Call> {
  const seconds = exchange.answer ? headerOf(exchange.answer, HEADERS.retryAfter) : undefined
  if (seconds === undefined || !/^\d{1,4}$/.test(seconds) || Number(seconds) > LONGEST_SECONDS) {
    throw Open.unproven(`the answer of step ${step} names no whole seconds up to ${LONGEST_SECONDS} in Retry-After`)
  }
  const { run, id } = scenarioRun
  const waitMs = Number(seconds) * 1_000 + SLACK_MS
  run.onWait(id, 'the target asked for it in Retry-After', waitMs)
  await sleep(waitMs, run.signal)
  return { ...plainCall(exchange.call), wants429: true }
}
