import { ENDPOINTS } from '../../contract/endpoints.ts'
import { headerIn } from '../../contract/headers.ts'
import { whyNoAnswer } from '../../contract/host.ts'
import { isObject } from '../../contract/is-object.ts'
import { ask } from '../context/operator.ts'
import { type CallExchange, type Caller, createCaller, type Run, readClock, targetNowMs } from '../context/run.ts'
import { converse, probe } from '../context/send-call.ts'
import type { Step } from '../format/scenario.ts'
import { callOf } from '../format/step-facts.ts'
import { type Answer, isAccepted, isRefused, isServerError } from '../http/exchange.ts'
import { isAuthenticationRefusal } from '../judge/twin.ts'
import { isOpen } from '../result/open.ts'
import { type Call, callTo, probeCall } from '../signing/sign-call.ts'
import { describeFault, FAULTS, type Fault, FaultHasNoEffectError } from '../signing/signature-faults.ts'
import { atSandbox, dialectOf } from '../target/own-sandbox.ts'
import type { TargetCredential } from '../target/target.ts'
import { TargetError } from './run-options.ts'

/**
 * The first calls of a run: does the target answer, what time is it there, and does it know our key? Then what a sandbox of ours says
 * of the world that was named.
 *
 * @throws TargetError if nothing can be judged; also if a sandbox has no such world, refuses the token, or does not answer.
 */
export async function greetTarget(run: Run, doubtsCredentials: boolean): Promise<void> {
  const { credentials, end, target } = run
  const caller = createCaller(run, 'hello', 'h')
  const { answer, broken } = await converse(caller, probeCall(credentials.main))
  if (!answer)
    throw new TargetError(
      'unreachable',
      `${target.url} gives no answer${broken ? ` (${whyNone(broken.message, target.url)})` : ''}`,
    )
  if (end.why !== null) return
  readClock(run, answer)
  if (doubtsCredentials && (!isAccepted(answer) || answer.json === undefined)) await checkAddressAndKey(caller)
  const { operator, mode } = target
  if (operator?.url) {
    // What a running sandbox shows of the world that was named, before anything is made there: how it fills the gaps, where the target
    // file says nothing, and what time it is.
    const { status, said, json } = await ask(caller, atSandbox(operator, 'GET', ''))
    if (status !== null && status < 300) {
      const dialect = dialectOf(json)
      if (dialect) run.dialect.add(dialect)
      // An earlier run, or an earlier part of this one, may have moved the time of the world.
      const aheadMs = isObject(json) ? Date.parse(String(json.now)) - targetNowMs(run) : Number.NaN
      if (!Number.isNaN(aheadMs)) run.clock.isShown = true
      if (Math.abs(aheadMs) > NOTICEABLE_MS) run.clock.advancedMs = aheadMs
    } else if (mode !== 'read') {
      const { url, world } = operator
      if (status === null) throw new TargetError('no-operator', `the operator address ${url} answers ${said}`)
      const answers = status === 404 ? `has no world "${world}"` : `answers ${said} when asked for its world "${world}"`
      throw new TargetError('operator', `the operator at ${url} ${answers}`)
    }
  }
  run.clock.startedAtMs = targetNowMs(run) + run.clock.advancedMs
}

/**
 * Why there was no connection, with what its code says.
 *
 * @example whyNone('no connection: ECONNREFUSED', 'http://127.0.0.1:1') // 'no connection: ECONNREFUSED: nothing listens there'
 */
export function whyNone(message: string, url: string): string {
  const why = whyNoAnswer(message, url)
  return [message, ...(why === null ? [] : [why])].join(': ')
}

/** What the way of the answer may account for. */
const NOTICEABLE_MS = 5_000

/**
 * Reads the lists that steps ask for, of a target whose file places nothing, once before the runner judges anything: as long as little
 * is on them, they show best which value is where. What a list that cannot be read would have shown, the scenarios see.
 */
export async function readListsFirst(run: Run, steps: readonly Step[]): Promise<void> {
  const { credentials, target } = run
  // A sandbox of ours returns its places through its operator.
  if (target.operator?.url || Object.keys(target.dialect.roles).length > 0) return
  const asked = new Set(steps.flatMap((step) => callOf(step)?.op ?? []))
  const caller = createCaller(run, 'dialect', 'l')
  try {
    for (const op of asked)
      if (ENDPOINTS[op].openRoles !== null && ENDPOINTS[op].list !== null)
        await converse(caller, callTo(op, credentials.main))
  } catch (error) {
    if (!isOpen(error, 'not_run', 'inconclusive')) throw error
  }
}

/**
 * Tries main on calls of different shapes, two of which no target may answer with 404: with a query, without one, and, where the run may write, one with a body that
 * makes nothing. Where none of them is answered as an API answers, or each is refused for who calls or how it is signed, judging
 * would only say so hundreds of times.
 *
 * @throws TargetError with what is likely wrong, the likelier first.
 */
async function checkAddressAndKey(caller: Caller): Promise<void> {
  const { target, credentials } = caller.run
  const { main } = credentials
  const search = callTo('domains.search', main, [['q', 'solar']])
  const reads = [probeCall(main), search, callTo('orders.list', main), callTo('events.list', main)]
  const answers: (Answer | null)[] = []
  for (const call of [...reads, ...(target.mode === 'read' ? [] : [emptyQuote(main)])]) {
    const { answer } = await converse(caller, { ...call, takesAnyAnswer: true })
    if (strangeness(answer) === null && refusalOf(caller, answer) === null) return
    answers.push(answer)
  }
  const last = answers.at(-1) ?? null
  const refusal = refusalOf(caller, last)
  if (refusal === null) {
    const kind = answers.every(isServerError) ? 'unreachable' : 'address'
    throw new TargetError(kind, `${target.url} answers every valid call with ${strangeness(last)}`)
  }
  const others = target.credentials.filter(({ name }) => name !== main.name)
  throw new TargetError('credential', adviceOf(refusal, await firstTaken(caller, others)), refusal)
}

