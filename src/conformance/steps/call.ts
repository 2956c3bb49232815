import { sleep } from '../../clock/wall-clock.ts'
import { HEADERS, headerIn } from '../../contract/headers.ts'
import type { Scope } from '../../contract/scopes.ts'
import { canBeProbed } from '../context/credentials.ts'
import { noteRegistration } from '../context/hooks.ts'
import { lacksWhatItMade } from '../context/made-here.ts'
import { argumentsOf } from '../context/operator.ts'
import { LIMIT_NAMES } from '../context/params.ts'
import { type CallExchange, firstExchange, type Run, type ScenarioRun } from '../context/run.ts'
import {
  A_MOMENT_MS,
  converse,
  exchangeOf,
  inTurn,
  isRepeatable,
  isTrouble,
  probe,
  saysWhen,
  sign,
} from '../context/send-call.ts'
import type { Check } from '../format/expectations/check.ts'
import type { CallStep, NamedStep, Step } from '../format/scenario.ts'
import { atOnceOf, callOf, expectationsOf, expectsRefusal, isWrite, OPERATIONS } from '../format/step-facts.ts'
import { referencesIn } from '../format/values.ts'
import { sendBurst } from '../http/burst.ts'
import { type Answer, type Exchange, isAccepted, isServerError, type Reply, statusWord } from '../http/exchange.ts'
import { FIRST_LOOK_MS, longerPauseMs } from '../http/throttle.ts'
import { judge, validLanes } from '../judge/judge.ts'
import type { StepOutcome } from '../judge/placed-check.ts'
import { isAuthenticationCode } from '../judge/twin.ts'
import { Open } from '../result/open.ts'
import { type Call, isRead, plainCall, type SignedRequest } from '../signing/sign-call.ts'
import { isElsewhere, longestWaitMs, mayComeLate } from '../target/target.ts'
import { wholeList } from './all-pages.ts'
import { callToSend } from './call-plan.ts'
import { concluded, lostStop, reported, slowestAnswerMs, somethingHappened } from './report-step.ts'

/** Makes a call, or sends one again, judges what comes back, and sees to the twin of a refusal. */
export async function runCall(scenarioRun: ScenarioRun, step: NamedStep): Promise<StepOutcome> {
  const { again, after } = step.call ?? {}
  const call =
    again !== undefined
      ? sameAgain(scenarioRun, again)
      : await (after !== undefined ? callAfter(scenarioRun, after) : callToSend(scenarioRun, step))
  const earlier = refusedWithMore(scenarioRun, step, call)
  if (earlier) return servedBy(scenarioRun, step, { earlier, call })
  let exchange = await make(scenarioRun, step, call)
  if (exchange.answer?.status === 403) checkScope(scenarioRun, exchange)
  scenarioRun.records.set(step.id, { kind: 'calls', exchanges: [exchange] })
  // What a read failed to show may only be late, where something was done in this scenario before.
  const mayBeLate = isRead(call) && longestWaitMs(scenarioRun.run, step, 0) > 0 && somethingHappened(scenarioRun)
  if (
    mayBeLate &&
    !isChoice(step, exchange) &&
    (isNotThereYet(scenarioRun, step, exchange) ||
      judged(scenarioRun, step, exchange).some(({ verdict }) => verdict === 'fail'))
  )
    exchange = await withDoubt(scenarioRun, await lookAgain(scenarioRun, step, call, exchange))
  return concluded(scenarioRun, step, exchange)
}

/**
 * That one scope does not open an operation is shown as well by the refusal of a key that holds it with others, none of which opens
 * it: then nothing is sent. The keys are alike in all else, so that nothing but the scopes can be the reason.
 */
function refusedWithMore(scenarioRun: ScenarioRun, step: Step, call: Call): CallExchange | undefined {
  const { run } = scenarioRun
  const { op, method, credential: asked } = call
  const only = typeof step.as === 'object' && 'only' in step.as ? step.as.only : 'none'
  if (!callOf(step)?.or_refused_before || op === null || only === 'none') return undefined
  const restOf = ({ name }: Call['credential']) => {
    const key = run.target.credentials.find((known) => known.name === name)
    return key && [key.partner, isElsewhere(run.target, key), key.affiliate, key.merchantOfRecord].join(' ')
  }
  const restOfAsked = restOf(asked)
  return run.refusals.find((exchange) => {
    const { credential, fault, ...earlier } = exchange.call
    const holds = (scope: Scope) => credential.scopes?.includes(scope) ?? false
    const isAlike = earlier.op === op && earlier.method === method && restOf(credential) === restOfAsked
    return (
      isAlike &&
      fault === undefined &&
      !exchange.troubles?.length &&
      holds(only) &&
      !OPERATIONS[op].scopes.some(holds) &&
      judged(scenarioRun, step, exchange).every(({ verdict }) => verdict === 'pass')
    )
  })
}

