import type { Step } from '../../conformance/format/scenario.ts'
import { literal } from '../../conformance/format/values.ts'
import type { MistakeId } from '../../contract/diagnosis/mistakes.ts'
import type { Draft } from './draft.ts'
import { headerOf, type RecordedCall } from './history.ts'

/** How a scenario makes the same mistake, and the requirement that its refusal shows. */
interface RepeatedMistake {
  step: Pick<Step, 'fault'> | Pick<Step, 'call'>
  /** The body needs white space, so that written as JSON again it is another one. */
  isPretty?: true
  shows: string
}

/**
 * The fault of a call that authentication refused; null if no scenario can say it, because the log does not show what was
 * done or there is no word for it.
 */
export function faultOf(draft: Draft, call: RecordedCall): RepeatedMistake | null {
  switch (call.refusedBy) {
    case 'headers':
      return missingHeader(call)
    case 'timestamp':
      return wrongTimestamp(call)
    case 'nonce':
      return usedNonce(draft, call)
    case 'signature': {
      const [mistake, ...others] = call.diagnosis?.mistakes ?? []
      if (!mistake || others.length > 0) return null
      if (mistake.id.startsWith('body-json-')) return RESERIALIZED
      const found = SIGNATURE_FAULTS[mistake.id as MistakeId]
      return found ? { step: { fault: found[0] }, shows: found[1] } : null
    }
    case 'key':
      return call.credential === null ? { step: { fault: { key_id: 'unknown' } }, shows: 'AUTH-15' } : null
    default:
      return null
  }
}

const HEADER_FAULTS = [
  ['keyId', { step: { fault: { key_id: 'drop' } }, shows: 'AUTH-02' }],
  ['timestamp', { step: { fault: { timestamp: 'drop' } }, shows: 'AUTH-03' }],
  ['nonce', { step: { fault: { nonce: 'drop' } }, shows: 'AUTH-03' }],
  ['signature', { step: { fault: { signature: 'drop' } }, shows: 'AUTH-03' }],
] as const

/** Exactly one of the four, or all of them: a fault is one thing. */
function missingHeader(call: RecordedCall): RepeatedMistake | null {
  const missing = HEADER_FAULTS.filter(([name]) => (headerOf(call, name) ?? '') === '')
  if (missing.length === HEADER_FAULTS.length) return { step: { fault: { auth_headers: 'drop' } }, shows: 'AUTH-02' }
  return missing.length === 1 ? (missing[0]?.[1] ?? null) : null
}

/** Later than any second of this era: milliseconds. */
const LATEST_SECONDS = 100_000_000_000

function wrongTimestamp(call: RecordedCall): RepeatedMistake {
  const sent = headerOf(call, 'timestamp') ?? ''
  if (!/^\d+$/.test(sent)) return { step: { fault: { timestamp: { raw: literal(sent) } } }, shows: 'TIME-05' }
  if (Number(sent) >= LATEST_SECONDS) return { step: { fault: { timestamp: 'milliseconds' } }, shows: 'TIME-04' }
  const shift = Number(sent) - Math.floor(call.atMs / 1_000)
  return { step: { fault: { timestamp: { shift } } }, shows: shift < 0 ? 'TIME-02' : 'TIME-03' }
}

function usedNonce(draft: Draft, call: RecordedCall): RepeatedMistake | null {
  const first = draft.callsBefore(call).find((one) => headerOf(one, 'nonce') === headerOf(call, 'nonce'))
  const id = first && draft.ids.get(first.request_id)
  if (!first || id === undefined) return null
  const isCopy = headerOf(first, 'signature') === headerOf(call, 'signature') && first.target === call.target
  return isCopy
    ? { step: { call: { again: id } }, shows: 'NONCE-01' }
    : { step: { fault: { nonce: { reuse: id } } }, shows: 'NONCE-02' }
}

/** However the client wrote the JSON: the signed bytes are not those that were sent. */
const RESERIALIZED: RepeatedMistake = {
  step: { fault: { canonical: 'body_reserialised' } },
  isPretty: true,
  shows: 'CANON-09',
}

/** Single mistakes that have a word in scenarios (docs/scenarios.md, Faults). */
const SIGNATURE_FAULTS: Partial<Record<MistakeId, readonly [fault: Step['fault'] & object, shows: string]>> = {
  'prefix-missing': [{ signature: 'no_prefix' }, 'AUTH-07'],
  'digest-upper-case': [{ signature: 'upper_case' }, 'AUTH-14'],
  'digest-base64': [{ signature: 'base64' }, 'AUTH-14'],
  'digest-cut': [{ signature: 'truncate' }, 'AUTH-14'],
  'digest-too-long': [{ signature: 'lengthen' }, 'AUTH-14'],
  'key-id-as-secret': [{ signature: { key: 'key_id' } }, 'AUTH-05'],
  'secret-of-another': [{ signature: { key: 'other_partner' } }, 'AUTH-16'],
  'method-lower-case': [{ canonical: 'verb_lower' }, 'CANON-11'],
  'path-without-root': [{ canonical: 'path_without_root' }, 'AUTH-08'],
  'query-unsorted': [{ canonical: 'query_unsorted' }, 'CANON-03'],
  'query-sorted-by-key-only': [{ canonical: 'query_sorted_by_key_only' }, 'CANON-04'],
  'query-sorted-after-encoding': [{ canonical: 'query_sorted_after_encoding' }, 'CANON-13'],
  'query-raw': [{ canonical: 'query_raw' }, 'CANON-07'],
  'query-plus': [{ canonical: 'plus_for_space' }, 'CANON-07'],
  'query-five-bare': [{ canonical: 'extra_unencoded' }, 'CANON-06'],
  'query-blank-dropped': [{ canonical: 'blank_dropped' }, 'CANON-05'],
  'query-empty': [{ canonical: 'query_empty' }, 'AUTH-10'],
  'body-hashed-empty': [{ canonical: 'body_empty' }, 'AUTH-06'],
  'body-hash-upper-case': [{ canonical: 'body_hash_upper' }, 'CANON-09'],
  'body-hash-base64': [{ canonical: 'body_hash_base64' }, 'CANON-09'],
  'lines-crlf': [{ canonical: 'crlf' }, 'AUTH-13'],
  'newline-at-end': [{ canonical: 'trailing_newline' }, 'AUTH-13'],
  'query-line-missing': [{ canonical: 'missing_query_line' }, 'AUTH-13'],
  'lines-swapped': [{ canonical: 'lines_swapped' }, 'CANON-01'],
}
