import { formatDuration } from '../../clock/duration.ts'
import type { EndpointId } from '../../contract/endpoints.ts'
import { isObject } from '../../contract/is-object.ts'
import { LIMITS } from '../../contract/limits.ts'
import { lacksWhatItMade, READS_OF_ONE } from '../context/made-here.ts'
import { argumentsOf, canOperate } from '../context/operator.ts'
import { type CallExchange, exchangesOf, firstExchange, PROMPT_MS, type ScenarioRun } from '../context/run.ts'
import { A_MOMENT_MS, converse, isTrouble, probe } from '../context/send-call.ts'
import { type Check, failure, unproven } from '../format/expectations/check.ts'
import { judgeRoles } from '../format/expectations/contents.ts'
import type { Expectation } from '../format/expectations/expectation.ts'
import type { NamedStep, Step } from '../format/scenario.ts'
import {
  expectationsOf,
  lacksOnPurpose,
  onlyObserves,
  producedBy,
  RECORD_ORDER,
  showsOf,
} from '../format/step-facts.ts'
import { type Exchange, isAccepted, isServerError, statusWord } from '../http/exchange.ts'
import { expectationInWords, judge, type Subject } from '../judge/judge.ts'
import { observe } from '../judge/observe.ts'
import {
  type PlacedCheck,
  placed,
  type StepOutcome,
  stepInWords,
  stopOf,
  undone,
  withExplanation,
} from '../judge/placed-check.ts'
import { answerInWords, seenOf } from '../judge/seen.ts'
import {
  acceptedBefore,
  confirmAuthentication,
  isAuthenticationCode,
  type TwinOutcome,
  twinOutcomeOf,
  withTwin,
} from '../judge/twin.ts'
import { Open } from '../result/open.ts'
import { NAMED_ITEM } from '../result/result.ts'
import { isRead } from '../signing/sign-call.ts'
import { heldBackMs } from '../target/target.ts'
import { movedAlone, restsOnState } from './moved-alone.ts'

type Judged = readonly [expectation: Expectation, check: Check]

/** Judges a call, beside its twin where it needs one, and reports it. */
export async function concluded(
  scenarioRun: ScenarioRun,
  step: NamedStep,
  exchange: CallExchange,
): Promise<StepOutcome> {
  const { doubt } = exchange
  const judgedFirst: Judged[] = []
  for (const expectation of expectationsOf(step)) {
    let check =
      doubt === undefined
        ? judge(scenarioRun, expectation, { kind: 'call', exchange })
        : unproven(`answered ${statusWord(exchange.answer)}`, doubt)
    if (expectation.authenticated) check = await confirmAuthentication(scenarioRun, exchange, check)
    const why =
      check.verdict === 'fail'
        ? (lateness(scenarioRun, step, exchange) ?? limitOvertaken(scenarioRun, step, exchange, scenarioRun.exchanges))
        : null
    judgedFirst.push([expectation, why === null ? check : unproven(check.actual, why)])
  }
  const moved = await whyInDoubt(scenarioRun, step, exchange, judgedFirst)
  const first = judgedFirst.map(
    ([expectation, check]): Judged => [
      expectation,
      moved !== null && isOfState(exchange, expectation, check) ? unproven(check.actual, moved) : check,
    ],
  )
  const isAsked = first.some(([expectation, check]) => needsTwin(step, expectation, check))
  const twinOutcome = isAsked ? await twinOf(scenarioRun, step, exchange, first) : null
  const judged = first.map(
    ([expectation, check]): Judged => [
      expectation,
      inTheLight(scenarioRun, expectation, step, check, exchange, twinOutcome),
    ],
  )
  const { checks, stop } = reportOf(scenarioRun, step, { kind: 'call', exchange }, exchange.id, judged)
  if (isAccepted(exchange.answer)) return { checks, stop }
  const gone = await goneThing(scenarioRun, step, exchange)
  if (gone) checks.push(gone)
  await noteLostWrite(scenarioRun, exchange)
  return {
    checks,
    stop:
      lostStop(scenarioRun, step, [exchange]) ??
      // A refund that the target could no longer grant has none of the effects that later steps look for.
      (moved !== null && exchange.call.op === 'refunds.create' ? Open.unproven(moved) : null) ??
      plainStop(scenarioRun, step, exchange) ??
      stop,
  }
}