async function servedBy(
  scenarioRun: ScenarioRun,
  step: NamedStep,
  { earlier, call }: { earlier: CallExchange; call: Call },
): Promise<StepOutcome> {
  scenarioRun.records.set(step.id, { kind: 'calls', exchanges: [earlier] })
  const { checks, stop } = await concluded(scenarioRun, step, earlier)
  const asked = earlier.call.credential.name
  if (asked === call.credential.name) return { checks, stop }
  const note = `refused to the credential ${asked}, which holds this scope with others`
  return { checks: checks.map((check) => (check.verdict === 'pass' ? { ...check, note } : check)), stop }
}

/** A premise that is the target's choice is not late where the call was refused as malformed. */
function isChoice(step: Step, { answer }: CallExchange): boolean {
  return answer?.status === 400 && expectationsOf(step).every(({ open }) => open !== undefined)
}

/** An order or a case that was just made may not be there yet for a read that goes on from it. */
function isNotThereYet(scenarioRun: ScenarioRun, step: Step, exchange: CallExchange): boolean {
  return step.fault === undefined && !isAbout(step, 404) && lacksWhatItMade(scenarioRun, exchange)
}

/**
 * Whether a credential holds a scope that no read can show. Its first call shows it.
 *
 * @throws Open (not_run) if that was refused as forbidden.
 */
function checkScope({ run }: ScenarioRun, { call: { op, credential }, answer }: CallExchange): void {
  if (op === null || credential.scopes !== null || answer === null) return
  const { scopes } = OPERATIONS[op]
  if (scopes.some(canBeProbed) || run.evidence.of(op, credential.name) !== undefined) return
  if (isAuthenticationCode(run.dialect.codeOf(answer))) return
  throw Open.notRun(
    'needs-scope',
    `the credential ${credential.name} seems to lack the scope ${scopes.join(' or ')}: ${op} was answered 403`,
  )
}

/** The call of an earlier step, with the same bytes. */
function sameAgain(scenarioRun: ScenarioRun, step: string): Call {
  const earlier = earlierExchange(scenarioRun, step)
  const twin = plainCall(earlier.call)
  // What became of the earlier call, and its id, stay its own.
  const { request, canonicalString, nonce, timestamp } = earlier
  return { ...twin, exactly: { request, canonicalString, nonce, timestamp }, twin }
}

