import { LIMITS } from '../../contract/limits.ts'
import { PROMPT_MS } from '../context/clock-edge.ts'
import type { ScenarioRun } from '../context/scenario-run.ts'
import { type Call, isTrouble, type Turn } from '../context/send-call.ts'
import { type Judgment, unproven } from '../format/expectations/judgment.ts'
import type { Expectation, Step } from '../format/scenario.ts'
import { expectationsOf, isOpenEnded, RECORD_ORDER, showsOf } from '../format/step-facts.ts'
import { isAccepted, isRefused, statusWord } from '../http/answer.ts'
import { isObject } from '../http/json-body.ts'
import { confirmAuthentication, isAuthenticationCode } from '../judge/authentication.ts'
import { judge } from '../judge/judge.ts'
import { pendingCheck, type StepOutcome, type Stop, stepInWords, stopOf } from '../judge/pending-checks.ts'
import { acceptedBefore, noteAccepted, type TwinOutcome, twinOutcomeOf, withTwin } from '../judge/twin.ts'
import { goneThing } from './gone-thing.ts'
import { type Judged, reportOf } from './report-step.ts'

/** Judges a call, beside its twin where it needs one, and reports it. */
export async function concluded(scenarioRun: ScenarioRun, step: Step, name: string, turn: Turn): Promise<StepOutcome> {
  const { doubt } = turn
  noteAccepted(scenarioRun, turn)
  const judged: Judged[] = []
  for (const expectation of expectationsOf(step)) {
    const judgment =
      doubt === undefined
        ? unlessLate(step, turn, await judgeTurn(scenarioRun, expectation, turn))
        : unproven(answered(turn), doubt)
    judged.push({ expectation, judgment })
  }
  const twinOutcome = needsTwin(step, judged) ? await twinOf(scenarioRun, step, turn, judged) : null
  const settled = judged.map(({ expectation, judgment }) => ({
    expectation,
    judgment: inTheLight(scenarioRun, expectation, step, judgment, twinOutcome),
  }))
  const { checks, stop } = reportOf(scenarioRun, step, name, { kind: 'turn', turn }, turn.exchange.id, settled)
  if (step.twin_shows !== undefined) checks.push(twinCheck(scenarioRun, name, step.twin_shows, twinOutcome))
  const gone = await goneThing(scenarioRun, step, name, turn)
  if (gone) checks.push(gone)
  await noteLostWrite(scenarioRun, turn)
  return { checks, stop: lostStop(scenarioRun, name, [turn]) ?? plainStop(scenarioRun, step, name, turn) ?? stop }
}

/** A call that was under way for long was judged at another second than the one it was made for. */
function unlessLate({ fault }: Step, { exchange: { outcome } }: Turn, judgment: Judgment): Judgment {
  const edge = isObject(fault?.timestamp) ? fault.timestamp.edge : undefined
  if (typeof edge !== 'number' || judgment.verdict !== 'fail' || outcome.kind !== 'response') return judgment
  const { tookMs } = outcome.response
  const fromLimitMs = Math.abs(Math.abs(edge) - LIMITS.timestampSkewSeconds) * 1_000
  if (tookMs <= PROMPT_MS || tookMs + PROMPT_MS < fromLimitMs) return judgment
  return unproven(
    judgment.actual,
    'the answer took so long that the timestamp may have been within the limit, or past it',
  )
}

function answered(turn: Turn): string {
  return `answered ${statusWord(turn.answer)}`
}

function judgeTurn(scenarioRun: ScenarioRun, expectation: Expectation, turn: Turn): Promise<Judgment> | Judgment {
  const judgment = judge(scenarioRun, expectation, { kind: 'turn', turn })
  return expectation.authenticated ? confirmAuthentication(scenarioRun, turn, judgment) : judgment
}

function needsTwin(step: Step, judged: readonly Judged[]): boolean {
  if (step.twin_shows !== undefined) return true
  return judged.some(({ expectation, judgment }) => needsControl(step, expectation, judgment))
}

async function twinOf(
  scenarioRun: ScenarioRun,
  step: Step,
  { call: made, answer }: Turn,
  judged: readonly Judged[],
): Promise<TwinOutcome> {
  const call = made.twin ?? made
  const { method } = call.plan
  const twin = { call, harmless: method === 'GET' || method === 'HEAD', exact: hasExactTwin(step) }
  const holds = judged.every(({ judgment: { verdict } }) => verdict === 'pass' || verdict === 'tolerated')
  const before = holds && step.twin_shows === undefined ? acceptedBefore(scenarioRun, twin) : null
  if (before) return before
  const failsAuthentication = expectationsOf(step).some(refusesAuthentication)
  return twinOutcomeOf(scenarioRun, twin, { answer, failsAuthentication })
}