/** Why failures prove nothing: the target itself has changed what they are about. Null if it has not. */
async function whyInDoubt(
  scenarioRun: ScenarioRun,
  step: NamedStep,
  exchange: CallExchange,
  judged: readonly Judged[],
): Promise<string | null> {
  const isAsked = judged.some(([expectation, check]) => isOfState(exchange, expectation, check))
  return isAsked ? movedAlone(scenarioRun, step, exchange) : null
}

function isOfState({ call }: CallExchange, expectation: Expectation, { verdict }: Check): boolean {
  return verdict === 'fail' && restsOnState(call, expectation)
}

/** Why a call at the edge of the clock proves nothing: it was judged at another second than the one it was made for. Null if not. */
function lateness({ run: { wall } }: ScenarioRun, { fault }: Step, { answer, sentAtMs }: CallExchange): string | null {
  const edge = isObject(fault?.timestamp) ? fault.timestamp.edge : undefined
  if (typeof edge !== 'number' || answer === null) return null
  const fromLimitMs = Math.abs(Math.abs(edge) - LIMITS.timestampSkewSeconds) * 1_000
  const tookMs = wall.nowMs() - sentAtMs
  if (tookMs <= PROMPT_MS || tookMs + PROMPT_MS < fromLimitMs) return null
  return 'the answer took so long that the timestamp may have been within the limit, or past it'
}

async function twinOf(
  scenarioRun: ScenarioRun,
  step: Step,
  { call: made, answer }: CallExchange,
  judged: readonly Judged[],
): Promise<TwinOutcome> {
  const call = made.twin ?? made
  const twin = { call, harmless: isRead(call), exact: hasExactTwin(step) }
  const holds = judged.every(([, { verdict }]) => verdict === 'pass' || verdict === 'tolerated')
  const before = holds ? acceptedBefore(scenarioRun, twin) : null
  if (before) return before
  const failsAuthentication = expectationsOf(step).some(({ refused }) => [refused].flat().some(isAuthenticationCode))
  return twinOutcomeOf(scenarioRun, twin, { answer, failsAuthentication })
}

function hasExactTwin(step: Step): boolean {
  return step.fault !== undefined || step.call?.again !== undefined || lacksOnPurpose(step.as)
}

/** Refusals always need a valid twin; an acceptance that failed to come needs one where the call was odd on purpose. */
function needsTwin(step: Step, expectation: Expectation, check: Check): boolean {
  if (showsOf(expectation).length === 0 || check.certain) return false
  if (expectation.refused !== undefined) return check.verdict !== 'not_run' && check.verdict !== 'inconclusive'
  return step.fault !== undefined && check.verdict === 'fail'
}

/** Whether the signature is wrong whatever else the target accepts: such a call must not be accepted, its twin or none. */
function isWronglySigned({ fault }: Step): boolean {
  return (fault?.signature ?? fault?.canonical ?? fault?.tamper) !== undefined
}

function inTheLight(
  scenarioRun: ScenarioRun,
  expectation: Expectation,
  step: Step,
  check: Check,
  { answer }: CallExchange,
  twinOutcome: TwinOutcome | null,
): Check {
  if (twinOutcome && needsTwin(step, expectation, check)) {
    const isTaken = check.verdict === 'fail' && isWronglySigned(step) && isAccepted(answer)
    return isTaken && twinOutcome.kind === 'failed'
      ? { ...check, twin: twinOutcome.words }
      : withTwin(check, twinOutcome)
  }
  const isServerFailure = check.verdict === 'fail' && isServerError(answer)
  if (isServerFailure && scenarioRun.run.evidence.any() === undefined) {
    return { ...check, verdict: 'inconclusive', note: 'the target has not accepted any call at all' }
  }
  return check
}

/** A step that expects nothing in particular expects to be accepted. */
function plainStop(scenarioRun: ScenarioRun, step: NamedStep, exchange: CallExchange): Open | null {
  if ((step.expect ?? 'accepted') !== 'accepted' || onlyObserves(step)) return null
  const check = judge(scenarioRun, { accepted: true }, { kind: 'call', exchange })
  return stopOf(scenarioRun, step, 'accepted (any 2xx)', check)
}

