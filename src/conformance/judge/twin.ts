import { wellFormed } from '../../contract/canonical-string.ts'
import type { EndpointId } from '../../contract/endpoints.ts'
import { lacksWhatItMade } from '../context/made-here.ts'
import type { CallExchange, ScenarioRun } from '../context/run.ts'
import { converse, PAUSES_MS, probe } from '../context/send-call.ts'
import { type Acceptance, type Check, unproven } from '../format/expectations/check.ts'
import { OPERATIONS } from '../format/step-facts.ts'
import { type Answer, isAccepted, isRefused, statusWord } from '../http/exchange.ts'
import { type Call, callTo, plainCall } from '../signing/sign-call.ts'
import { type Finder, findValue } from './references.ts'

/** Codes that refuse the caller or the signature, rather than the request itself. */
const AUTHENTICATION_CODES: readonly unknown[] = [
  'missing_credentials',
  'missing_signature_headers',
  'invalid_timestamp',
  'invalid_signature',
  'replay_detected',
]

/** Whether a call was refused for its caller or its signature. */
export function isAuthenticationRefusal(finder: Finder, answer: Answer | null): answer is Answer {
  if (!isRefused(answer)) return false
  const code = findValue(finder, answer, 'error.code')
  return answer.status === 401 || (code.found && AUTHENTICATION_CODES.includes(code.value))
}

/** Whether a call was refused for its content: a target that checks signatures first has accepted this one. */
export function isPlainRefusal(scenarioRun: ScenarioRun, answer: Answer | null): boolean {
  return isRefused(answer) && answer.status !== 429 && !isAuthenticationRefusal(scenarioRun, answer)
}

async function wronglySigned(scenarioRun: ScenarioRun, call: Call): Promise<Answer | null> {
  const wrong: Call = { ...plainCall(call), fault: { signature: 'flip_bit' }, invalid: true }
  return (await converse(scenarioRun, wrong)).answer
}

/** Whether a refusal with this code is one of authentication. */
export function isAuthenticationCode(code: unknown): boolean {
  return AUTHENTICATION_CODES.includes(code)
}

/**
 * Settles whether a signature was taken, for a call that was refused for another reason: the order of checks is open
 * (AUTH-18), so the same call with a wrong signature has to be refused for that.
 */
export async function confirmAuthentication(
  scenarioRun: ScenarioRun,
  exchange: CallExchange,
  check: Check,
): Promise<Check> {
  if (check.verdict !== 'pass' || isAccepted(exchange.answer)) return check
  const wrong = await wronglySigned(scenarioRun, exchange.call)
  const words = `wrongly signed, the same call was answered ${statusWord(wrong)}`
  if (isAuthenticationRefusal(scenarioRun, wrong)) return { ...check, note: words }
  return unproven(check.actual, `it is unknown whether the signature was accepted: ${words}`)
}

/** Whether a refusal meant anything: was the same call, valid, accepted? */
export type TwinOutcome =
  | { kind: 'worked' | 'failed'; words: string }
  /** Nothing of the kind has been accepted yet; what the run sees later decides. */
  | { kind: 'pending'; acceptance: Acceptance }

/** The valid call beside a faulty one: what a twin would send. */
interface Twin {
  call: Call
  /** It may be sent: it changes nothing. */
  harmless: boolean
  /** It is the same call, not merely the same operation. */
  exact: boolean
}

/** The faulty call: its answer, and whether it should have failed authentication. */
interface FaultyAnswer {
  answer: Answer | null
  failsAuthentication: boolean
}

/** Sends the twin where that is harmless, and looks for evidence elsewhere in the run where it is not. */
export async function twinOutcomeOf(scenarioRun: ScenarioRun, twin: Twin, faulty: FaultyAnswer): Promise<TwinOutcome> {
  const { call } = twin
  if (twin.harmless && twin.exact) return sendTwin(scenarioRun, call, faulty)
  const acceptance = acceptanceOf(scenarioRun, call)
  const seen = evidenceOf(scenarioRun, acceptance)
  if (seen) return seen
  if (call.op !== null && OPERATIONS[call.op].effect === 'read') {
    const read = await ordinaryRead(scenarioRun, call.op, call.credential)
    if (read) return sendTwin(scenarioRun, read)
  }
  // Where only another credential is known to be good for this operation, this one must at least be good for something.
  if (scenarioRun.run.evidence.ofCredential(call.credential.name) === undefined)
    await probe(scenarioRun, call.credential)
  return evidenceOf(scenarioRun, acceptance) ?? { kind: 'pending', acceptance }
}

