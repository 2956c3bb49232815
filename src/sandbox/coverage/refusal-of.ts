import { type ErrorCode, isErrorCode } from '../../contract/errors.ts'
import type { Answer } from '../wire/answer.ts'
import type { Setback } from './judge-retry.ts'

const OURS_FROM = 500
const TOO_MANY = 429

/** Wherever the open point `error-layout` puts the code. */
interface Refusal {
  code?: unknown
  error?: { code?: unknown }
  errors?: { code?: unknown }[]
}

/** The code of the document that an answer carries, in any layout; null for any other answer. */
export function codeIn({ status, body }: Answer): ErrorCode | null {
  if (status < 400) return null
  try {
    const { code, error, errors } = JSON.parse(body) as Refusal
    const found = code ?? error?.code ?? errors?.[0]?.code
    return isErrorCode(found) ? found : null
  } catch {
    return null
  }
}

/** What a client has to make of an answer whose code it cannot read: what its status stands for. */
export function setbackOf(answer: Answer, code: ErrorCode | null): Setback | null {
  if (answer.status < 400) return null
  if (code !== null) return code
  if (answer.status === TOO_MANY) return 'rate_limited'
  return answer.status >= OURS_FROM ? 'internal_error' : null
}
