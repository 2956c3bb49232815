import { SIGNATURE_PREFIX } from '../headers.ts'
import type { Mistake } from './mistake.ts'
import { mistake } from './mistakes.ts'

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
export type Scheme = 'call' | 'webhook'

const OTHER_PREFIX = /^[A-Za-z][A-Za-z0-9_-]{0,15}[=:]\s*(?=[A-Za-z0-9+/_-]{16})/

/**
 * Reads a signature header as tolerantly as can be, so that what is wrong with its form can be told apart from what is
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
  if (scheme === 'webhook') return { text, mistakes: text === '' ? [] : [mistake('prefix-on-webhook')] }
  return { text, mistakes: [mistake(text === '' ? 'prefix-missing' : 'prefix-wrong')] }
}

function readDigest(text: string): SentDigest[] {
  if (/^[0-9a-fA-F]{16,128}$/.test(text)) return readHex(text)
  if (!/^[A-Za-z0-9+/_-]{20,}={0,2}$/.test(text)) return []
  const bytes = Buffer.from(text, 'base64')
  const inner = bytes.toString('latin1')
  const isHex = /^[0-9a-f]{32,128}$/.test(inner)
  const form = mistake(isHex ? 'digest-base64-of-hex' : 'digest-base64')
  const digests = readHex(isHex ? inner : bytes.toString('hex'))
  return digests.map((digest) => ({ ...digest, mistakes: [form, ...digest.mistakes] }))
}

function readHex(text: string): SentDigest[] {
  const hex = text.toLowerCase()
  const upper = text === hex ? [] : [mistake('digest-upper-case')]
  const algorithm = ALGORITHMS[hex.length as keyof typeof ALGORITHMS]
  if (algorithm === 'sha256') return [{ algorithm, hex, mistakes: upper }]
  const cut: SentDigest = {
    algorithm: 'sha256',
    hex: hex.slice(0, 64),
    mistakes: [...upper, mistake(hex.length < 64 ? 'digest-cut' : 'digest-too-long')],
  }
  if (!algorithm) return [cut]
  const named = mistake('digest-algorithm', `HMAC-${algorithm.toUpperCase()} was used instead of HMAC-SHA256`)
  return [{ algorithm, hex, mistakes: [...upper, named] }, cut]
}
