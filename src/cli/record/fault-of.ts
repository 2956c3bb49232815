import type { Step } from '../../conformance/scenario.ts'
import type { MistakeId } from '../../contract/diagnosis/mistakes.ts'
import { HEADERS } from '../../contract/headers.ts'
import type { Recorded, RecordedCall } from './history.ts'
import { SIGNATURE_FAULTS } from './tables.ts'

/** How a scenario makes the same mistake, and the requirement that its refusal shows. */
export interface Fault {
  step: Pick<Step, 'fault'> | Pick<Step, 'resend'>
  shows: string
}

/**
 * The fault of a call that authentication refused; null if no scenario can say it, because the log cannot tell what was
 * done or there is no word for it.
 *
 * @param ids the steps of earlier calls, by request id.
 */
export function faultOf(
  call: RecordedCall,
  earlier: readonly Recorded[],
  ids: ReadonlyMap<string, string>,
): Fault | null {
  switch (call.refusedBy) {
    case 'headers':
      return missingHeader(call)
    case 'timestamp':
      return wrongTimestamp(call)
    case 'nonce':
      return usedNonce(call, earlier, ids)
    case 'signature': {
      const [found, ...others] = call.mistakes.map((id) => SIGNATURE_FAULTS[id as MistakeId])
      return found && others.length === 0 ? { step: { fault: found[0] }, shows: found[1] } : null
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
] as const satisfies readonly (readonly [keyof typeof HEADERS, Fault])[]

/** Exactly one of the four, or all of them: a fault is one thing. */
function missingHeader(call: RecordedCall): Fault | null {
  const missing = HEADER_FAULTS.filter(([name]) => (headerOf(call, name) ?? '') === '')
  if (missing.length === HEADER_FAULTS.length) return { step: { fault: { auth_headers: 'drop' } }, shows: 'AUTH-02' }
  return missing.length === 1 ? (missing[0]?.[1] ?? null) : null
}

/** Later than any second of this era: milliseconds. */
const LATEST_SECONDS = 100_000_000_000

function wrongTimestamp(call: RecordedCall): Fault {
  const sent = headerOf(call, 'timestamp') ?? ''
  if (!/^\d+$/.test(sent)) return { step: { fault: { timestamp: { raw: sent } } }, shows: 'TIME-05' }
  if (Number(sent) >= LATEST_SECONDS) return { step: { fault: { timestamp: 'milliseconds' } }, shows: 'TIME-04' }
  const shift = Number(sent) - Math.floor(call.atMs / 1_000)
  return { step: { fault: { timestamp: { shift } } }, shows: shift < 0 ? 'TIME-02' : 'TIME-03' }
}

function usedNonce(call: RecordedCall, earlier: readonly Recorded[], ids: ReadonlyMap<string, string>): Fault | null {
  const calls = earlier.filter((one) => one.kind === 'call')
  const first = calls.find((one) => headerOf(one, 'nonce') === headerOf(call, 'nonce'))
  const id = first && ids.get(first.requestId)
  if (!first || id === undefined) return null
  const isCopy = headerOf(first, 'signature') === headerOf(call, 'signature') && first.target === call.target
  return isCopy
    ? { step: { resend: id }, shows: 'NONCE-01' }
    : { step: { fault: { nonce: { reuse: id } } }, shows: 'NONCE-02' }
}

function headerOf({ headers }: RecordedCall, name: keyof typeof HEADERS): string | undefined {
  return headers[HEADERS[name].toLowerCase()]
}