/** What builds on a write whose answer was lost proves nothing: the runner cannot know whether it took effect. */
export function lostStop(scenarioRun: ScenarioRun, step: NamedStep, exchanges: readonly CallExchange[]): Open | null {
  const lost = exchanges.find(
    ({ call, answer }) =>
      !isRead(call) &&
      call.fault === undefined &&
      call.invalid !== true &&
      !call.takesAnyAnswer &&
      isTrouble(scenarioRun, answer),
  )
  if (!lost) return null
  const came = lost.answer === null ? 'got no answer' : `was answered ${lost.answer.status}`
  const note = `the ${lost.call.method} of ${stepInWords(step.id)} ${came}, so whether it took effect is not known; run this scenario again`
  return Open.unproven(note)
}

/** A write whose answer was lost is unknown, not refused: the history says whether it left something behind. */
async function noteLostWrite(scenarioRun: ScenarioRun, exchange: CallExchange): Promise<void> {
  const { op, body } = exchange.call
  if (exchange.answer || op !== RECORD_ORDER || !body) return
  const history = scenarioRun.run.historyOf(scenarioRun.run.credentials.main)
  const lost = await history.refresh(scenarioRun).then(
    () => history.since(0).filter((event) => event.type === 'order.recorded'),
    () => [],
  )
  const text = new TextDecoder().decode(body)
  for (const { json } of lost) {
    const order = (json as { data?: { order?: { domain?: unknown; public_id?: unknown } } }).data?.order
    if (typeof order?.domain !== 'string' || !text.includes(JSON.stringify(order.domain))) continue
    const id = String(order.public_id)
    if (!scenarioRun.run.created.some((thing) => thing.id === id)) scenarioRun.run.created.push({ kind: 'order', id })
  }
}

/** The violation where the target says that it does not have what it made in this scenario: twice, with a valid read between. */
async function goneThing(
  scenarioRun: ScenarioRun,
  step: NamedStep,
  exchange: CallExchange,
): Promise<PlacedCheck | null> {
  const { call, answer, id } = exchange
  const requirement = READS_OF_ONE[call.op as EndpointId]
  if (requirement === undefined || answer === null || call.invalid || step.observe !== undefined) return null
  if (!lacksWhatItMade(scenarioRun, exchange)) return null
  await scenarioRun.run.pause(A_MOMENT_MS)
  const between = await probe(scenarioRun, call.credential)
  const again = await converse(scenarioRun, call)
  if (again.answer?.status !== 404 || !isAccepted(between)) return null
  const expected = scenarioRun.run.registry.requirements.get(requirement)?.text ?? requirement
  const note = 'the target answered that it had made this, and then twice that it does not have it'
  return placed(step.id, requirement, expected, id, failure(answerInWords(scenarioRun, answer), note))
}

/** A check for each requirement that is shown, a stop where a mere premise does not hold, and what is observed. */
function reportOf(
  scenarioRun: ScenarioRun,
  step: NamedStep,
  subject: Subject,
  exchange: string | null,
  judged: readonly Judged[],
): StepOutcome {
  const outcome: StepOutcome = { checks: [], stop: null }
  const hasFailed = subject.kind === 'call' && isServerError(subject.exchange.answer)
  for (const [expectation, seenCheck] of judged) {
    const { unless } = expectation
    const check = unless && seenCheck.verdict === 'fail' ? unlessEarlier(scenarioRun, seenCheck, unless) : seenCheck
    const ids = showsOf(expectation)
    const expected = expectationInWords(scenarioRun, expectation, step)
    // A target that fails inside has not chosen that.
    const open = hasFailed ? undefined : expectation.open
    if (ids.length === 0) outcome.stop ??= stopOf(scenarioRun, step, expected, check, open)
    const explained = open !== undefined && check.verdict === 'fail' ? withExplanation(check, open) : check
    // An answer that the target was free to refuse has no content to judge.
    const chosen = explained.verdict === 'inconclusive' && outcome.stop?.reason === 'open-point' ? outcome.stop : null
    for (const id of ids)
      outcome.checks.push(
        chosen
          ? undone(expected, { step: step.id, requirement: id }, chosen)
          : placed(step.id, id, expected, exchangeWithItem(subject, explained) ?? exchange, explained),
      )
  }
  if (step.observe === undefined) return outcome
  const seen = observe(scenarioRun, step, subject, exchange)
  scenarioRun.observations.push(...seen.observations)
  outcome.checks.push(...seen.checks)
  return outcome
}

