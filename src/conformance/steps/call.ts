import { canBeProbed } from '../context/credentials.ts'
import type { ScenarioRun } from '../context/scenario-run.ts'
import { type Attempt, isTrouble, type Turn } from '../context/send-call.ts'
import type { Expectation, Step } from '../format/scenario.ts'
import {
  endpointOf,
  expectationsOf,
  expectsForbidden,
  expectsRefusal,
  expectsServerError,
  isOpenEnded,
  showsOf,
} from '../format/step-names.ts'
import { isAccepted, isRefused, statusWord } from '../http/answer.ts'
import { confirmAuthentication, isAuthenticationCode } from '../judge/authentication.ts'
import { expectationInWords } from '../judge/describe.ts'
import { judge } from '../judge/judge.ts'
import type { Judgement } from '../judge/judgement.ts'
import { unproven } from '../judge/judgement.ts'
import { observe } from '../judge/observe.ts'
import { pendingCheck, type StepOutcome, type Stop, stepInWords, withExplanation } from '../judge/pending-checks.ts'
import { stopOf } from '../judge/premise.ts'
import { type TwinOutcome, twinCredential, twinOutcomeOf, withTwin } from '../judge/twin.ts'
import { NotRun, Unproven } from '../result/signals.ts'
import type { FaultContext } from '../signing/signature-faults.ts'
import { applyFault } from './call-faults.ts'
import { planCall } from './call-plan.ts'
import { retryOf } from './retry.ts'
import { lookAgain, type Made, make, mayBeLate, withDoubt } from './send-until-sure.ts'

/** Makes the call of a step (or sends one again), judges what comes back, and sees to the control of refusals. */
export async function runCall(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const { attempt, twin } = await preparedOf(scenarioRun, step)
  let made = await make(scenarioRun, step, attempt)
  checkScope(scenarioRun, made.turn)
  scenarioRun.records.set(name, { kind: 'turns', turns: [made.turn] })
  if (mayBeLate(scenarioRun, step, made.turn))
    made = await withDoubt(scenarioRun, await lookAgain(scenarioRun, step, name, attempt, { first: made.turn }))
  return concluded(scenarioRun, step, name, made, twin)
}

/**
 * Whether a credential holds a scope that no read tells about shows in its first call.
 *
 * @throws NotRun where that was refused as forbidden.
 */
function checkScope({ run }: ScenarioRun, { attempt: { op, credential }, answer }: Turn): void {
  if (op === null || credential.scopes !== null || answer?.status !== 403) return
  const { scopes } = endpointOf(op)
  if (scopes.some(canBeProbed) || run.evidence.of(op, credential.name) !== undefined) return
  const found = run.dialect.find('error.code', answer)
  if (found.found && typeof found.value === 'string' && isAuthenticationCode(found.value)) return
  throw new NotRun(
    'needs-scope',
    `the credential ${credential.name} seems to lack the scope ${scopes.join(' or ')}: ${op} was answered 403`,
  )
}

export interface Prepared {
  attempt: Attempt
  /** The same call without its fault. */
  twin: Attempt
}

/** The call of a step as it will be sent, and as it would be without its fault. */
export async function attemptOf(scenarioRun: ScenarioRun, step: Step): Promise<Prepared> {
  const call = step.call ?? step.until?.call ?? step.burst?.call
  if (!call) throw new RangeError('the step has no call')
  const op = call.op ?? null
  const plan = await planCall(scenarioRun, call)
  const faulty = applyFault(scenarioRun, step, plan)
  const choice = faulty.as ?? step.as
  const credential = scenarioRun.services.credentials.pick(choice, expectsForbidden(step))
  // It may be a live key in a run that writes.
  if (choice === 'other_environment' && plan.method !== 'GET')
    throw new RangeError('a key of another environment only reads')
  const unsound = step.fault !== undefined || expectsRefusal(step)
  const attempt: Attempt = {
    op,
    plan: faulty.plan,
    credential,
    fault: faulty.fault,
    context: faultContext(scenarioRun),
    unsound,
    wants429: wantsStatus429(step),
    takesAnyAnswer: isOpenEnded(step) || expectsServerError(step),
  }
  return { attempt, twin: { op, plan, credential: twinCredential(scenarioRun, choice, credential) } }
}

function wantsStatus429(step: Step): boolean {
  return expectationsOf(step).some(({ refused, status }) =>
    [refused, status].flat().some((word) => word === 'rate_limited' || word === 429),
  )
}

