import { domainToASCII, domainToUnicode } from 'node:url'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { isErrorCode } from '../../contract/errors.ts'
import { HEADERS, headerIn } from '../../contract/headers.ts'
import { TRACEPARENT, traceparentOf } from '../../contract/trace-context.ts'
import { OPERATIONS } from '../format/step-facts.ts'
import {
  type Answer,
  type Exchange,
  isAccepted,
  isRefused,
  isServerError,
  keptExchange,
  type Reply,
} from '../http/exchange.ts'
import { MOST_PATIENCE_MS, retryAfterMs } from '../http/throttle.ts'
import { Open } from '../result/open.ts'
import { SENT_AGAIN } from '../result/result.ts'
import { type Call, isRead, isValid, probeCall, type SignedRequest, signCall } from '../signing/sign-call.ts'
import { isElsewhere } from '../target/target.ts'
import { keptAnswer } from './kept-answers.ts'
import { type CallExchange, type Caller, noteDate, noteWorldTime, type Run, targetNowMs } from './run.ts'

/** After so long, a bad moment of a target may be over. */
export const A_MOMENT_MS = 1_000

/** The pauses before further tries. */
export const PAUSES_MS = [A_MOMENT_MS, 3_000]

/**
 * Makes a call and waits out any 429, signing again each time with a fresh nonce. If the connection broke or a 5xx without a
 * documented code came, it sends again what may be sent again. The exchange holds what the target did; nothing is thrown for it.
 *
 * @throws Open (not_run) if the budget is used up.
 */
export async function converse(caller: Caller, call: Call): Promise<CallExchange> {
  const { run } = caller
  const { fault, exactly } = call
  const kind = { isValid: isValid(call), provokes429: call.wants429 === true }
  const oddity = exactly ? SENT_AGAIN : fault && `a fault on purpose, ${JSON.stringify(fault)}`
  // A copy has to be refused because its bytes were sent before, which holds after a 429, but not after a bad moment.
  const mayGoOutAgain = exactly === undefined && !hasFixedNonce(call)
  let waitedMs = 0
  const troubles: (Answer | null)[] = []
  for (;;) {
    const { signed, sentAtMs, ...reply } = await inTurn(run, kind, async () => {
      const signed = exactly ?? sign(caller, call)
      // A call that goes out only once must not be lost on a closing connection.
      const fresh = exactly !== undefined
      return { signed, ...(await run.sender.send(signed.request, { signal: run.signal, fresh })) }
    })
    const exchange = { ...recordCall(caller, call, signed, reply, sentAtMs, oddity), troubles }
    const { answer, broken } = exchange
    if (broken?.stale && isRead(call) && mayGoOutAgain) continue
    const pauseMs = PAUSES_MS[troubles.length]
    const mayTryAgain = pauseMs !== undefined && !(call.takesAnyAnswer && answer !== null)
    if (mayTryAgain && isTrouble(caller, answer) && isRepeatable(call) && mayGoOutAgain) {
      troubles.push(answer)
      // Where it says how long, the whole run waits as long.
      if (saysWhen(answer)) continue
      const trouble = answer === null ? 'gave no answer' : `answered ${answer.status}`
      run.onWait(caller.id, `the target ${trouble}, so this is sent again`, pauseMs)
      await run.pause(pauseMs)
      continue
    }
    if (answer?.status !== 429 || call.wants429 || hasFixedNonce(call)) return noted(caller, exchange)
    const waitMs = retryAfterMs(headerIn(answer.headers, HEADERS.retryAfter), targetNowMs(run))
    if (waitedMs + waitMs > MOST_PATIENCE_MS) return noted(caller, exchange)
    waitedMs += waitMs
    // The whole run waits; the next turn comes when it is over.
    run.onWait(caller.id, 'the target answered 429', waitMs)
  }
}

/** A nonce that a fault fixes may be used up by a first try, so that a second one would prove nothing. */
function hasFixedNonce({ fault }: Call): boolean {
  return typeof fault?.nonce === 'object' && 'raw' in fault.nonce
}

/** Reads, calls that must not be accepted anyway, and orders, whose key makes a second one the same. */
export function isRepeatable(call: Call): boolean {
  const { op, invalid } = call
  return isRead(call) || invalid === true || (op !== null && OPERATIONS[op].idempotencyKey !== undefined)
}

/** One bad moment of the network or the target, as far as the runner can see: no answer, or a 5xx that nothing documents. */
export function isTrouble({ run }: Pick<Caller, 'run'>, answer: Answer | null): boolean {
  if (!isServerError(answer)) return answer === null
  return !isErrorCode(String(run.dialect.codeOf(answer)))
}

/** A service that is away and says until when: what it answers then counts, as it does after a 429. */
export function saysWhen(answer: Answer | null): boolean {
  return answer?.status === 503 && headerIn(answer.headers, HEADERS.retryAfter) !== undefined
}

/**
 * Waits for its turn and its share of the budget, and sends.
 *
 * @throws Open (not_run) if the budget is used up, Open (inconclusive) if the run was stopped.
 */
