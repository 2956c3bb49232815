import { createHmac } from 'node:crypto'
import { SIGNATURE_PREFIX } from '../headers.ts'
import { hmacKeyOf, hmacSha256Hex } from '../signature.ts'
import { counted } from '../words.ts'
import type { Mistake } from './mistake.ts'
import { refusal } from './refusals.ts'

/** What the form of a signature shows, no matter what was signed: seen, not searched for. */
export const SIGNATURE_MISTAKES = {
  'prefix-missing': ['the signature header has no v1= before the digest'],
  'prefix-wrong': ['the signature header begins with another prefix than v1='],
  'prefix-on-webhook': ['the signature has a prefix; that of a delivery is the hex digest alone'],
  'digest-upper-case': ['the digest is written in upper-case hex instead of lower-case'],
  'digest-base64': ['the digest is written in base64 instead of lower-case hex'],
  'digest-base64-of-hex': ['the hex digest was encoded again in base64'],
  'digest-cut': ['the digest is cut short'],
  'digest-too-long': ['the digest is too long'],
  'digest-algorithm': ['a hash other than SHA-256 was used'],
} as const

function seen(id: keyof typeof SIGNATURE_MISTAKES, says: string = SIGNATURE_MISTAKES[id][0]): Mistake {
  return { id, says }
}

/** Hashes that an HMAC may have been made with by mistake, by the number of their hex digits. */
const ALGORITHMS = { 32: 'md5', 40: 'sha1', 64: 'sha256', 96: 'sha384', 128: 'sha512' } as const

export type Algorithm = (typeof ALGORITHMS)[keyof typeof ALGORITHMS]

/** The digest that a signature header carries, and what its form alone shows to be wrong. */
export interface SentDigest {
  readonly algorithm: Algorithm
  /** Lower-case hex; only the beginning of it where the digest was cut short. */
  readonly hex: string
  readonly mistakes: readonly Mistake[]
}

/** Of which signatures a header is read: those of calls start with `v1=`, those of deliveries with nothing. */
type Scheme = 'call' | 'webhook'

const OTHER_PREFIX = /^[A-Za-z][A-Za-z0-9_-]{0,15}[=:]\s*(?=[A-Za-z0-9+/_-]{16})/

/**
 * Reads a signature header as tolerantly as can be, so that what is wrong with its form can be separated from what is
 * wrong with the signature.
 *
 * @returns each way to read it: a short digest may be one of another hash, or one that was cut. None where it holds no digest.
 * @example readSignature('9B74…', 'call')[0]?.mistakes.map(({ id }) => id) // ['prefix-missing', 'digest-upper-case']
 */
export function readSignature(value: string, scheme: Scheme): SentDigest[] {
  const prefix = prefixOf(value, scheme)
  const digests = readDigest(value.slice(prefix.text.length).trim())
  return digests.map((digest) => ({ ...digest, mistakes: [...prefix.mistakes, ...digest.mistakes] }))
}

function prefixOf(value: string, scheme: Scheme): { text: string; mistakes: Mistake[] } {
  if (scheme === 'call' && value.startsWith(SIGNATURE_PREFIX)) return { text: SIGNATURE_PREFIX, mistakes: [] }
  const text = OTHER_PREFIX.exec(value)?.[0] ?? ''
  if (scheme === 'webhook') return { text, mistakes: text === '' ? [] : [seen('prefix-on-webhook')] }
  return { text, mistakes: [seen(text === '' ? 'prefix-missing' : 'prefix-wrong')] }
}

function readDigest(text: string): SentDigest[] {
  if (/^[0-9a-fA-F]{16,128}$/.test(text)) return readHex(text)
  if (!/^[A-Za-z0-9+/_-]{20,}={0,2}$/.test(text)) return []
  const bytes = Buffer.from(text, 'base64')
  const inner = bytes.toString('latin1')
  const isHex = /^[0-9a-f]{32,128}$/.test(inner)
  const form = seen(isHex ? 'digest-base64-of-hex' : 'digest-base64')
  const digests = readHex(isHex ? inner : bytes.toString('hex'))
  return digests.map((digest) => ({ ...digest, mistakes: [form, ...digest.mistakes] }))
}

function readHex(text: string): SentDigest[] {
  const hex = text.toLowerCase()
  const upper = text === hex ? [] : [seen('digest-upper-case')]
  const algorithm = ALGORITHMS[hex.length as keyof typeof ALGORITHMS]
  if (algorithm === 'sha256') return [{ algorithm, hex, mistakes: upper }]
  const cut: SentDigest = {
    algorithm: 'sha256',
    hex: hex.slice(0, 64),
    mistakes: [...upper, seen(hex.length < 64 ? 'digest-cut' : 'digest-too-long')],
  }
  if (!algorithm) return [cut]
  const named = seen('digest-algorithm', `HMAC-${algorithm.toUpperCase()} was used instead of HMAC-SHA256`)
  return [{ algorithm, hex, mistakes: [...upper, named] }, cut]
}

const HEX_DIGITS = 64

/**
 * What is wrong with the form of a signature, no matter what was signed; null if nothing is.
 *
 * @example explainSignatureForm('zz', 'webhook')?.says // 'the signature is malformed: it is 64 lower-case hex digits, and this has 2 characters, …'
 */
export function explainSignatureForm(value: string, scheme: Scheme): Mistake | null {
  const prefix = scheme === 'call' ? SIGNATURE_PREFIX : ''
  const digest = value.startsWith(prefix) ? value.slice(prefix.length) : value
  const faults = [
    ...(value.startsWith(prefix) ? [] : [`does not begin with ${prefix}`]),
    ...(digest.length === HEX_DIGITS
      ? []
      : [`has ${counted(digest.length, 'character')}${prefix === '' ? '' : ' as its digest'}`]),
    ...(/[^0-9a-fA-F]/.test(digest) ? ['contains a character that is not a hex digit'] : []),
    ...(/[A-F]/.test(digest) ? ['holds upper-case letters'] : []),
  ]
  if (faults.length === 0) return null
  const form = `${prefix === '' ? '' : `${prefix} and `}${HEX_DIGITS} lower-case hex digits`
  return refusal('signature-form', `the signature is malformed: it is ${form}, and this one ${faults.join(', ')}`)
}

export type Key = string | Uint8Array

/** A key, ready to be used many times. */
export interface KeyedHmac {
  readonly key: Key
  /** Makes lower-case hex of a text. */
  hmac(algorithm: Algorithm, message: Uint8Array | string): string
}

/**
 * HMAC for tens of thousands of short texts under one key.
 *
 * @example keyedHmac('secret').hmac('sha256', 'text') // as createHmac('sha256', 'secret').update('text').digest('hex')
 */
export function keyedHmac(key: Key): KeyedHmac {
  const prepared = hmacKeyOf(key)
  return {
    key,
    hmac: (algorithm, message) =>
      algorithm === 'sha256'
        ? hmacSha256Hex(prepared, message)
        : createHmac(algorithm, prepared.key).update(message).digest('hex'),
  }
}
