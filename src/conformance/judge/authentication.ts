import type { CallExchange, ScenarioRun } from '../context/run.ts'
import { converse } from '../context/send-call.ts'
import { type Check, unproven } from '../format/expectations/check.ts'
import { type Answer, isAccepted, isRefused, statusWord } from '../http/exchange.ts'
import { type Call, plainCall } from '../signing/sign-call.ts'
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

async function wronglySigned(scenarioRun: ScenarioRun, call: Call): Promise<Answer | null> {
  const wrong: Call = { ...plainCall(call), fault: { signature: 'flip_bit' }, invalid: true }
  return (await converse(scenarioRun, wrong)).answer
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
  exchange: CallExchange,
  check: Check,
): Promise<Check> {
  if (check.verdict !== 'pass' || isAccepted(exchange.answer)) return check
  const wrong = await wronglySigned(scenarioRun, exchange.call)
  const words = `wrongly signed, the same call was answered ${statusWord(wrong)}`
  if (isAuthenticationRefusal(scenarioRun, wrong)) return { ...check, note: words }
  return unproven(check.actual, `it is unknown whether the signature was accepted: ${words}`)
}
