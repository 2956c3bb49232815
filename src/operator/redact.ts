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
  const patterns = worlds.flatMap((world) => [...world.credentials.values()].map(patternOf))

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
    bytes: (value) => Buffer.from(text(Buffer.from(value).toString('latin1')), 'latin1'),
    all: <Value>(value: Value) => all(value) as Value,
  }
}

const patterns = new WeakMap<Credential, RegExp>()

function patternOf(credential: Credential): RegExp {
  let pattern = patterns.get(credential)
  if (!pattern) {
    const forms = formsOf(opaquePartOf(credential.secret))
    pattern = new RegExp(forms.join('|'), 'gi')
    patterns.set(credential, pattern)
  }
  return pattern
}

/** The part that is secret: somebody may have sent it without what stands before it. */
function opaquePartOf(secret: string): string {
  const opaque = secret.replace(/^sk_[a-z]+_/, '')
  return opaque.length >= SHORTEST ? opaque : secret
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  return [
    [...bytes].map(anySpelling).join(''),
    bytes.toString('hex'),
    ...[0, 1, 2].map((offset) => insideBase64(bytes, offset)),
  ]
}

/** One byte as itself, percent-encoded any number of times, or as a JSON escape. */
function anySpelling(byte: number): string {
  const hex = byte.toString(16).padStart(2, '0')
  return `(?:\\x${hex}|%(?:25)*${hex}|\\\\u00${hex})`
}

/**
 * The base64 digits that a secret gives when it starts at this offset from a group of three bytes, without the digits
 * at either end that it shares with its neighbours.
 */
function insideBase64(bytes: Uint8Array, offset: number): string {
  const digits = Buffer.concat([new Uint8Array(offset), bytes]).toString('base64')
  const first = Math.ceil((offset * 8) / 6)
  const end = Math.floor(((offset + bytes.length) * 8) / 6)
  return digits.slice(first, end).replaceAll('+', '(?:[+-]|%2B)').replaceAll('/', '(?:[/_]|%2F)')
}