/** The exchange that has the item which a check names as wrong; null where it names none, or where one exchange has them all. */
function exchangeWithItem(subject: Subject, { actual }: Check): string | null {
  const named = NAMED_ITEM.exec(actual)
  if (named === null) return null
  const [at, size] = [Number(named[1]) - 1, Number(named[2])]
  if (subject.kind === 'events') return subject.events.length === size ? (subject.exchangeOf?.(at) ?? null) : null
  if (subject.kind !== 'call') return null
  const shown = subject.exchange.pages?.flatMap(([id, items]) => Array<string>(items).fill(id)) ?? []
  return shown.length === size ? (shown[at] ?? null) : null
}

/** Judges and reports a step that has no twin. */
export function reported(
  scenarioRun: ScenarioRun,
  step: NamedStep,
  subject: Subject,
  exchange: string | null,
): StepOutcome {
  const given = expectationsOf(step)
  // What observes and expects nothing may end either way.
  const mayEndAnyway = subject.kind === 'burst' || step.observe !== undefined
  const expectations = given.length > 0 || mayEndAnyway ? given : [{}]
  const judged = expectations.map((wish): Judged => {
    const expectation = step.events?.none_for !== undefined && wish.count === undefined ? { ...wish, count: 0 } : wish
    const check = judge(scenarioRun, expectation, subject)
    const isPremise = expectation.open !== undefined
    const late =
      check.verdict === 'fail' && !isPremise && FATE.test(JSON.stringify(expectation)) ? lateAnswer(scenarioRun) : null
    if (late !== null) return [expectation, unproven(check.actual, late)]
    return [expectation, step.events ? eventsInDoubt(scenarioRun, step, check, subject) : check]
  })
  return reportOf(scenarioRun, step, subject, exchange, judged)
}

/** What has to be known of a verdict about events: why it proves nothing, how long they were looked for, or by which deadline they are judged. */
function eventsInDoubt(scenarioRun: ScenarioRun, step: Step, check: Check, subject: Subject): Check {
  if (step.events?.none_for !== undefined) return check
  // Where nothing was done that events would report, none can be missed.
  if (check.verdict === 'fail' && !somethingHappened(scenarioRun)) return unproven(check.actual, NOTHING_HAPPENED)
  if (check.note !== undefined) return check
  if (check.verdict === 'fail' && subject.kind === 'events' && subject.waitedMs !== undefined)
    return { ...check, note: `the run looked for ${(subject.waitedMs / 1_000).toFixed(1)} s` }
  const { run, scenario } = scenarioRun
  const { webhookDeadlineMs } = run.target
  if (webhookDeadlineMs === undefined || producedBy(step) !== 'deliveries') return check
  // A verdict about slow receivers says so where the run has not waited as long as the document says.
  if (!scenario.steps.some(({ hook }) => hook && heldBackMs(run.target, hook.answer) > 0)) return check
  const [here, usual] = [webhookDeadlineMs, LIMITS.webhookTimeoutMs].map(formatDuration)
  return { ...check, note: `judged at ${here}, as the run has set its own sandbox; the document says ${usual}` }
}

/** What became of a delivery, which hangs on when it was answered. */
const FATE = /"delivery\.(answered|attempts?|given_up|given_up_after_ms|counted_as_failed)"/

/** An answer of the receiver that is so much later than planned may have been too late for a target that waits five seconds; a little less never is. */
const LATE_ANSWER_MS = 500

/** Why the fate of a delivery to this scenario proves nothing: the runner, on a busy machine, was late itself. Null if it was not. */
function lateAnswer({ hooks, run }: ScenarioRun): string | null {
  const lateMs = Math.max(0, ...[...hooks.values()].flatMap(({ deliveries }) => deliveries.map((one) => one.lateMs)))
  const { webhookDeadlineMs = LIMITS.webhookTimeoutMs } = run.target
  if (lateMs * LIMITS.webhookTimeoutMs <= LATE_ANSWER_MS * webhookDeadlineMs) return null
  return `the runner itself was late by ${(lateMs / 1_000).toFixed(1)} s with its answer to a delivery, on a machine that was busy`
}

