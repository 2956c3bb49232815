import { webhookSecrets } from '../sandbox/webhooks/known-secrets.ts'
import type { Credential, World } from '../sandbox/world.ts'

/** Takes secrets out of what was sent to us, wherever and however they were sent (CRED-03). */
export interface Redactor {
  text(value: string): string
  bytes(value: Uint8Array): Uint8Array
  /** Every text inside a value, at any depth. */
  all<Value>(value: Value): Value
}

const REDACTED = '[redacted]'
/** What looks like a secret of whatever environment: nobody's belongs in a log. */
const ANY_SECRET = /sk_(?:sandbox|test|live)_[A-Za-z0-9]+/gi
/** No form of a secret is shorter than its opaque part. */
const SHORTEST = 16

/**
 * Redacts by value: the secrets themselves are looked for, not the fields in which they ought to be, so a secret in
 * the wrong header, in a path or inside Basic credentials is found as well.
 *
 * @param worlds all of them, because a call that belongs to no world may carry any world's secret.
 * @example createRedactor(worlds.list()).text('sk_sandbox_abc') // '[redacted]'
 */
export function createRedactor(worlds: readonly World[]): Redactor {
  const patterns = worlds.flatMap((world) => [
    ...[...world.credentials.values()].map(patternOf),
    ...webhookSecrets(world).map(webhookPattern),
  ])

  function text(value: string): string {
    if (value.length < SHORTEST) return value
    return patterns.reduce((left, pattern) => left.replace(pattern, REDACTED), value.replace(ANY_SECRET, REDACTED))
  }

  function all(value: unknown): unknown {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(all)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, all(inner)]))
  }

  return {
    text,
    // One character a byte, so that a secret inside bytes that are no text is found too.
    bytes: (value) => Buffer.from(withoutSecretMember(text(Buffer.from(value).toString('latin1'))), 'latin1'),
    all: <Value>(value: Value) => all(value) as Value,
  }
}

const patterns = new WeakMap<Credential, RegExp>()

function patternOf(credential: Credential): RegExp {
  let pattern = patterns.get(credential)
  if (!pattern) {
    pattern = anyOf(formsOf(opaquePartOf(credential.secret), LEAST_BYTES))
    patterns.set(credential, pattern)
  }
  return pattern
}

/** A partner chose this one, maybe out of ordinary words, so no short beginning of it is taken for it. */
function webhookPattern(secret: string): RegExp {
  return anyOf(formsOf(secret, SHORTEST))
}

function anyOf(forms: readonly string[]): RegExp {
  return new RegExp(forms.join('|'), 'gi')
}

/** The part that is secret: somebody may have sent it without what stands before it. */
function opaquePartOf(secret: string): string {
  const opaque = secret.replace(/^sk_[a-z]+_/, '')
  return opaque.length >= SHORTEST ? opaque : secret
}

/** So much of a secret is taken for it: what quotes a value may have cut it short. */
const LEAST_BYTES = 8

function formsOf(secret: string, leastBytes: number): string[] {
  const bytes = [...Buffer.from(secret, 'utf8')]
  const inBase64 = [0, 1, 2].map((offset) => startOf(insideBase64(bytes, offset), Math.floor((leastBytes * 8) / 6)))
  return [startOf(bytes.map(anySpelling), leastBytes), startOf(bytes.map(inHex), leastBytes), ...inBase64]
}

/** All of it, or as much of its beginning as there is, but no less than so many parts. */
function startOf(parts: readonly string[], least: number): string {
  const rest = parts.slice(least).reduceRight((following, part) => `(?:${part}${following})?`, '')
  return parts.slice(0, least).join('') + rest
}

function inHex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}

const SECRET_MEMBER = /("secret"\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|[^\s,}\]]+)/g

/** A webhook secret in a call that was refused is registered nowhere, so it is found by the member it stands in. */
function withoutSecretMember(text: string): string {
  return text.replace(SECRET_MEMBER, `$1"${REDACTED}"`)
}

/** One byte as itself, percent-encoded any number of times, or as a JSON escape. */
function anySpelling(byte: number): string {
  const hex = inHex(byte)
  return `(?:\\x${hex}|%(?:25)*${hex}|\\\\u00${hex})`
}

/**
 * The base64 digits that a secret gives when it starts at this offset from a group of three bytes, without the digits
 * at either end that it shares with its neighbours.
 */
function insideBase64(bytes: readonly number[], offset: number): string[] {
  const digits = Buffer.from([...new Uint8Array(offset), ...bytes]).toString('base64')
  const first = Math.ceil((offset * 8) / 6)
  const end = Math.floor(((offset + bytes.length) * 8) / 6)
  return [...digits.slice(first, end)].map((digit) => EITHER_ALPHABET[digit] ?? digit)
}

/** The digits in which the two alphabets of base64 differ, percent-encoded too. */
const EITHER_ALPHABET: Record<string, string> = { '+': '(?:[+-]|%2B)', '/': '(?:[/_]|%2F)' }
