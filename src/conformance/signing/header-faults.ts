import { createHmac, hash } from 'node:crypto'
import { SIGNATURE_PREFIX } from '../../contract/headers.ts'
import { hmacSha256Hex } from '../../contract/hmac.ts'
import { environmentOf } from '../../contract/ids.ts'
import type { SigningKey } from '../../contract/signature.ts'
import {
  type Fault,
  type FaultContext,
  FaultContextError,
  type FaultDetail,
  FaultHasNoEffectError,
} from './signature-faults.ts'

/** The headers a fault may touch, by the name the fault has for them. */
export type AuthHeader = 'key_id' | 'timestamp' | 'nonce' | 'signature'

/** When a call is signed, and the nonce it gets. */
export interface SigningMoment {
  timestampSeconds: number
  nonce: string
}

/** The timestamp that is signed and sent. */
export function timestampWith(fault: Fault | undefined, at: SigningMoment): string {
  const valid = String(at.timestampSeconds)
  if (!fault?.timestamp || fault.timestamp === 'drop') return valid
  return differing(fault, valid, faultyTimestamp(fault.timestamp, at.timestampSeconds))
}

function faultyTimestamp(detail: Exclude<FaultDetail<'timestamp'>, 'drop'>, seconds: number): string {
  if (detail === 'milliseconds') return String(seconds * 1000)
  if (detail === 'hex') return `0x${seconds.toString(16)}`
  if ('raw' in detail) return detail.raw
  return String(seconds + ('shift' in detail ? detail.shift : detail.edge))
}

/** The nonce that is signed and sent. */
export function nonceWith(fault: Fault | undefined, at: SigningMoment, context: FaultContext): string {
  if (!fault?.nonce || fault.nonce === 'drop') return at.nonce
  const detail = fault.nonce
  if ('raw' in detail) return differing(fault, at.nonce, detail.raw)
  if (!context.earlierNonce)
    throw new FaultContextError(`no earlier step is known, so the nonce of ${detail.reuse} cannot be used again`)
  return differing(fault, at.nonce, context.earlierNonce(detail.reuse))
}

/** The key id that is sent; the signature stays that of the own secret. */
export function keyIdWith(fault: Fault | undefined, key: SigningKey, at: SigningMoment): string {
  if (!fault?.key_id || fault.key_id === 'drop') return key.keyId
  const detail = fault.key_id
  if (detail !== 'unknown') return differing(fault, key.keyId, detail.raw)
  return `pk_${environmentOf(key.keyId) ?? 'test'}_${hash('sha256', at.nonce, 'hex').slice(0, 24)}`
}

/** The value of the signature header for the text that is signed. */
export function signatureWith(fault: Fault | undefined, key: SigningKey, text: string, context: FaultContext): string {
  const digest = hmacSha256Hex(key.secret, text)
  const valid = SIGNATURE_PREFIX + digest
  if (!fault?.signature || fault.signature === 'drop') return valid
  const detail = fault.signature
  if (typeof detail === 'string') return differing(fault, valid, SIGNATURE_WORDS[detail](digest, key, text))
  if ('raw' in detail) return differing(fault, valid, detail.raw)
  if ('prefix' in detail) return differing(fault, valid, detail.prefix + digest)
  return differing(fault, valid, SIGNATURE_PREFIX + hmacSha256Hex(otherKey(detail.key, key, context), text))
}

type SignatureWord = Exclude<Extract<FaultDetail<'signature'>, string>, 'drop'>

const SIGNATURE_WORDS: Record<SignatureWord, (digest: string, key: SigningKey, text: string) => string> = {
  no_prefix: (digest) => digest,
  upper_case: (digest) => SIGNATURE_PREFIX + digest.toUpperCase(),
  base64: (_digest, key, text) => SIGNATURE_PREFIX + createHmac('sha256', key.secret).update(text).digest('base64'),
  truncate: (digest) => SIGNATURE_PREFIX + digest.slice(0, -1),
  spaced: (digest) => `${SIGNATURE_PREFIX}${digest.slice(0, 32)} ${digest.slice(32)}`,
  lengthen: (digest) => `${SIGNATURE_PREFIX}${digest}0`,
  flip_bit: (digest) =>
    SIGNATURE_PREFIX + digest.slice(0, -1) + (Number.parseInt(digest.slice(-1), 16) ^ 1).toString(16),
}

function otherKey(name: string, key: SigningKey, context: FaultContext): string {
  if (name === 'key_id') return key.keyId
  if (!context.otherSecret)
    throw new FaultContextError(`no other credential is known, so nothing can be signed as ${name}`)
  return context.otherSecret(name)
}

/** How often a header is sent: once, but for the fault. */
export function timesSent(header: AuthHeader, fault: Fault | undefined): number {
  if (fault?.auth_headers === 'drop' || fault?.[header] === 'drop') return 0
  return fault?.duplicate_header === header ? 2 : 1
}

/** Whether the signature header holds a digest of the text that was signed. */
export function signsText(fault: Fault | undefined): boolean {
  const isRaw = typeof fault?.signature === 'object' && 'raw' in fault.signature
  return timesSent('signature', fault) > 0 && !isRaw
}

/** Refuses a fault that leaves things as they are. */
export function differing<Text extends string | null>(fault: Fault, valid: string, faulty: Text): Text {
  if (valid === faulty)
    throw new FaultHasNoEffectError(fault, 'what is signed and sent is the same with it and without')
  return faulty
}