/** An answer that no call of the API gets, in words; null if it may be one of an API. */
function strangeness(answer: Answer | null): string | null {
  if (answer === null) return 'nothing'
  const { status, headers, body, json } = answer
  if (status >= 500) return `${status}`
  if (status >= 300 && status < 400)
    return `${status}, which leads to ${headerIn(headers, 'location') ?? 'no other address'}`
  if (status === 429) return null
  // Any call may be about something that is not there, but for the lists of orders and events.
  if (json !== undefined) return status === 404 ? '404' : null
  const type = headerIn(headers, 'content-type')
  if (type !== undefined && /json/i.test(type))
    return `${status} and ${type}, and its body is not JSON${placeOfFault(body)}`
  return `${status} and ${type ?? 'a body without a Content-Type'} where JSON belongs`
}

/** Where a body ceases to be JSON; nothing where its parser does not say. */
function placeOfFault(body: Uint8Array): string {
  try {
    JSON.parse(Buffer.from(body).toString('utf8'))
    return ''
  } catch (error) {
    const [place] = /position \d+/.exec(String(error)) ?? []
    return place === undefined ? '' : ` (${place})`
  }
}

/** No target makes a quote of nothing; one that looks at signatures first has to take this one to say so. */
function emptyQuote(credential: TargetCredential): Call {
  return { ...callTo('quotes.create', credential), body: Buffer.from('{}'), invalid: true }
}

/** Enough to see whether the target accepts any credential. */
const OTHERS_TRIED = 2

/** The refusal in words where it is one of authentication. */
function refusalOf({ run }: Caller, answer: Answer | null): string | null {
  return isAuthenticationRefusal({ run }, answer) ? `${answer.status} ${run.dialect.codeOf(answer) ?? ''}`.trim() : null
}

async function firstTaken(caller: Caller, others: readonly TargetCredential[]): Promise<TargetCredential | null> {
  for (const other of others.slice(0, OTHERS_TRIED)) if (isAccepted(await probe(caller, other))) return other
  return null
}

function adviceOf(refusal: string, taken: TargetCredential | null): string {
  const doubt = refusal.endsWith('invalid_timestamp')
    ? 'is the clock of this machine right'
    : 'are key id and secret right'
  const main = `the target refuses every call of main with ${refusal}: ${doubt}?`
  if (taken) return `${main} The credential ${taken.name} is accepted, so it is those of main that are wrong or revoked`
  return `${main} A target that refuses valid calls violates AUTH-01, and from outside the two look alike, so nothing was judged`
}

/** The known ways of signing wrongly. */
const WRONG_WAYS: readonly Fault[] = [
  ...Object.keys(FAULTS.canonical.words).map((word) => ({ canonical: word }) as Fault),
  ...(['no_prefix', 'upper_case', 'base64'] as const).map((signature) => ({ signature })),
  { signature: { key: 'key_id' } },
  { timestamp: 'milliseconds' },
]

/** The second covers what the query of the first does not distinguish. */
const READS = [
  { op: 'availability', query: [['domain', 'probe.example']] },
  {
    op: 'domains.search',
    query: [
      ['q', 'roof (solar)'],
      ['q', 'a roof'],
      ['limit', ''],
    ],
  },
] as const

/** A read that was signed wrongly, and taken. */
interface TakenWronglySigned {
  exchange: CallExchange
  /** The way, in words. */
  way: string
}

/**
 * Of a target that refuses every valid call: signs a read in each of the known wrong ways. One that takes it knows the credential and
 * is wrong itself (AUTH-01); null if it takes none.
 */
export async function takenWronglySigned(
  caller: Caller,
  credential: TargetCredential,
): Promise<TakenWronglySigned | null> {
  for (const fault of WRONG_WAYS)
    for (const { op, query } of READS) {
      const exchange = await sent(caller, { ...callTo(op, credential, query), fault, invalid: true })
      if (exchange === null) continue
      if (isTaken(caller, exchange)) return { exchange, way: inWords(fault) }
      break
    }
  return null
}

/** What is wrong, and how a scenario would write it. */
function inWords(fault: Fault): string {
  const word = typeof fault.canonical === 'string' ? fault.canonical : null
  return word === null ? describeFault(fault) : `${FAULTS.canonical.words[word]} (${describeFault(fault)})`
}

/** Null if the fault changes nothing of this call. */
async function sent(caller: Caller, call: Call): Promise<CallExchange | null> {
  try {
    return await converse(caller, call)
  } catch (error) {
    if (error instanceof FaultHasNoEffectError) return null
    throw error
  }
}

/**
 * Accepted, or refused for what it asks for. Headers that are not of the form of the document may be refused as malformed before
 * anything is compared.
 */
function isTaken(caller: Caller, { call: { fault }, answer }: CallExchange): boolean {
  if (isAccepted(answer)) return true
  if (fault?.timestamp !== undefined || typeof fault?.signature === 'string') return false
  return isRefused(answer) && answer.status !== 429 && answer.status !== 404 && refusalOf(caller, answer) === null
}
