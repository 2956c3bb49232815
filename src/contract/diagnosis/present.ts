import { HEADERS } from '../headers.ts'
import type { CallDiagnosis, HashedBody } from './diagnose-call.ts'
import { type FirstDifference, firstDifference } from './first-difference.ts'
import type { Mistake } from './mistake.ts'

/** What is known of why a call was refused, or a signature does not fit. */
export interface Explained {
  readonly sentence: string
  readonly mistakes: readonly Mistake[]
  /** Null where no signature of the call as it was sent would be accepted. */
  readonly signature: CallDiagnosis | null
  /** What to send where another signature would not do; null where it would, or where the mistakes say it. */
  readonly sendInstead: string | null
}

/**
 * A diagnosis as the operator API and `verify --json` write it.
 *
 * @param clean takes secrets out of a text. It goes over whole texts, before anything is compared or cut.
 */
export function presentDiagnosis(
  { sentence, mistakes, signature, sendInstead }: Explained,
  clean: (text: string) => string,
) {
  const right = signature ? clean(signature.canonicalString) : null
  const signed = signature && signature.clientString !== null ? clean(signature.clientString) : null
  const shown = ({ id, says }: Mistake) => ({ id, says: clean(says) })
  return {
    sentence: clean(sentence),
    mistakes: mistakes.map(shown),
    equally: (signature?.equally ?? []).map((other) => other.map(shown)),
    send_instead: sendInstead,
    expected_signature_header: signature ? `${HEADERS.signature}: ${signature.expectedSignature}` : null,
    canonical_string: right,
    client_canonical_string: signed,
    first_difference: right !== null && signed !== null ? presentDifference(firstDifference(right, signed)) : null,
    hashed_body: signature?.hashedBody ? presentHashedBody(signature.hashedBody) : null,
  }
}

/** A diagnosis on the wire. */
export type PresentedDiagnosis = ReturnType<typeof presentDiagnosis>

function presentDifference(found: FirstDifference | null) {
  return (
    found && {
      line: found.line,
      line_number: found.lineNumber,
      column: found.column,
      expected: found.expected,
      signed: found.signed,
    }
  )
}

function presentHashedBody({ sentBytes, hashedBytes, firstDifferentByte }: HashedBody) {
  return { sent_bytes: sentBytes, hashed_bytes: hashedBytes, first_different_byte: firstDifferentByte }
}
