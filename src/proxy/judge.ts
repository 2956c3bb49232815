import { nextTurn, type WallClock } from '../clock/wall-clock.ts'
import { parseJson } from '../conformance/http/json-body.ts'
import type { DialectFile } from '../conformance/target/target.ts'
import { hasUnsignedBody } from '../contract/canonical-string.ts'
import type { Explained } from '../contract/diagnosis/explained.ts'
import { sentenceOf, UNEXPLAINED_SENTENCE } from '../contract/diagnosis/present.ts'
import { endpointAt } from '../contract/endpoints.ts'
import { type ApiError, type ErrorCode, isErrorCode } from '../contract/errors.ts'
import { HEADERS, headerPairsOf } from '../contract/headers.ts'
import { isObject } from '../contract/is-object.ts'
import { asSentence } from '../contract/words.ts'
import { reasonOf } from '../operator/explain-refusal.ts'
import { codeOf, isRefusal } from '../operator/present-request.ts'
import type { Environment } from '../sandbox/app/environment.ts'
import { noteCall } from '../sandbox/coverage/coverage.ts'
import { type Call, type CheckName, headerValues, newCall, requestIds } from '../sandbox/wire/call.ts'
import type { Answer, Exchange } from '../sandbox/wire/route.ts'
import type { Worlds } from '../sandbox/worlds/worlds.ts'
import { checkCall, isAccepted } from './check-call.ts'
import { createContractCheck } from './contract-findings.ts'
import { decodedText } from './decoded-text.ts'
import { hasHeader } from './forwarded-headers.ts'
import { createHabits } from './habits.ts'
import { keep, spelled } from './keep.ts'
import { inOwnWords, withOwnCursor } from './own-words.ts'
import type { PassedCall } from './pass-through.ts'
import { warnOf } from './warn-of.ts'

export interface JudgeOptions {
  /** One world, with the credentials of the target: it keeps log, coverage and feed. */
  readonly worlds: Worlds
  readonly wall: WallClock
  /** What the target file says of the names of the target; null without one. */
  readonly dialect: DialectFile | null
  /** Headers that are kept besides the harmless ones, in lower case. */
  readonly recordHeaders: readonly string[]
}

/** Calls whose signatures wait for a search. Those beyond are logged without one, as are those whose body was cut. */
const MOST_WAITING = 10
/** How long a search may keep calls waiting at a time. */
const SLICE_MS = 3

/**
 * Judges copies of the calls that have passed through, one after the other, and writes what it finds into the log. No call
 * waits for it.
 */
export function createJudge(options: JudgeOptions): (passed: PassedCall) => void {
  const { worlds } = options
  const newId = requestIds('px_')
  const habitsOf = createHabits()
  const contractOf = createContractCheck(options.dialect)
  let waiting = 0
  let done: Promise<void> = Promise.resolve()

  return (passed) => {
    const call = received(passed, newId())
    const text = textOf(passed)
    const finished = exchangeOf(call, passed, text ?? '', worlds.main)
    const write = ({ explained, says }: CallVerdict) =>
      keep(finished, passed, { explained, findings: [...passingFindings(passed), ...says] }, options)
    const failed = (error: unknown, findings: readonly string[] = []) => {
      warnOf(error)
      write({ explained: null, says: [UNJUDGED, ...findings] })
    }
    let seen: ReturnType<typeof see>
    try {
      seen = see(finished, passed, text)
    } catch (error) {
      failed(error)
      return
    }
    const { read, refusal, findings } = seen
    const isSearched = waiting < MOST_WAITING && passed.body.isWhole
    waiting += 1
    done = done
      .then(() => ownRefusal(passed) ?? verdictOf(read, refusal, isSearched, options))
      .then(
        ({ explained, says }) => write({ explained, says: [...says, ...findings] }),
        (error) => failed(error, findings),
      )
      .catch(warnOf)
      .finally(() => {
        waiting -= 1
      })
  }

  /** What is seen at once, in the order in which calls end. */
  function see(finished: Exchange, passed: PassedCall, text: string | null) {
    const { call } = finished
    const read = { ...finished, answer: inOwnWords(finished.answer, call.endpoint, options.dialect) }
    const refusal = checkCall(finished, passed.body, worlds)
    const counted = { ...call, rawQuery: withOwnCursor(call.rawQuery, call.endpoint, options.dialect) }
    const coverage = noteCall(worlds, call.world as Environment | null, { ...read, call: counted })
    const retry = coverage?.countNoted()
    const findings = [
      ...wholenessFindings(passed),
      ...(retry?.wrong
        ? [`This is a retry after ${retry.after === 'lost_reply' ? 'no answer' : retry.after}, and ${retry.wrong}.`]
        : []),
      ...habitsOf(read),
      ...clockFindings(call, finished),
      ...(refusal === null ? [] : codeFindings(refusal, call, read.answer)),
      ...(text === null ? ['The Content-Encoding of the answer could not be undone, so it was not compared.'] : []),
      ...(isWholeAnswer(passed) && text !== null ? contractOf(finished, read.answer) : []),
    ]
    return { read, refusal, findings }
  }
}

