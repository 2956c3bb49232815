import type { EndpointId } from '../../contract/endpoints.ts'
import { isErrorCode } from '../../contract/errors.ts'
import { HEADERS } from '../../contract/headers.ts'
import { endpointOf } from '../format/step-facts.ts'
import { type Answer, answerOf, headerOf, isAccepted, isServerError } from '../http/answer.ts'
import { type Exchange, keptOutcome, type Outcome } from '../http/exchange.ts'
import { type CallKind, MOST_PATIENCE_MS, retryAfterMs } from '../http/throttle.ts'
import { Open } from '../result/open.ts'
import { SENT_AGAIN } from '../result/result.ts'
import { type CallPlan, type SignedRequest, signPlan } from '../signing/sign-plan.ts'
import type { Fault, FaultContext } from '../signing/signature-faults.ts'
import type { TargetCredential } from '../target/target.ts'
import { noteDate } from './clock-edge.ts'
import { type Client, type Run, targetNowMs } from './run-context.ts'

/** One call to make: what, as whom, and with which one fault. */
export interface Call {
  op: EndpointId | null
  plan: CallPlan
  credential: TargetCredential
  fault?: Fault | undefined
  context?: FaultContext
  /** A valid client would not send this call, so its acceptance is not evidence. */
  invalid?: boolean
  /** The step wants a 429: do not wait. */
  wants429?: boolean
  /** The step accepts any answer, or a second try would change what is seen: no 5xx is tried again. */
  takesAnyAnswer?: boolean
  /** Sends these bytes instead of signing. */
  exactly?: SignedRequest
  /** The same call without its fault. */
  twin?: Call
}

/** A call that was made, with what came back. */
export interface Turn {
  call: Call
  signed: SignedRequest
  exchange: Exchange
  /** Null if the connection broke. */
  answer: Answer | null
  /** What came at earlier tries of it: no answer, or a 5xx without a documented code. */
  troubles?: readonly (Answer | null)[]
  /** Why what came proves nothing: it may have been one bad moment of the target. */
  doubt?: string
}

/** The pauses before further tries. */
export const PAUSES_MS = [1_000, 3_000]

/**
 * Makes a call and waits out any 429, signing again each time with a fresh nonce. If the connection broke or a 5xx without a
 * documented code came, it sends again what may be sent again. The turn holds what the target did; nothing is thrown for it.
 *
 * @throws Open (not_run) if the budget is used up.
 */
export async function converse(client: Client, call: Call): Promise<Turn> {
  let waitedMs = 0
  const troubles: (Answer | null)[] = []
  for (;;) {
    const turn = { ...(await sendOnce(client, call)), troubles }
    if (isStale(turn) && isRead(call) && mayGoOutAgain(call)) continue
    const pauseMs = PAUSES_MS[troubles.length]
    if (pauseMs !== undefined && isTrouble(client, turn.answer) && mayBeTriedAgain(call, turn.answer)) {
      troubles.push(turn.answer)
      // Where it says how long, the whole run waits as long.
      if (turn.answer && headerOf(turn.answer, HEADERS.retryAfter) !== undefined) continue
      await client.run.pause(pauseMs)
      continue
    }
    if (turn.answer?.status !== 429 || call.wants429 || !mayGoOutAgain(call)) return noted(client, turn)
    const waitMs = retryAfterMs(headerOf(turn.answer, HEADERS.retryAfter), targetNowMs(client.run))
    if (waitedMs + waitMs > MOST_PATIENCE_MS) return noted(client, turn)
    waitedMs += waitMs
    // The whole run waits; the next turn comes when it is over.
    client.run.onWait(client.caller, 'the target answered 429', waitMs)
  }
}

/** A nonce that a fault fixes may be used up by now, so a second try would prove nothing; given bytes go out once. */
function mayGoOutAgain({ fault, exactly }: Call): boolean {
  if (exactly) return false
  return !(typeof fault?.nonce === 'object' && 'raw' in fault.nonce)
}

function isRead({ plan }: Call): boolean {
  return plan.method === 'GET' || plan.method === 'HEAD'
}

function isStale({ exchange: { outcome } }: Turn): boolean {
  return outcome.kind === 'broken' && outcome.stale === true
}