const NOTHING_HAPPENED = 'no write of this scenario was accepted, so there is no event to expect'

/** Whether anything was done in this scenario that an event could report. */
export function somethingHappened(scenarioRun: ScenarioRun): boolean {
  return [...scenarioRun.records.values()].some((record) => {
    if (record.kind === 'operated') return true
    if (record.kind === 'pages') return record.visits.some(({ method, answer }) => method === 'POST' && answer !== null)
    return (
      record.kind === 'calls' &&
      record.exchanges.some(({ call, answer }) => call.method !== 'GET' && isAccepted(answer))
    )
  })
}

/** How long the target took for its slowest answer to this scenario so far; 0 before the first. */
export function slowestAnswerMs(scenarioRun: ScenarioRun): number {
  const answered = exchangesOf(scenarioRun).filter(({ answer }) => answer !== null)
  return Math.max(0, ...answered.map(({ tookMs }) => tookMs))
}

/**
 * A failure proves nothing where a list that an earlier step read holds something that may explain it: a sale that was undone
 * before the run, say, whose commission is taken off the next payout. A row counts unless what it says rules it out.
 */
function unlessEarlier(scenarioRun: ScenarioRun, check: Check, unless: NonNullable<Expectation['unless']>): Check {
  const explaining = rowsThatMayFit(scenarioRun, unless)
  if (explaining === 0) return check
  const note = `step ${unless.step} lists ${explaining} of which this may be an effect`
  return { ...check, verdict: 'inconclusive', note }
}

function rowsThatMayFit(scenarioRun: ScenarioRun, { step, has }: NonNullable<Expectation['unless']>): number {
  const answer = firstExchange(scenarioRun, step)?.answer
  if (!answer) return 0
  const seen = seenOf(scenarioRun)
  const rows = scenarioRun.run.dialect.entriesOf(answer)
  return rows.filter((json) => judgeRoles(seen, has, { json, op: answer.op })?.verdict !== 'fail').length
}

/** What ends by itself after a time that the document names. */
const LASTING_MS = [LIMITS.quoteSeconds, LIMITS.checkoutSeconds].map((seconds) => seconds * 1_000)

/** Scenarios move the clock at least this close to an end, to stay short of it. */
const CLOSEST_MS = 60_000

/**
 * Why an answer after a move of the clock says nothing of what ends soon after: the run itself, on a slow machine, needed so long
 * that the end may have come. Null if it was quick enough, or the clock was not moved close to an end.
 *
 * @param made the exchanges of the scenario so far.
 */
export function limitOvertaken(
  { scenario, run }: { scenario: Pick<ScenarioRun['scenario'], 'steps'>; run: Pick<ScenarioRun['run'], 'target'> },
  step: NamedStep,
  answered: Pick<Exchange, 'sentAtMs' | 'tookMs'>,
  made: readonly Pick<Exchange, 'sentAtMs'>[],
): string | null {
  const moves = scenario.steps
    .slice(0, scenario.steps.indexOf(step))
    .flatMap(({ operator }) => operator?.advance_clock ?? [])
  const movedMs = moves.reduce(
    (sum: number, move) => sum + Number(argumentsOf('advance_clock', move).seconds) * 1_000,
    0,
  )
  const leftMs = LASTING_MS.map((ms) => ms - movedMs).find((ms) => ms > 0 && ms <= CLOSEST_MS)
  const [first] = made
  if (moves.length === 0 || leftMs === undefined || first === undefined) return null
  // Without an operator the move is a wait.
  const waitedMs = canOperate(run.target, 'advance_clock') ? 0 : movedMs
  const neededMs = answered.sentAtMs + answered.tookMs - first.sentAtMs - waitedMs
  if (neededMs < leftMs / 2) return null
  return `the run needed ${Math.round(neededMs / 1_000)} s beside the move of the clock, so what ends ${leftMs / 1_000} s later may have ended`
}