const UNJUDGED = 'The proxy failed to judge this call; its terminal shows where.'

function received({ method, target, rawHeaders, body, receivedAtMs, answerHeaders }: PassedCall, ownId: string): Call {
  const [requestId = ''] = headerValues({ rawHeaders: answerHeaders }, HEADERS.requestId)
  const id = /^[\w.:-]{1,128}$/.test(requestId) ? requestId : ownId
  // A client that takes this for a proxy of its network sends whole addresses (RFC 9112, section 3.2.2).
  const ownTarget = target.replace(/^https?:\/\/[^/?]*/i, '')
  return newCall({
    id,
    receivedAtMs,
    method,
    target: ownTarget,
    rawHeaders,
    body: body.content(),
    endpoint: endpointAt(method === 'HEAD' ? 'GET' : method, ownTarget.split('?', 1)[0] as string),
    params: {},
  })
}

function textOf({ answerBody, answerHeaders }: PassedCall): string | null {
  return decodedText(answerBody.content(), headerValues({ rawHeaders: answerHeaders }, 'content-encoding'))
}

function isWholeAnswer({ ending, body, answerBody }: PassedCall): boolean {
  return ending === 'answered' && body.hasEnded && body.isWhole && answerBody.isWhole
}

function exchangeOf(call: Call, passed: PassedCall, body: string, { clock }: Environment): Exchange {
  const { status, answerHeaders, ending, tookMs } = passed
  // The 502 or 504 that the client got in place of an answer is the proxy's own.
  if (ending !== 'answered' && ending !== 'refused') call.departure = { kind: 'lost' }
  const answer: Answer = {
    status,
    headers: Object.fromEntries(headerPairsOf(answerHeaders).map(([name, value]) => [spelled(name), value])),
    body,
  }
  return { call, answer, worldTimeMs: clock.nowMs(), tookMs }
}

/** The document has one code for each of these, whatever a server checks first. */
const OF_ABSENCE: ReadonlySet<string> = new Set(['missing_credentials', 'missing_signature_headers'])

function codeFindings({ code }: ApiError, { endpoint }: Call, answer: Answer): string[] {
  const { status } = answer
  const sent = codeOf(answer)
  if (endpoint === null || !OF_ABSENCE.has(code) || sent === code || status < 400 || status >= 429) return []
  return [`The target refused it with ${sent ?? status}; the API document says ${code}.`]
}

/** What the codes of authentication say that the target has checked. */
const CHECK_OF_CODE: Partial<Record<ErrorCode, CheckName>> = {
  missing_credentials: 'headers',
  missing_signature_headers: 'headers',
  invalid_signature: 'signature',
  invalid_timestamp: 'timestamp',
  replay_detected: 'nonce',
  rate_limited: 'rate-limit',
  forbidden: 'scope',
}

/** Of a refusal that is right by nothing that the proxy can see. */
const UNFOUNDED: Partial<Record<CheckName, string>> = {
  headers:
    'All four headers are there, but the target says that some are missing: does something between the two remove them?',
  signature:
    'The signature is right for this key id and secret, but the target refused it: is the secret the one that the target has for this key id?',
  timestamp:
    'The timestamp fits the clock of this machine, but the target refused it: compare the Date header of its answer.',
}

/** Of a call that the target accepted, whose signature no known mistake leads to. */
const OTHER_SECRET =
  'The target accepted the call all the same, so the secret of the proxy is most likely wrong: with it, no known mistake leads to this signature. If it is right, the target does not check signatures.'

const AMBIGUOUS_PLUS =
  'The signature is right if a plus sign in the query is a space, but the target refused it and may read it as a plus sign: send %20 or %2B.'

interface CallVerdict {
  readonly explained: Explained | null
  readonly says: readonly string[]
}

const NOTHING: CallVerdict = { explained: null, says: [] }

/** Of a call that the proxy itself has refused, there is nothing else to say. */
function ownRefusal({ ending, problem }: PassedCall): CallVerdict | null {
  return ending === 'refused' ? { explained: plain(asSentence(problem ?? '')), says: [] } : null
}