function earlierExchange(scenarioRun: ScenarioRun, id: string): CallExchange {
  const exchange = firstExchange(scenarioRun, id)
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
async function callAfter(scenarioRun: ScenarioRun, step: string): Promise<Call> {
  const earlier = earlierExchange(scenarioRun, step)
  const seconds = headerIn(earlier.answer?.headers, HEADERS.retryAfter)
  if (seconds === undefined || !/^\d{1,4}$/.test(seconds) || Number(seconds) > LONGEST_SECONDS) {
    throw Open.unproven(`the answer of step ${step} names no whole seconds up to ${LONGEST_SECONDS} in Retry-After`)
  }
  const { run, id } = scenarioRun
  const waitMs = Number(seconds) * 1_000 + SLACK_MS
  run.onWait(id, 'the target asked for it in Retry-After', waitMs)
  await sleep(waitMs, run.signal)
  const twin = { ...plainCall(earlier.call), wants429: true }
  return { ...twin, twin }
}

/** Repeats a call until what is expected comes, or the time is over. */
export async function runUntil(scenarioRun: ScenarioRun, step: NamedStep): Promise<StepOutcome> {
  const call = await callToSend(scenarioRun, step)
  const before = scenarioRun.exchanges.length
  const exchange = await lookAgain(scenarioRun, step, call)
  if (judged(scenarioRun, step, exchange).some(({ verdict }) => verdict === 'fail'))
    await readOtherSides(scenarioRun, step)
  const doubt = limitInDoubt(scenarioRun, step, exchange, scenarioRun.exchanges.slice(before))
  return concluded(scenarioRun, step, doubt === null ? await withDoubt(scenarioRun, exchange) : { ...exchange, doubt })
}

/** A limit that the operator has set. */
interface Limit {
  requests: number
  windowMs: number
}

/**
 * Why a limit that refused nothing proves nothing: calls that take long come in windows of their own, however often they are
 * repeated. Null if they were quick enough, or something was refused.
 *
 * @param made by the step, in their order.
 */
export function limitInDoubt(
  { scenario }: Pick<ScenarioRun, 'scenario'>,
  step: Step,
  { answer }: Pick<CallExchange, 'answer'>,
  made: readonly Exchange[],
): string | null {
  const limit = limitBefore(scenario.steps, step)
  const isAbout = expectationsOf(step).some(({ refused }) => [refused].flat().includes('rate_limited'))
  if (limit === null || !isAccepted(answer) || !isAbout) return null
  if (groupsWithinHalf(limit, made) >= GROUPS_NEEDED) return null
  return `the calls took so long that a window of ${limit.windowMs / 1_000} s hardly held more than ${limit.requests} of them`
}

/** One group may lie across the border of two windows; then the next one does not. */
const GROUPS_NEEDED = 2

function limitBefore(steps: readonly Step[], step: Step): Limit | null {
  const setting = steps.slice(0, steps.indexOf(step)).findLast(({ operator }) => operator?.rate_limit !== undefined)
  if (!setting) return null
  const { requests, per_seconds: perSeconds } = argumentsOf('rate_limit', setting.operator?.rate_limit)
  return { requests: Number(requests), windowMs: Number(perSeconds) * 1_000 }
}

/** How many times just too many calls in a row began and ended within half a window. */
function groupsWithinHalf({ requests, windowMs }: Limit, made: readonly Exchange[]): number {
  return made.filter((first, index) => {
    const last = made[index + requests]
    return last !== undefined && last.sentAtMs + last.tookMs - first.sentAtMs <= windowMs / 2
  }).length
}

/** How often a burst of reads is tried until enough of it was in flight at once. */
const BURST_TRIES = 5

/** The pause before a burst of reads that met a bad moment goes out again; it grows with each. */
const AFTER_A_BAD_MOMENT_MS = 1_000

/** Sends several calls at once. */
export async function runBurst(scenarioRun: ScenarioRun, step: NamedStep): Promise<StepOutcome> {
  const call = callOf(step) as CallStep
  const atOnce = atOnceOf(call)
  const wanted = atOnce.overlap ?? Math.min(2, atOnce.calls)
  let result = await sendLanes(scenarioRun, step, call)
  for (let tries = 1; tries < BURST_TRIES; tries++) {
    // A call that met a limit has done nothing.
    const isLimited = result.exchanges.every(({ answer }) => answer?.status === 429)
    if (isWrite(step) && !isLimited) break
    const wasBad = validLanes(scenarioRun, result).length < Math.min(atOnce.calls, Math.max(2, wanted))
    if (!wasBad && result.overlapped >= wanted) break
    // What fails already does so whatever the other lanes would have got.
    const subject = { kind: 'burst', ...result, wanted } as const
    if (expectationsOf(step).some((one) => judge(scenarioRun, one, subject).verdict === 'fail')) break
    if (wasBad) await scenarioRun.run.pause(tries * AFTER_A_BAD_MOMENT_MS)
    result = await sendLanes(scenarioRun, step, call)
  }
  scenarioRun.records.set(step.id, { kind: 'calls', exchanges: result.exchanges })
  const outcome = reported(scenarioRun, step, { kind: 'burst', ...result, wanted }, result.exchanges[0]?.id ?? null)
  // Calls with one key come to what one of them was answered.
  const keys = new Set(result.exchanges.map((exchange) => exchange.call.idempotencyKey))
  const isKnown = keys.size === 1 && !keys.has(undefined) && result.exchanges.some(({ answer }) => isAccepted(answer))
  if (!isKnown) outcome.stop ??= lostStop(scenarioRun, step, result.exchanges)
  return outcome
}

async function sendLanes(
  scenarioRun: ScenarioRun,
  step: Step,
  call: CallStep,
): Promise<{ exchanges: CallExchange[]; overlapped: number }> {
  const { run } = scenarioRun
  const lanes = await lanesOf(scenarioRun, step, call)
  const requests = lanes.map(({ signed }) => signed.request)
  const send = async () => {
    const sent = await sendBurst(run.senderOptions, requests)
    return { ...sent, ...limitedOf(sent.replies) }
  }
  const { sentAtMs, replies, overlapped } = await inTurn(run, { isValid: false }, send, lanes.length)
  const exchanges = lanes.flatMap(({ call, signed }, index) => {
    const reply = replies[index]
    return reply ? [exchangeOf(scenarioRun, call, signed, reply, sentAtMs)] : []
  })
  return { exchanges, overlapped }
}

/** The lane that got a 429, if there was one. */
function limitedOf(replies: readonly Reply[]): Reply {
  const limited = replies.find(({ answer }) => answer?.status === 429 || answer?.status === 503)
  return limited ?? (replies[0] as Reply)
}

async function lanesOf(
  scenarioRun: ScenarioRun,
  step: Step,
  burst: CallStep,
): Promise<{ call: Call; signed: SignedRequest }[]> {
  const { calls, share = [], with: another } = atOnceOf(burst)
  const first = await callToSend(scenarioRun, step)
  const firstSigned = sign(scenarioRun, first)
  if (share.includes('request')) return Array.from({ length: calls }, () => ({ call: first, signed: firstSigned }))
  const made = [{ call: first, signed: firstSigned }]
  while (made.length < calls) {
    const lane = another !== undefined && made.length % 2 === 1 ? { ...step, as: another } : step
    const call = share.includes('body') ? first : await callToSend(scenarioRun, lane)
    const key = share.includes('idempotency_key') ? first.idempotencyKey : call.idempotencyKey && scenarioRun.run.uuid()
    const own = { ...call, ...(key !== undefined && { idempotencyKey: key }) }
    made.push({
      call: own,
      signed: share.includes('nonce') ? sign(scenarioRun, own, firstSigned.nonce) : sign(scenarioRun, own),
    })
  }
  return made
}

/**
 * Makes the call of a step. If the target itself says that it failed, the call gets another try; a write without a key, only after a
 * pause and an ordinary read that is answered.
 */
async function make(scenarioRun: ScenarioRun, step: Step, call: Call): Promise<CallExchange> {
  const exchange = await once(scenarioRun, step, call)
  if (isAccepted(exchange.answer) && !exchange.troubles?.length) return exchange
  if (call.takesAnyAnswer || !isServerError(exchange.answer) || isTrouble(scenarioRun, exchange.answer))
    return withDoubt(scenarioRun, exchange)
  if (call.exactly) return { ...exchange, doubt: noSecondTry(exchange) }
  if (!isRepeatable(call)) {
    await scenarioRun.run.pause(A_MOMENT_MS)
    const doubt = await doubtByAnOrdinaryRead(scenarioRun, exchange.answer)
    if (doubt !== null) return { ...exchange, doubt }
  }
  const second = await once(scenarioRun, step, call)
  return isServerError(second.answer) ? second : { ...second, doubt: changed(exchange.answer, second.answer) }
}

function noSecondTry({ answer }: CallExchange): string {
  return `the target answered ${statusWord(answer)}, and trying this again could do harm`
}

async function once(scenarioRun: ScenarioRun, step: Step, call: Call): Promise<CallExchange> {
  let first = await converse(scenarioRun, call)
  // How long pages may be is open: a length that is only wished for is left out where the target refuses it.
  const unlimited = first.answer?.status === 400 && !isAbout(step, 400) ? withoutWishedLimit(step, call) : null
  if (unlimited !== null) first = await converse(scenarioRun, unlimited)
  if (call.op === 'webhooks.put') noteRegistration(scenarioRun.run, first)
  return callOf(step)?.all_pages ? wholeList(scenarioRun, first) : first
}

/** Whether a step expects this status, or one of them. */
function isAbout(step: Step, status: number): boolean {
  return expectsRefusal(step) || expectationsOf(step).some((one) => [one.status].flat().includes(status))
}

/** The call without the length of a page that its step names as optional; null if there is none. */
function withoutWishedLimit(step: Step, call: Call): Call | null {
  const { query } = callOf(step) ?? {}
  const wished = query === undefined || Array.isArray(query) ? undefined : (query as Record<string, unknown>)['limit?']
  const rest = call.query.filter(([name, value]) => value !== String(wished) || !LIMIT_NAMES.includes(name))
  return rest.length === call.query.length ? null : { ...call, query: rest }
}

function changed(before: CallExchange['answer'], after: CallExchange['answer']): string {
  return `the target answered ${statusWord(before)} at first and ${statusWord(after)} when asked again`
}

/** A failure that came at every try is the target's answer only where it answers an ordinary read, and fails at this all the same. */
async function withDoubt(scenarioRun: ScenarioRun, { doubt: _, ...exchange }: CallExchange): Promise<CallExchange> {
  const { call, answer, troubles = [] } = exchange
  if (call.takesAnyAnswer || answer === null) return exchange
  if (!isTrouble(scenarioRun, answer)) {
    // An order may be at work all the same behind a gateway that gave up, and is refused for that then.
    const isSure = call.idempotencyKey === undefined || isAccepted(answer)
    const failed = troubles.find((trouble) => trouble && !(isSure && saysWhen(trouble)))
    return failed ? { ...exchange, doubt: changed(failed, answer) } : exchange
  }
  if (!isRepeatable(call) || call.exactly) return { ...exchange, doubt: noSecondTry(exchange) }
  const doubt = await doubtByAnOrdinaryRead(scenarioRun, answer)
  if (doubt !== null) return { ...exchange, doubt }
  const last = await converse(scenarioRun, { ...call, takesAnyAnswer: true })
  return isTrouble(scenarioRun, last.answer) ? last : { ...last, doubt: changed(answer, last.answer) }
}

/** Why a failure may be a bad moment of the whole target: it fails at an ordinary read as well. Null if it does not. */
export async function doubtByAnOrdinaryRead(scenarioRun: ScenarioRun, failure: Answer): Promise<string | null> {
  const read = await probe(scenarioRun, scenarioRun.run.credentials.main, true)
  if (!isTrouble(scenarioRun, read) && read?.status !== 429) return null
  return `the target answered ${statusWord(failure)}, and ${statusWord(read)} to an ordinary read`
}

/**
 * Makes a read again until it shows what is expected, or has had its time: a target may be late with what it does on its own.
 *
 * @param first what it came to before; it does not show it yet.
 */
async function lookAgain(
  scenarioRun: ScenarioRun,
  step: NamedStep,
  call: Call,
  first?: CallExchange,
): Promise<CallExchange> {
  const { run } = scenarioRun
  const startedMs = run.wall.monotonicMs()
  const untilMs = startedMs + longestWaitMs(run, step, slowestAnswerMs(scenarioRun))
  let pauseMs: number = FIRST_LOOK_MS[run.place]
  let notYetMs = first ? startedMs : null
  for (;;) {
    if (notYetMs !== null) {
      // The last look begins at the very end, however long the pause has grown, or the one before it took: many pages take their time.
      await sleep(Math.min(pauseMs, Math.max(untilMs - run.wall.monotonicMs(), 0)), run.signal)
      pauseMs = longerPauseMs(pauseMs)
      // What lists had is not another now, but a report may have been late.
      if (mayComeLate(call.op ?? undefined)) await readOtherSides(scenarioRun, step)
    }
    const beganMs = run.wall.monotonicMs()
    const exchange = await once(scenarioRun, step, call)
    // What is expected may speak of this very answer.
    scenarioRun.records.set(step.id, { kind: 'calls', exchanges: [exchange] })
    const isShown =
      !isNotThereYet(scenarioRun, step, exchange) &&
      judged(scenarioRun, step, exchange).every(({ verdict }) => verdict === 'pass')
    if (isShown && notYetMs !== null && isCounting(step)) noteLag(run, notYetMs - startedMs, beganMs - startedMs)
    if (isShown || beganMs >= untilMs || run.signal?.aborted) return exchange
    notYetMs = beganMs
  }
}

/** Whether a step reads what scenarios count: a report, or a list to its end. */
export function isCounting(step: Step): boolean {
  const call = callOf(step)
  return call?.all_pages === true || mayComeLate(call?.op)
}

/** A single look may take as long as all its pages do, and says nothing of a longer lag. */
const MOST_LAG_BY_ONE_LOOK_MS = 1_000

/** A read was late by more than `leastMs`, when a look began that did not show it yet, and by `mostMs` at most. */
function noteLag({ pace }: Run, leastMs: number, mostMs: number): void {
  pace.readLagMs = Math.max(pace.readLagMs, leastMs, Math.min(mostMs, MOST_LAG_BY_ONE_LOOK_MS))
}

/**
 * Makes the reads that this one is compared with again: of reads that have to agree, and between which nothing was done, any may have
 * been the late one.
 */
async function readOtherSides(scenarioRun: ScenarioRun, step: NamedStep): Promise<void> {
  const { steps } = scenarioRun.scenario
  const compared = new Set(referencesIn(step.expect).map(([first]) => first))
  for (let index = steps.indexOf(step) - 1; index >= 0; index--) {
    const before = steps[index] as NamedStep
    const earlier = firstExchange(scenarioRun, before.id)
    const isOne = callOf(before) !== undefined && callOf(before)?.at_once === undefined
    if (!isOne || before.fault !== undefined || !earlier || !isRead(earlier.call)) return
    if (!compared.has(before.id)) continue
    const again = await once(scenarioRun, before, plainCall(earlier.call))
    if (isAccepted(again.answer)) scenarioRun.records.set(before.id, { kind: 'calls', exchanges: [again] })
  }
}

function judged(scenarioRun: ScenarioRun, step: Step, exchange: CallExchange): Check[] {
  return expectationsOf(step).map((expectation) => judge(scenarioRun, expectation, { kind: 'call', exchange }))
}