function refusesAuthentication({ refused }: Expectation): boolean {
  return [refused].flat().some((code) => typeof code === 'string' && isAuthenticationCode(code))
}

function hasExactTwin(step: Step): boolean {
  const lacksByCredential = typeof step.as === 'object' || step.as === 'no_affiliate' || step.as === 'not_merchant'
  return step.fault !== undefined || step.call?.again !== undefined || lacksByCredential
}

/** Refusals always need a control; an acceptance that failed to come needs one where the call was odd on purpose. */
function needsControl(step: Step, expectation: Expectation, judgment: Judgment): boolean {
  if (showsOf(expectation).length === 0 || judgment.certain) return false
  if (expectation.refused !== undefined) return judgment.verdict !== 'not_run' && judgment.verdict !== 'inconclusive'
  return step.fault !== undefined && judgment.verdict === 'fail'
}

function inTheLight(
  scenarioRun: ScenarioRun,
  expectation: Expectation,
  step: Step,
  judgment: Judgment,
  twinOutcome: TwinOutcome | null,
): ReturnType<typeof withTwin> {
  if (twinOutcome && needsControl(step, expectation, judgment)) return withTwin(judgment, twinOutcome)
  const plainFailure = judgment.verdict === 'fail' && judgment.actual.startsWith('5')
  if (plainFailure && scenarioRun.run.evidence.any() === undefined) {
    return { ...judgment, verdict: 'inconclusive', note: 'the target has not accepted any call at all' }
  }
  return judgment
}

/** A step that expects nothing in particular expects to be accepted. */
function plainStop(scenarioRun: ScenarioRun, step: Step, name: string, turn: Turn): Stop | null {
  const plain = step.expect === 'accepted' || (step.expect === undefined && !isOpenEnded(step))
  if (!plain || isAccepted(turn.answer)) return null
  const judgment = judge(scenarioRun, { accepted: true }, { kind: 'turn', turn })
  return stopOf(scenarioRun, step, name, 'accepted (any 2xx)', judgment)
}

/** What the twin itself shows: that the fault alone was the reason. */
function twinCheck(scenarioRun: ScenarioRun, name: string, requirement: string, twinOutcome: TwinOutcome | null) {
  const expected = 'the same call without its fault is accepted'
  if (!twinOutcome || twinOutcome.kind === 'pending' || !twinOutcome.twin) {
    return pendingCheck(name, requirement, expected, null, unproven('no twin was sent'))
  }
  const { twin, kind } = twinOutcome
  const actual = answered(twin)
  const exchange = twin.exchange.id
  if (kind === 'worked') return pendingCheck(name, requirement, expected, exchange, { verdict: 'pass', actual })
  const { op, credential } = twin.call
  const acceptedBefore = op !== null && scenarioRun.run.evidence.of(op, credential.name) !== undefined
  const blamed = acceptedBefore && isRefused(twin.answer) && twin.answer.status !== 429
  return pendingCheck(name, requirement, expected, exchange, blamed ? { verdict: 'fail', actual } : unproven(actual))
}

/** What builds on a write whose answer was lost proves nothing: the runner cannot know whether it took effect. */
export function lostStop(scenarioRun: ScenarioRun, name: string, turns: readonly Turn[]): Stop | null {
  const lost = turns.find(
    ({ call, answer }) => isValidWrite(call) && !call.takesAnyAnswer && isTrouble(scenarioRun, answer),
  )
  if (!lost) return null
  const came = lost.answer === null ? 'got no answer' : `was answered ${lost.answer.status}`
  const note = `the ${lost.call.plan.method} of ${stepInWords(name)} ${came}, so whether it took effect is not known; run this scenario again`
  return { verdict: 'inconclusive', note }
}

function isValidWrite({ plan, fault, invalid }: Call): boolean {
  return plan.method !== 'GET' && plan.method !== 'HEAD' && fault === undefined && invalid !== true
}

/** A write whose answer was lost is unknown, not refused: the history says whether it left something behind. */
async function noteLostWrite(scenarioRun: ScenarioRun, turn: Turn): Promise<void> {
  const { op, plan } = turn.call
  if (turn.answer || op !== RECORD_ORDER || !plan.body) return
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