/** Why the target refused the call, or what it should have refused. */
async function verdictOf(
  finished: Exchange,
  refusal: ApiError | null,
  isSearched: boolean,
  { worlds, wall }: JudgeOptions,
): Promise<CallVerdict> {
  const { call, answer } = finished
  const code = codeOf(answer)
  const seen = isErrorCode(code) ? (CHECK_OF_CODE[code] ?? null) : null
  const turns = { sliceMs: SLICE_MS, pause: nextTurn, monotonicMs: wall.monotonicMs }
  const explain = async () =>
    isSearched
      ? inNamesOf(call, await reasonOf(finished, worlds, turns))
      : plain(asSentence(refusal?.message ?? `it was answered ${answer.status}`))
  if (call.refusedBy === 'key') return unknownKey(seen === null ? null : await explain())
  if (refusal !== null) {
    const explained = await explain()
    if (seen !== null) return { explained, says: [] }
    if (isAccepted(answer))
      return explained?.sentence === UNEXPLAINED_SENTENCE
        ? { explained: { ...explained, sentence: OTHER_SECRET }, says: [] }
        : { explained, says: ['The target accepted the call all the same.'] }
    call.refusedBy = null
    return { explained: isRefusal(answer) ? await explain() : null, says: explained ? [explained.sentence] : [] }
  }
  call.refusedBy = seen
  // Of a call to no endpoint, whatever it lacks is not checked: it may be meant for something else on the same host.
  const isChecked = call.endpoint !== null || hasHeader(call.rawHeaders, HEADERS.keyId.toLowerCase())
  const unfounded = seen === 'signature' && call.rawQuery.includes('+') ? AMBIGUOUS_PLUS : seen && UNFOUNDED[seen]
  if (unfounded && isChecked) return { explained: plain(unfounded), says: [] }
  return isRefusal(answer) ? { explained: await explain(), says: [] } : NOTHING
}

const UNKNOWN_KEY = 'The proxy does not know the secret of this key id, so it did not check the signature.'

/** The message of another server may begin with the name of a parameter or field of the call, which stays as it is. */
function inNamesOf({ rawQuery, body }: Call, explained: Explained | null): Explained | null {
  if (!explained?.mistakes.some(({ id }) => id === 'request-refused')) return explained
  const json = parseJson(body)
  const names = [...new URLSearchParams(rawQuery).keys(), ...(isObject(json) ? Object.keys(json) : [])]
  return { ...explained, sentence: sentenceOf(explained.mistakes, names) }
}

/** The target may know a key id that the proxy does not. A mistake in the key id is named all the same. */
function unknownKey(explained: Explained | null): CallVerdict {
  const isNamed = explained?.mistakes.some(({ id }) => id !== 'key-id-unknown')
  return explained && isNamed
    ? { explained: { ...explained, sendInstead: null }, says: [] }
    : { explained: explained && plain(UNKNOWN_KEY), says: explained ? [] : [UNKNOWN_KEY] }
}

function plain(sentence: string): Explained {
  return { sentence, mistakes: [], signature: null, sendInstead: null }
}

/** Why the target gave no whole answer: nothing else that is found in the call matters as much. */
function passingFindings(passed: PassedCall): string[] {
  const { problem } = passed
  return problem === null || ownRefusal(passed) ? [] : [asSentence(problem)]
}

function wholenessFindings({ method, ending, body, answerBody }: PassedCall): string[] {
  const cut = [
    { what: 'body', kept: body },
    { what: 'answer', kept: answerBody },
  ].filter(({ kept }) => !kept.isWhole)
  return [
    ...(body.hasEnded || hasUnsignedBody(method) || ending === 'no-answer' || ending === 'refused'
      ? []
      : ['The body did not arrive whole, so its signature was not checked.']),
    ...cut.map(({ what, kept }) => `Of the ${kept.bytes} bytes of the ${what}, the log has ${kept.content().length}.`),
  ]
}

/** Clocks that are so far apart are worth a sentence, long before a timestamp is refused. */
const APART_SECONDS = 30

function clockFindings({ timestamp, receivedAtMs }: Call, { answer, tookMs }: Exchange): string[] {
  const client = /^\d{1,11}$/.test(timestamp) ? Number(timestamp) - Math.floor(receivedAtMs / 1_000) : 0
  const date = Date.parse(String(answer.headers['Date'] ?? answer.headers['date'] ?? ''))
  const target = Number.isNaN(date) ? 0 : Math.round((date - receivedAtMs - tookMs) / 1_000)
  const far = (seconds: number) => `${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead of' : 'behind'} this machine`
  return [
    ...(Math.abs(client) > APART_SECONDS ? [`The clock of the client is ${far(client)}.`] : []),
    ...(Math.abs(target) > APART_SECONDS ? [`The clock of the target is ${far(target)}.`] : []),
  ]
}
