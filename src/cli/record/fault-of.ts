import type { Step } from '../../conformance/scenario.ts'
import type { MistakeId } from '../../contract/diagnosis/mistakes.ts'
import { HEADERS } from '../../contract/headers.ts'
import type { Recorded, RecordedCall } from './history.ts'

/** How a scenario makes the same mistake, and the requirement that its refusal shows. */
export interface RecordedFault {
  step: Pick<Step, 'fault'> | Pick<Step, 'resend'>
  shows: string | null
}

/** Single mistakes that have a word in scenarios (docs/scenario-format.md, Faults). */
const FAULTS: Partial<Record<MistakeId, { fault: Step['fault'] & object; shows: string }>> = {
  'prefix-missing': { fault: { signature: 'no_prefix' }, shows: 'AUTH-07' },
  'digest-upper-case': { fault: { signature: 'upper_case' }, shows: 'AUTH-14' },
  'digest-base64': { fault: { signature: 'base64' }, shows: 'AUTH-14' },
  'digest-cut': { fault: { signature: 'truncate' }, shows: 'AUTH-14' },
  'digest-too-long': { fault: { signature: 'lengthen' }, shows: 'AUTH-14' },
  'key-id-as-secret': { fault: { signature: { key: 'key_id' } }, shows: 'AUTH-05' },
  'secret-of-another': { fault: { signature: { key: 'other_partner' } }, shows: 'AUTH-16' },
  'method-lower-case': { fault: { canonical: 'verb_lower' }, shows: 'CANON-11' },
  'path-without-root': { fault: { canonical: 'path_without_root' }, shows: 'AUTH-08' },
  'query-unsorted': { fault: { canonical: 'query_unsorted' }, shows: 'CANON-03' },
  'query-sorted-by-key-only': { fault: { canonical: 'query_sorted_by_key_only' }, shows: 'CANON-04' },
  'query-sorted-after-encoding': { fault: { canonical: 'query_sorted_after_encoding' }, shows: 'CANON-13' },
  'query-raw': { fault: { canonical: 'query_raw' }, shows: 'CANON-07' },
  'query-plus': { fault: { canonical: 'plus_for_space' }, shows: 'CANON-07' },
  'query-five-bare': { fault: { canonical: 'extra_unencoded' }, shows: 'CANON-06' },
  'query-blank-dropped': { fault: { canonical: 'blank_dropped' }, shows: 'CANON-05' },
  'query-empty': { fault: { canonical: 'query_empty' }, shows: 'AUTH-10' },
  'body-hashed-empty': { fault: { canonical: 'body_empty' }, shows: 'AUTH-06' },
  'body-hash-upper-case': { fault: { canonical: 'body_hash_upper' }, shows: 'CANON-09' },
  'body-hash-base64': { fault: { canonical: 'body_hash_base64' }, shows: 'CANON-09' },
  'lines-crlf': { fault: { canonical: 'crlf' }, shows: 'AUTH-13' },
  'newline-at-end': { fault: { canonical: 'trailing_newline' }, shows: 'AUTH-13' },
  'query-line-missing': { fault: { canonical: 'missing_query_line' }, shows: 'AUTH-13' },
  'lines-swapped': { fault: { canonical: 'lines_swapped' }, shows: 'CANON-01' },
}

const LATEST_SECONDS = 100_000_000_000

/**
 * The fault of a call that authentication refused; null where no scenario can say it, because the log cannot tell what was
 * done or there is no word for it.
 *
 * @param idOf the step of an earlier call.
 */
export function faultOf(
  call: RecordedCall,
  earlier: readonly Recorded[],
  idOf: (call: RecordedCall) => string | undefined,
): RecordedFault | null {
  switch (call.refusedBy) {
    case 'headers':
      return missingHeader(call)
    case 'timestamp':
      return wrongTimestamp(call)
    case 'nonce':
      return usedNonce(call, earlier, idOf)
    case 'signature': {
      const found = call.mistakes.length === 1 ? FAULTS[call.mistakes[0] as MistakeId] : undefined
      return found ? { step: { fault: found.fault }, shows: found.shows } : null
    }
    case 'key':
      return call.credential === null ? { step: { fault: { key_id: 'unknown' } }, shows: 'AUTH-15' } : null
    default:
      return null
  }
}

const HEADER_FAULTS = [
  ['keyId', { fault: { key_id: 'drop' }, shows: 'AUTH-02' }],
  ['timestamp', { fault: { timestamp: 'drop' }, shows: 'AUTH-03' }],
  ['nonce', { fault: { nonce: 'drop' }, shows: 'AUTH-03' }],
  ['signature', { fault: { signature: 'drop' }, shows: 'AUTH-03' }],
] as const

/** Exactly one of the four, or all of them: a fault is one thing. */
function missingHeader({ headers }: RecordedCall): RecordedFault | null {
  const missing = HEADER_FAULTS.filter(([name]) => (headers[HEADERS[name].toLowerCase()] ?? '') === '')
  if (missing.length === HEADER_FAULTS.length) return { step: { fault: { auth_headers: 'drop' } }, shows: 'AUTH-02' }
  const [only] = missing
  if (missing.length !== 1 || !only) return null
  return { step: { fault: only[1].fault }, shows: only[1].shows }
}

function wrongTimestamp({ headers, atMs }: RecordedCall): RecordedFault {
  const sent = headers[HEADERS.timestamp.toLowerCase()] ?? ''
  if (!/^\d+$/.test(sent)) return { step: { fault: { timestamp: { raw: sent } } }, shows: 'TIME-05' }
  if (Number(sent) >= LATEST_SECONDS) return { step: { fault: { timestamp: 'milliseconds' } }, shows: 'TIME-04' }
  const shift = Number(sent) - Math.floor(atMs / 1_000)
  return { step: { fault: { timestamp: { shift } } }, shows: shift < 0 ? 'TIME-02' : 'TIME-03' }
}

function usedNonce(
  call: RecordedCall,
  earlier: readonly Recorded[],
  idOf: (call: RecordedCall) => string | undefined,
): RecordedFault | null {
  const [nonce, signature] = [HEADERS.nonce.toLowerCase(), HEADERS.signature.toLowerCase()]
  const first = earlier.find(
    (other): other is RecordedCall => other.kind === 'call' && other.headers[nonce] === call.headers[nonce],
  )
  const id = first && idOf(first)
  if (!first || id === undefined) return null
  const isCopy = first.headers[signature] === call.headers[signature] && first.target === call.target
  return isCopy
    ? { step: { resend: id }, shows: 'NONCE-01' }
    : { step: { fault: { nonce: { reuse: id } } }, shows: 'NONCE-02' }
}
