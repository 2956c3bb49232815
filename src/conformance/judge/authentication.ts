import type { ScenarioRun } from '../context/scenario-run.ts'
import { type Call, converse, type Turn } from '../context/send-call.ts'
import { type Judgment, unproven } from '../format/expectations/judgment.ts'
import { type Answer, isAccepted, isRefused, statusWord } from '../http/answer.ts'
import { findValue } from './references.ts'

/** Codes that refuse the caller or the signature, rather than the request itself. */
const AUTHENTICATION_CODES: readonly unknown[] = [
  'missing_credentials',
  'missing_signature_headers',
  'invalid_timestamp',
  'invalid_signature',
  'replay_detected',
]

/** Whether a call was refused for its caller or its signature. */
export function isAuthenticationRefusal(scenarioRun: ScenarioRun, answer: Answer | null): boolean {
  if (!isRefused(answer)) return false
  const code = findValue(scenarioRun, answer, 'error.code')
  return answer.status === 401 || (code.found && AUTHENTICATION_CODES.includes(code.value))
}

/** Whether a call was refused for its content: a target that checks signatures first has accepted this one. */
export function isPlainRefusal(scenarioRun: ScenarioRun, answer: Answer | null): boolean {
  return isRefused(answer) && answer.status !== 429 && !isAuthenticationRefusal(scenarioRun, answer)
}

/** Whether the target checks the signature of such a call before it refuses its content. */
export async function isSignatureLookedAt(scenarioRun: ScenarioRun, call: Call): Promise<boolean> {
  return isAuthenticationRefusal(scenarioRun, await wronglySigned(scenarioRun, call))
}

async function wronglySigned(scenarioRun: ScenarioRun, { op, plan, credential }: Call): Promise<Answer | null> {
  const call: Call = { op, plan, credential, fault: { signature: 'flip_bit' }, invalid: true }
  return (await converse(scenarioRun, call)).answer
}

/** Whether a refusal with this code is one of authentication. */
export function isAuthenticationCode(code: string): boolean {
  return AUTHENTICATION_CODES.includes(code)
}

/**
 * Settles whether a signature was taken, for a call that was refused for another reason: the order of checks is open
 * (AUTH-18), so the same call with a wrong signature has to be refused for that.
 */
export async function confirmAuthentication(
  scenarioRun: ScenarioRun,
  turn: Turn,
  judgment: Judgment,
): Promise<Judgment> {
  if (judgment.verdict !== 'pass' || isAccepted(turn.answer)) return judgment
  const wrong = await wronglySigned(scenarioRun, turn.call)
  const words = `wrongly signed, the same call was answered ${statusWord(wrong)}`
  if (isAuthenticationRefusal(scenarioRun, wrong)) return { ...judgment, note: words }
  return unproven(judgment.actual, `it is unknown whether the signature was accepted: ${words}`)
}