function faultContext(scenarioRun: ScenarioRun): FaultContext {
  return {
    earlierNonce(id) {
      const record = scenarioRun.records.get(id)
      const nonce = record?.kind === 'turns' ? record.turns[0]?.signed.nonce : undefined
      if (nonce === undefined) throw new Unproven(`step ${id}, whose nonce is used again, was not sent`)
      return nonce
    },
    otherSecret: (name) => scenarioRun.services.credentials.called(name).secret,
  }
}

async function preparedOf(scenarioRun: ScenarioRun, step: Step): Promise<Prepared> {
  if (step.resend !== undefined) return resendOf(scenarioRun, step.resend)
  if (step.retry === undefined) return attemptOf(scenarioRun, step)
  const attempt = await retryOf(scenarioRun, step.retry, earlierTurn(scenarioRun, step.retry))
  return { attempt, twin: attempt }
}

function earlierTurn(scenarioRun: ScenarioRun, id: string): Turn {
  const record = scenarioRun.records.get(id)
  const turn = record?.kind === 'turns' ? record.turns[0] : undefined
  if (!turn) throw new Unproven(`step ${id}, which is sent again, was not sent`)
  return turn
}

function resendOf(scenarioRun: ScenarioRun, id: string): Prepared {
  const turn = earlierTurn(scenarioRun, id)
  const { op, plan, credential } = turn.attempt
  return { attempt: { op, plan, credential, exactly: turn.signed }, twin: { op, plan, credential } }
}

/** Judges a turn and reports it. */
export async function concluded(
  scenarioRun: ScenarioRun,
  step: Step,
  name: string,
  { turn, doubt }: Made,
  twin: Attempt,
): Promise<StepOutcome> {
  const exchange = turn.exchange.id
  const expectations = expectationsOf(step)
  const judged: { expectation: Expectation; judgement: Judgement }[] = []
  for (const expectation of expectations) {
    const judgement = doubt === null ? await judgeTurn(scenarioRun, expectation, turn) : unproven(answered(turn), doubt)
    judged.push({ expectation, judgement })
  }
  const needed =
    step.twin_shows !== undefined ||
    judged.some(({ expectation, judgement }) => needsControl(step, expectation, judgement))
  const twinOutcome = needed
    ? await twinOutcomeOf(
        scenarioRun,
        { attempt: twin, harmless: isHarmless(twin), exact: hasExactTwin(step) },
        { answer: turn.answer, failsAuthentication: expectations.some(refusesAuthentication) },
      )
    : null
  const outcome: StepOutcome = {
    checks: [],
    stop: lostStop(scenarioRun, name, [turn]) ?? plainStop(scenarioRun, step, name, turn),
  }
  for (const { expectation, judgement } of judged) {
    const settled = withExplanation(
      inTheLight(scenarioRun, expectation, step, judgement, twinOutcome),
      expectation.open,
    )
    const ids = showsOf(expectation)
    if (ids.length === 0)
      outcome.stop ??= stopOf(
        scenarioRun,
        step,
        name,
        expectationInWords(scenarioRun, expectation, step),
        settled,
        expectation.open,
      )
    for (const id of ids)
      outcome.checks.push(pendingCheck(name, id, expectationInWords(scenarioRun, expectation, step), exchange, settled))
  }
  if (step.twin_shows !== undefined) outcome.checks.push(twinDraft(scenarioRun, name, step.twin_shows, twinOutcome))
  const seen = observe(scenarioRun, step, name, { kind: 'turn', turn }, exchange)
  scenarioRun.observations.push(...seen.observations)
  outcome.checks.push(...seen.checks)
  await noteLostWrite(scenarioRun, turn)
  return outcome
}

function answered(turn: Turn): string {
  return `answered ${statusWord(turn.answer)}`
}

function judgeTurn(scenarioRun: ScenarioRun, expectation: Expectation, turn: Turn): Promise<Judgement> | Judgement {
  const judgement = judge(scenarioRun, expectation, { kind: 'turn', turn })
  return expectation.authenticated ? confirmAuthentication(scenarioRun, turn, judgement) : judgement
}

function refusesAuthentication({ refused }: Expectation): boolean {
  return [refused].flat().some((code) => typeof code === 'string' && isAuthenticationCode(code))
}

function hasExactTwin(step: Step): boolean {
  return step.fault !== undefined || step.resend !== undefined || lacksByCredential(step)
}

function lacksByCredential(step: Step): boolean {
  return typeof step.as === 'object' || step.as === 'no_affiliate' || step.as === 'not_merchant'
}

function isHarmless(twin: Attempt): boolean {
  return twin.plan.method === 'GET' || twin.plan.method === 'HEAD'
}

