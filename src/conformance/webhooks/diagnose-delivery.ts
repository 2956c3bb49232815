import { createHash, createHmac } from 'node:crypto'
import { HEADERS } from '../../contract/headers.ts'
import { signWebhook } from '../../contract/webhook-signature.ts'
import { headerOf } from '../http/answer.ts'
import { atPath } from '../http/json-body.ts'
import type { Delivery } from './delivery.ts'

/** A key that a signature may have been made with, in a person's words; the right one has none. */
export interface SuspectKey {
  words: string
  key: string
}

/** Whether a delivery carries the signature of the document under one of these secrets, and nothing else (HOOK-02). */
export function isSigned(delivery: Delivery, secrets: readonly string[]): boolean {
  const value = headerOf(delivery, HEADERS.signature)
  return secrets.some((secret) => value === signWebhook(secret, delivery.body))
}

/**
 * What was probably done wrong where a delivery is not signed as it has to be: known mistakes, alone and together.
 *
 * @example whyUnsigned(delivery, ['whsec_1'], []) // 'the prefix v1= stands before it'
 */
export function whyUnsigned(delivery: Delivery, secrets: readonly string[], suspects: readonly SuspectKey[]): string {
  const value = headerOf(delivery, HEADERS.signature)
  if (value === undefined) return `the ${HEADERS.signature} header is missing`
  if (secrets.length === 0) return 'no secret has been registered for this address'
  const prefix = /^[A-Za-z0-9_-]{1,12}[=:]\s*/.exec(value)?.[0] ?? ''
  const digest = value.slice(prefix.length).trim()
  const keys = [...secrets.flatMap(variantsOf), ...suspects]
  for (const message of messagesOf(delivery)) {
    for (const { words, key } of keys) {
      const found = mistakeIn(digest, key, message.text)
      if (found === null) continue
      const mistakes = [
        prefix === '' ? '' : `the prefix ${prefix.trim()} stands before it`,
        found,
        words,
        message.words,
      ]
      return mistakes.filter((mistake) => mistake !== '').join('; ')
    }
  }
  return `${formOf(digest)}${prefix === '' ? '' : ` after ${prefix.trim()}`}, and none of the known mistakes leads to it`
}

/** The secret as it is, and as a careless signer may read it. */
function variantsOf(secret: string): SuspectKey[] {
  return [
    { words: '', key: secret },
    { words: 'keyed with the secret and a newline behind it', key: `${secret}\n` },
    { words: 'keyed with the SHA-256 of the secret', key: createHash('sha256').update(secret).digest('hex') },
  ]
}

/** The hash of a longer body is not tried in every way: it would take too long. */
const MAX_TRIED_BYTES = 64 * 1024

function messagesOf(delivery: Delivery): { words: string; text: Buffer | string }[] {
  const { body, json } = delivery
  const whole = { words: '', text: body }
  if (body.length > MAX_TRIED_BYTES) return [whole]
  const text = body.toString('utf8')
  const rewritten = json === undefined ? [] : [JSON.stringify(json), JSON.stringify(json, null, 2), spaced(json)]
  return [
    whole,
    ...rewritten.map((written) => ({
      words: 'computed over re-serialized JSON, not over the raw body',
      text: written,
    })),
    { words: 'made over the body without the white space at its ends', text: text.trim() },
    { words: 'made over the body and a newline behind it', text: `${text}\n` },
    { words: 'made over the data alone', text: JSON.stringify(atPath(json, 'data') ?? null) },
    ...timesOf(delivery).flatMap((time) =>
      ['.', '', ':', '\n'].map((joint) => ({
        words: 'made over a timestamp with the body behind it',
        text: `${time}${joint}${text}`,
      })),
    ),
    ...canonicalStrings(delivery),
    { words: 'made over nothing', text: '' },
  ]
}

/** JSON as some languages write it: with a space behind each comma and colon. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const pairs = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`)
  return `{${pairs.join(', ')}}`
}

function timesOf({ headers, json }: Delivery): string[] {
  const stamps = headers.map(([, value]) => value).filter((value) => /^\d{10}(\d{3})?$/.test(value))
  const createdAt = atPath(json, 'created_at')
  return typeof createdAt === 'string' ? [...stamps, createdAt] : stamps
}

/** The string that calls of the API sign, made of a delivery. */
function canonicalStrings({ method, target, body, headers }: Delivery): { words: string; text: string }[] {
  const valueUnder = (name: string): string => headerOf({ headers }, name) ?? ''
  const hash = createHash('sha256').update(body).digest('hex')
  const lines = [method, target, '', valueUnder(HEADERS.timestamp), valueUnder(HEADERS.nonce), hash]
  return [{ words: 'made by the scheme of API calls, which deliveries do not use', text: lines.join('\n') }]
}

const ALGORITHMS = ['sha256', 'sha1', 'sha512'] as const

/** How a digest comes of this key and message: an empty text where rightly, null if not at all. */
function mistakeIn(digest: string, key: string, message: Buffer | string): string | null {
  for (const algorithm of ALGORITHMS) {
    const made = createHmac(algorithm, key).update(message).digest()
    const otherwise = algorithm === 'sha256' ? '' : `HMAC-${algorithm.toUpperCase()} instead of HMAC-SHA256`
    const form = sameIn(digest, made)
    if (form !== null) return [otherwise, form].filter((words) => words !== '').join('; ')
  }
  const plain = createHash('sha256').update(message).update(key).digest()
  return sameIn(digest, plain) === null ? null : 'a plain SHA-256, not an HMAC'
}

function sameIn(digest: string, made: Buffer): string | null {
  const hex = made.toString('hex')
  if (digest === hex) return ''
  if (digest.toLowerCase() === hex) return 'upper-case hex instead of lower-case hex'
  if (digest === made.toString('base64') || digest === made.toString('base64url')) return 'base64 instead of hex'
  return digest.length >= 16 && hex.startsWith(digest.toLowerCase()) ? 'cut short' : null
}

function formOf(digest: string): string {
  const alphabet = /^[0-9a-f]+$/.test(digest) ? 'lower-case hex' : /^[0-9a-fA-F]+$/.test(digest) ? 'hex' : 'other'
  return `${digest.length} characters (${alphabet})`
}