export function inTurn<Sent extends Reply>(
  { throttle, budget, signal, wall }: Run,
  kind: Parameters<Run['throttle']['through']>[0],
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

/** Signs a call for now, by the target's clock. */
export function sign({ run, traceId }: Caller, call: Call, nonce: string = run.uuid()): SignedRequest {
  const trace = [TRACEPARENT, traceparentOf(traceId, run.uuid().replaceAll('-', '').slice(-16))] as const
  return signCall(
    { ...call, headers: [...(call.headers ?? []), trace] },
    { timestampSeconds: targetNowMs(run) / 1_000, nonce },
  )
}

/** Keeps an exchange under the next id that begins as its caller's do. */
export function record<Facts extends Omit<Exchange, 'id' | 'scenario'>>(caller: Caller, facts: Facts) {
  const { exchangeCounts } = caller.run
  const count = (exchangeCounts.get(caller.prefix) ?? 0) + 1
  exchangeCounts.set(caller.prefix, count)
  const id = `${caller.prefix}e${count}`
  const exchange = { id, scenario: caller.id, ...facts }
  const kept = keptExchange(exchange)
  caller.exchanges.push(kept)
  caller.run.onExchange(caller.id, kept)
  return exchange
}

function recordCall(
  caller: Caller,
  call: Call,
  signed: SignedRequest,
  reply: Reply,
  sentAtMs: number,
  oddity: string | undefined,
): CallExchange {
  const { op } = call
  const answer = reply.answer && { ...reply.answer, op }
  const { clock, wall, calls, memory } = caller.run
  // Once a clock was moved, what the target writes into its records is known to minutes at best.
  const isMoved = clock.advancedMs !== 0 || clock.skewMs !== 0
  const recordsAtMs = isMoved ? Number.NaN : targetNowMs({ wall, clock })
  const exchange = record(caller, {
    ...signed,
    ...reply,
    answer,
    call,
    sentAtMs,
    recordsAtMs,
    ...(oddity && { oddity }),
  })
  // Pages and an operator may be on other machines, with clocks of their own.
  noteDate(caller.run, exchange)
  if (!isRead(call)) noteNames(caller.run, signed.request.body)
  const kept = keptAnswer(memory, answer, !isRead(call))
  calls.push(kept === answer ? exchange : { ...exchange, answer: kept })
  return exchange
}

/** Texts with a dot. */
const MAY_BE_DOMAINS = /"([^"\\\s]+\.[^"\\\s]+)"/g

function noteNames({ named }: Run, body: Uint8Array): void {
  // A target may write an international name in its other form.
  for (const [, name = ''] of Buffer.from(body).toString().matchAll(MAY_BE_DOMAINS))
    for (const form of [name.toLowerCase(), domainToASCII(name), domainToUnicode(name)]) named.add(form)
}

/** The exchange of a call that was sent elsewhere, in a burst. */
export function exchangeOf(
  caller: Caller,
  call: Call,
  signed: SignedRequest,
  reply: Reply,
  sentAtMs: number,
): CallExchange {
  const oddity = 'one of several calls sent at the same moment'
  return noted(caller, recordCall(caller, call, signed, reply, sentAtMs, oddity))
}

function noted({ run }: Caller, exchange: CallExchange): CallExchange {
  const { call, answer, id } = exchange
  if (answer) run.dialect.learn(answer, id)
  if (answer) noteLeak(run, answer, id)
  if (isRefused(answer)) run.refusals.push(exchange)
  if (isValid(call) && isAccepted(answer)) run.evidence.note(call, id)
  noteCreated(run, exchange)
  return exchange
}

/** Takes note of a message of the target that shows the secret of a credential. */
export function noteLeak(
  { target, leaks }: Run,
  { headers, body }: Pick<Answer, 'headers' | 'body'>,
  exchange: string,
): void {
  const text = [...headers.map(([, value]) => value), Buffer.from(body.buffer, body.byteOffset, body.byteLength)].join(
    '\n',
  )
  const isShown = target.credentials.some(({ secret }) => text.includes(secret))
  if (isShown) leaks.push(exchange)
}

/** A read that any correct target accepts, for any domain. */
export async function probe(
  caller: Caller,
  credential: Call['credential'],
  takesAnyAnswer = false,
): Promise<Answer | null> {
  const call = probeCall(credential, caller.run.target.fixtures.unlisted)
  return (await converse(caller, { ...call, takesAnyAnswer })).answer
}

/** Keeps a list of what the run leaves behind: this API deletes nothing. */
function noteCreated(run: Run, exchange: CallExchange): void {
  const {
    call: { op, credential },
    answer,
  } = exchange
  const row = op === null ? null : ENDPOINTS[op].creates
  if (!row || !isAccepted(answer)) return
  run.writes.push(exchange)
  const { created, dialect, pace, wall } = run
  const found = dialect.find(row.handles[0].role, answer)
  const at = row.at && dialect.find(row.at, answer)
  const id = found.found ? String(found.value) : 'unknown'
  // Another environment may have another time.
  const key = run.target.credentials.find(({ name }) => name === credential.name)
  if (!(key && isElsewhere(run.target, key))) {
    if (at?.found) noteWorldTime(run, at.value)
    if (row.kind === 'order' && !pace.recordedAtMs.has(id)) pace.recordedAtMs.set(id, wall.nowMs())
  }
  if (created.some((thing) => thing.kind === row.kind && thing.id === id)) return
  created.push({ kind: row.kind, id })
  run.made.push(exchange)
}
