import { hasUnsignedBody } from '../contract/canonical-string.ts'
import type { Explained } from '../contract/diagnosis/explained.ts'
import { presentDiagnosis } from '../contract/diagnosis/present.ts'
import { headerPairsOf } from '../contract/headers.ts'
import { utf8In } from '../contract/words.ts'
import { checksInOrder } from '../sandbox/app/checks.ts'
import type { LoggedCall } from '../sandbox/app/log.ts'
import { type Call, CHECK_NAMES, type CheckName, headerValues } from '../sandbox/wire/call.ts'
import type { Answer } from '../sandbox/wire/route.ts'
import type { Redactor } from '../sandbox/worlds/redact.ts'
import { helpFor } from './help-for.ts'
import { canonicalStringFor } from './known-signers.ts'
import { summarizeLoggedCall } from './present-request.ts'
import type { Operator } from './route.ts'

/** All that is known of one call, why it was refused included, with every secret taken out. */
export function presentLoggedCall(
  entry: LoggedCall,
  refusal: Explained | null,
  { operator, redact }: { operator: Pick<Operator, 'worlds' | 'command'>; redact: Redactor },
) {
  const { call, answer, failure } = entry
  // Commands move a sandbox, and no other server.
  const help = refusal === null || entry.proxied || failure ? [] : helpFor(entry, operator)
  return {
    ...summarizeLoggedCall(entry, refusal?.sentence),
    world: (call.world ?? operator.worlds.main).name,
    diagnosis: refusal && presentDiagnosis({ ...refusal, help }, (text) => cleaned(text, redact)),
    checks: verdicts(call),
    detail: call.detail,
    canonical_string: canonicalStringOf(entry),
    request: {
      headers: headerPairsOf(call.rawHeaders),
      body_bytes: entry.proxied?.bodyBytes ?? call.body.length,
      ...presentBytes(redact.bytes(call.body)),
    },
    answer: { status: answer.status, headers: answer.headers, body: call.method === 'HEAD' ? '' : answer.body },
    failure: failure === undefined ? null : String(failure),
  }
}

/** The body itself may have been signed, so its secret members go too. */
function cleaned(text: string, redact: Redactor): string {
  return Buffer.from(redact.bytes(Buffer.from(text, 'utf8'))).toString('utf8')
}

type Verdict = 'passed' | 'refused' | 'not_reached'

/** Every authentication check in its order (AUTH-18), and how far the call came. */
function verdicts(call: Call): { check: CheckName; verdict: Verdict }[] {
  const names = call.world ? checksInOrder(call.world.gaps) : CHECK_NAMES
  // Refused by no check: either it passed them all, or it could not be checked.
  const end = call.credential === null ? 0 : CHECK_NAMES.length
  const stoppedAt = call.refusedBy === null ? end : names.indexOf(call.refusedBy)
  return names.map((check, i) => {
    if (i < stoppedAt) return { check, verdict: 'passed' }
    return { check, verdict: i === stoppedAt && call.refusedBy !== null ? 'refused' : 'not_reached' }
  })
}

/**
 * The string that a right signature covers, as it is worked out to check one; null where it cannot be: a header is missing or doubled, the query is broken, or the body never came in whole.
 */
function canonicalStringOf({ call, answer, proxied }: LoggedCall): string | null {
  const isWhole = proxied?.isBodyWhole ?? true
  return isWhole && hasWholeBody(call, answer) ? canonicalStringFor(call) : null
}

const PAYLOAD_TOO_LARGE = 413

function hasWholeBody(call: Call, answer: Answer): boolean {
  if (hasUnsignedBody(call.method)) return true
  const announced = headerValues(call, 'content-length').map(Number)
  return answer.status !== PAYLOAD_TOO_LARGE && announced.every((length) => length === call.body.length)
}

/** Bytes as text where they are text, else in base64. */
function presentBytes(bytes: Uint8Array): { body: string; body_encoding: 'utf-8' | 'base64' } {
  const body = utf8In(bytes)
  if (body !== null) return { body, body_encoding: 'utf-8' }
  return { body: Buffer.from(bytes).toString('base64'), body_encoding: 'base64' }
}