async function sendTwin(scenarioRun: ScenarioRun, call: Call, faulty?: FaultyAnswer): Promise<TwinOutcome> {
  let twin = await converse(scenarioRun, call)
  for (const pauseMs of PAUSES_MS) {
    // What was just made may not be there yet.
    if (!lacksWhatItMade(scenarioRun, twin)) break
    await scenarioRun.run.pause(pauseMs)
    twin = await converse(scenarioRun, call)
  }
  const words = `the valid twin was answered ${statusWord(twin.answer)}`
  const worked = isAccepted(twin.answer) || (faulty !== undefined && (await hasPassed(scenarioRun, twin, faulty)))
  return { kind: worked ? 'worked' : 'failed', words }
}

/**
 * An earlier acceptance of the very call that a twin would be. It is enough where the faulty call was refused as it should be: one
 * valid call serves all faults of it. What looks like a failure has a twin of its own, sent beside it; so has each step of a
 * scenario whose operator may have changed what the target accepts.
 */
export function acceptedBefore({ run, scenario }: ScenarioRun, { call, harmless, exact }: Twin): TwinOutcome | null {
  if (!harmless || !exact || scenario.steps.some(({ operator }) => operator !== undefined)) return null
  const seen = run.evidence.ofRead(call)
  return seen === undefined ? null : { kind: 'worked', words: `the same valid call was accepted in ${seen}` }
}

/** Whether a twin that was refused for its content is known to have passed authentication before that. */
async function hasPassed(
  scenarioRun: ScenarioRun,
  { call, answer }: CallExchange,
  faulty: FaultyAnswer,
): Promise<boolean> {
  if (!isPlainRefusal(scenarioRun, answer)) return false
  if (isAuthenticationRefusal(scenarioRun, faulty.answer)) return true
  // Else a call with a wrong signature shows whether the target looks at that before it refuses the content.
  return faulty.failsAuthentication && isAuthenticationRefusal(scenarioRun, await wronglySigned(scenarioRun, call))
}

/** What has to be accepted for a refusal of a call to say something. */
export function acceptanceOf(scenarioRun: ScenarioRun, call: Call): Acceptance {
  return { op: call.op, credential: call.credential.name, main: scenarioRun.run.credentials.main.name }
}

/** What has been accepted so far that a verdict may lean on. */
export function evidenceOf(
  { run }: Pick<ScenarioRun, 'run'>,
  { op, credential, main }: Acceptance,
): TwinOutcome | null {
  const { evidence } = run
  const own = op === null ? evidence.ofCredential(credential) : evidence.of(op, credential)
  if (own !== undefined) return { kind: 'worked', words: `a valid call was accepted in ${own}` }
  if (op === null || credential === main) return null
  const other = evidence.of(op, main)
  if (other === undefined || evidence.ofCredential(credential) === undefined) return null
  return { kind: 'worked', words: `a valid call of ${main} was accepted in ${other}` }
}

/** A call of a reading operation that any correct target accepts; null if that takes something to read first. */
async function ordinaryRead(
  scenarioRun: ScenarioRun,
  op: EndpointId,
  credential: Call['credential'],
): Promise<Call | null> {
  const listed = async (): Promise<string> => (await scenarioRun.run.fixtures.listed()).domain
  if (op === 'availability' || op === 'pricing' || op === 'brokerage.eligibility')
    return callTo(op, credential, [['domain', await listed()]])
  const read = callTo(op, credential, op === 'domains.search' ? [['q', 'solar']] : [])
  if (op === 'domains.detail')
    return { ...read, path: read.path.replace('{name}', encodeURIComponent(wellFormed(await listed()))) }
  return read.path.includes('{') ? null : read
}

/** A check in the light of its twin. If the twin fails, nothing is proved either way. */
export function withTwin(check: Check, twinOutcome: TwinOutcome): Check {
  if (check.certain || check.verdict === 'not_run' || check.verdict === 'inconclusive') return check
  if (twinOutcome.kind === 'worked') return { ...check, twin: twinOutcome.words }
  if (twinOutcome.kind === 'pending') return { ...check, waitsFor: { acceptance: twinOutcome.acceptance } }
  const note = 'the same call without its fault was not accepted either, so this answer decides nothing'
  return { ...check, verdict: 'inconclusive', note, twin: twinOutcome.words }
}