/** Refusals always need a control; an acceptance that failed to come needs one where the call was odd on purpose. */
function needsControl(step: Step, expectation: Expectation, judgement: Judgement): boolean {
  if (showsOf(expectation).length === 0 || judgement.certain) return false
  if (expectation.refused !== undefined) return judgement.verdict !== 'not_run' && judgement.verdict !== 'inconclusive'
  return step.fault !== undefined && judgement.verdict === 'fail'
}

function inTheLight(
  scenarioRun: ScenarioRun,
  expectation: Expectation,
  step: Step,
  judgement: Judgement,
  twinOutcome: TwinOutcome | null,
): ReturnType<typeof withTwin> {
  if (twinOutcome && needsControl(step, expectation, judgement)) return withTwin(judgement, twinOutcome)
  const plainFailure = judgement.verdict === 'fail' && judgement.actual.startsWith('5')
  if (plainFailure && scenarioRun.run.evidence.any() === undefined) {
    return { ...judgement, verdict: 'inconclusive', note: 'the target has not accepted any call at all' }
  }
  return judgement
}

/** A step that expects nothing in particular expects to be accepted. */
function plainStop(scenarioRun: ScenarioRun, step: Step, name: string, turn: Turn): Stop | null {
  const plain = step.expect === 'accepted' || (step.expect === undefined && !isOpenEnded(step))
  if (!plain || isAccepted(turn.answer)) return null
  return stopOf(scenarioRun, step, name, 'accepted (any 2xx)', judgeAcceptance(scenarioRun, turn))
}

function judgeAcceptance(scenarioRun: ScenarioRun, turn: Turn): Judgement {
  return judge(scenarioRun, { accepted: true }, { kind: 'turn', turn })
}

/** What the twin itself shows: that the fault, and nothing else, was the reason. */
function twinDraft(scenarioRun: ScenarioRun, name: string, requirement: string, twinOutcome: TwinOutcome | null) {
  const expected = 'the same call without its fault is accepted'
  if (!twinOutcome || twinOutcome.kind === 'pending' || !twinOutcome.twin) {
    return pendingCheck(name, requirement, expected, null, unproven('no twin was sent'))
  }
  const { twin, kind } = twinOutcome
  const actual = answered(twin)
  const exchange = twin.exchange.id
  if (kind === 'worked') return pendingCheck(name, requirement, expected, exchange, { verdict: 'pass', actual })
  const { op, credential } = twin.attempt
  const acceptedBefore = op !== null && scenarioRun.run.evidence.of(op, credential.name) !== undefined
  const blamed = acceptedBefore && isRefused(twin.answer) && twin.answer.status !== 429
  return pendingCheck(name, requirement, expected, exchange, blamed ? { verdict: 'fail', actual } : unproven(actual))
}

/** What builds on a write whose answer was lost proves nothing: nobody knows whether it took effect. */
export function lostStop(scenarioRun: ScenarioRun, name: string, turns: readonly Turn[]): Stop | null {
  const lost = turns.find(
    ({ attempt, answer }) => isSoundWrite(attempt) && !attempt.takesAnyAnswer && isTrouble(scenarioRun, answer),
  )
  if (!lost) return null
  const came = lost.answer === null ? 'got no answer' : `was answered ${lost.answer.status}`
  const note = `the ${lost.attempt.plan.method} of ${stepInWords(name)} ${came}, so whether it took effect is not known; run this scenario again`
  return { verdict: 'inconclusive', note }
}

function isSoundWrite({ plan, fault, unsound }: Attempt): boolean {
  return plan.method !== 'GET' && plan.method !== 'HEAD' && fault === undefined && unsound !== true
}

/** A write whose answer was lost is unknown, not refused: the history says whether it left something behind. */
async function noteLostWrite(scenarioRun: ScenarioRun, turn: Turn): Promise<void> {
  const { op, plan } = turn.attempt
  if (turn.answer || op !== 'orders.create' || !plan.body) return
  const history = scenarioRun.services.events.of(scenarioRun.services.credentials.main)
  const lost = await history.refresh(scenarioRun).then(
    () => history.since(0).filter((event) => event.type === 'order.recorded'),
    () => [],
  )
  const text = new TextDecoder().decode(plan.body)
  for (const { json } of lost) {
    const order = (json as { data?: { order?: { domain?: unknown; public_id?: unknown } } }).data?.order
    if (typeof order?.domain !== 'string' || !text.includes(JSON.stringify(order.domain))) continue
    const id = String(order.public_id)
    if (!scenarioRun.run.created.some((thing) => thing.id === id)) scenarioRun.run.created.push({ kind: 'order', id })
  }
}