/** Reads, calls that must not be accepted anyway, and orders, whose key makes a second one the same. */
export function isRepeatable(call: Call): boolean {
  const { op, invalid } = call
  return isRead(call) || invalid === true || (op !== null && endpointOf(op).idempotencyKey !== undefined)
}

function mayBeTriedAgain(call: Call, answer: Answer | null): boolean {
  return isRepeatable(call) && mayGoOutAgain(call) && !(call.takesAnyAnswer && answer !== null)
}

/** One bad moment of the network or the target, as far as the runner can see: no answer, or a 5xx that nothing documents. */
export function isTrouble(client: Pick<Client, 'run'>, answer: Answer | null): boolean {
  if (!isServerError(answer)) return answer === null
  const code = client.run.dialect.find('error.code', answer)
  return !(code.found && isErrorCode(String(code.value)))
}

async function sendOnce(client: Client, call: Call): Promise<Turn> {
  const { run } = client
  const kind = { isValid: isValid(call), provokes429: call.wants429 === true }
  const { signed, sentAtMs, outcome } = await inTurn(run, kind, async () => {
    const signed = call.exactly ?? sign(client, call)
    // A call that goes out only once must not be lost on a closing connection.
    return {
      signed,
      outcome: await run.sender.send(signed.wire, { signal: run.signal, fresh: call.exactly !== undefined }),
    }
  })
  const { wire: request, canonicalString } = signed
  const exchange = record(client, { sentAtMs, request, canonicalString, outcome, ...oddityOf(call) })
  return { call, signed, exchange, answer: answerOf(outcome, call.op) }
}

/**
 * Waits for its turn and its share of the budget, and sends.
 *
 * @throws Open (not_run) if the budget is used up, Open (inconclusive) if the run was stopped.
 */
export function inTurn<Sent extends { outcome: Outcome }>(
  { throttle, budget, signal, wall }: Run,
  kind: CallKind,
  send: () => Promise<Sent>,
  requests = 1,
): Promise<Sent & { sentAtMs: number }> {
  return throttle.through(kind, async () => {
    for (let count = 0; count < requests; count++) await budget.request(signal)
    if (signal?.aborted) throw Open.unproven('the run was stopped')
    const sentAtMs = wall.nowMs()
    return { ...(await send()), sentAtMs }
  })
}

function oddityOf({ fault, exactly }: Call): Pick<Exchange, 'oddity'> {
  if (exactly) return { oddity: SENT_AGAIN }
  return fault === undefined ? {} : { oddity: `a fault on purpose, ${JSON.stringify(fault)}` }
}

function isValid({ fault, invalid, exactly }: Call): boolean {
  return fault === undefined && invalid !== true && exactly === undefined
}

/** Signs a call for now, by the target's clock. */
export function sign(client: Client, call: Call, nonce: string = client.run.uuid()): SignedRequest {
  const at = { timestampSeconds: Math.floor(targetNowMs(client.run) / 1_000), nonce }
  return signPlan(call.plan, call.credential, at, call.fault, call.context)
}

/** Keeps an exchange under the next id of its scenario. */
export function record(client: Client, exchange: Omit<Exchange, 'id' | 'scenario'>): Exchange {
  const id = `${client.prefix}e${client.exchanges.length + 1}`
  const kept: Exchange = { id, scenario: client.caller, ...exchange, outcome: keptOutcome(exchange.outcome) }
  client.exchanges.push(kept)
  noteDate(client.run, exchange)
  client.run.onExchange(client.caller, kept)
  return kept
}

/** A turn made of parts that were sent elsewhere, in a burst. */
export function turnOf(client: Client, call: Call, signed: SignedRequest, outcome: Outcome, sentAtMs: number): Turn {
  const { wire: request, canonicalString } = signed
  const oddity = 'one of several calls sent at the same moment'
  const exchange = record(client, { sentAtMs, request, canonicalString, outcome, oddity })
  return noted(client, { call, signed, exchange, answer: answerOf(outcome, call.op) })
}

function noted(client: Client, turn: Turn): Turn {
  const { call, answer, exchange } = turn
  if (answer) client.run.dialect.learn(answer, exchange.id)
  if (isValid(call) && isAccepted(answer)) client.run.evidence.note(call.op, call.credential.name, exchange.id)
  return turn
}
