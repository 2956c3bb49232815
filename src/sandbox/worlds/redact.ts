import type { Credential, World } from '../kernel/world.ts'

/** Takes secrets out of what was sent to us, wherever and however they were sent (CRED-03). */
export interface Redactor {
  text(value: string): string
  bytes(value: Uint8Array): Uint8Array
  /**
   * Every text inside a value, at any depth.
   *
   * @param kept name of the members that are left as they are.
   */
  all<Value>(value: Value, kept?: string): Value
}

const REDACTED = '[redacted]'
/** What looks like a secret of whatever environment: nobody's belongs in a log. */
const ANY_SECRET = /sk_(?:sandbox|test|live)_[A-Za-z0-9]+/gi
/** The opaque part of a credential's secret is not shorter, nor is less of a longer secret taken for it. */
const SHORTEST = 16

/**
 * Redacts by value: the secrets themselves are looked for, not the fields in which they ought to be, so a secret in
 * the wrong header, in a path or inside Basic credentials is found as well.
 *
 * @param worlds all of them, because a call that belongs to no world may carry any world's secret.
 * @param others further secrets; a short one would be found in ordinary words, and is not looked for.
 * @example createRedactor(worlds.list()).text('sk_sandbox_abc') // '[redacted]'
 */
export function createRedactor(worlds: readonly World[], others: readonly string[] = []): Redactor {
  const index = indexOf(worlds, others)

  function text(value: string): string {
    if (value.length < START) return value
    return candidates(index, value).reduce(
      (left, pattern) => left.replace(pattern, REDACTED),
      value.replace(ANY_SECRET, REDACTED),
    )
  }

  function all(value: unknown, kept?: string): unknown {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map((inner) => all(inner, kept))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, name === kept ? inner : all(inner, kept)]),
    )
  }

  return {
    text,
    // One character a byte, so that a secret inside bytes that are no text is found too.
    bytes: (value) => Buffer.from(withoutSecretMember(text(Buffer.from(value).toString('latin1'))), 'latin1'),
    all: <Value>(value: Value, kept?: string) => all(value, kept) as Value,
  }
}

/** Where to look for which secrets: a thousand worlds have fifteen thousand, and a text holds at most one or two of them. */
interface SecretIndex {
  /** By the first characters of each form, in lower case and without escapes. */
  readonly byStart: Map<string, (() => RegExp)[]>
  /** The first two of them, so that most places of a text are passed over quickly. */
  readonly pairs: Set<number>
  /** Of secrets that begin with what has more than one lower case. */
  readonly always: (() => RegExp)[]
}

/** What a secret is looked up by; no form is shorter than that. */
const START = 8

/** The index made last, and of what: who looks on at a busy server asks for it with every call. */
let latest: { readonly secrets: readonly Secret[]; readonly index: SecretIndex } | null = null

/** Of a caller, a webhook's as a partner chose it, or the operator's token. */
type Secret = Credential | string

function indexOf(worlds: readonly World[], others: readonly string[]): SecretIndex {
  const secrets = [...secretsOf(worlds), ...others.filter(isLong)]
  if (latest && isSame(latest.secrets, secrets)) return latest.index
  const index: SecretIndex = { byStart: new Map(), pairs: new Set(), always: [] }
  for (const secret of secrets) add(index, typeof secret === 'string' ? lookup(secret, SHORTEST) : lookupOf(secret))
  latest = { secrets, index }
  return index
}

function secretsOf(worlds: readonly World[]): Secret[] {
  const secrets: Secret[] = []
  for (const world of worlds) {
    for (const credential of world.credentials.values()) secrets.push(credential)
    for (const secret of world.webhookSecrets.all()) if (isLong(secret)) secrets.push(secret)
  }
  return secrets
}

function isLong(secret: string): boolean {
  return secret.length >= START
}

/** A credential that has changed is another object. */
function isSame(one: readonly Secret[], other: readonly Secret[]): boolean {
  return one.length === other.length && one.every((secret, i) => secret === other[i])
}

function add({ byStart, pairs, always }: SecretIndex, { starts, pattern }: Lookup): void {
  if (starts === null) always.push(pattern)
  for (const start of starts ?? []) {
    pairs.add(pairAt(start, 0))
    const others = byStart.get(start)
    if (others) others.push(pattern)
    else byStart.set(start, [pattern])
  }
}

interface Lookup {
  /** Null where it cannot be looked up. */
  readonly starts: readonly string[] | null
  readonly pattern: () => RegExp
}

const lookups = new WeakMap<Credential, Lookup>()

function lookupOf(credential: Credential): Lookup {
  let found = lookups.get(credential)
  if (!found) {
    found = lookup(opaquePartOf(credential.secret), LEAST_BYTES)
    lookups.set(credential, found)
  }
  return found
}

/** @param leastBytes a partner chose a webhook secret, maybe out of ordinary words: no short beginning of it is taken for it. */
function lookup(secret: string, leastBytes: number): Lookup {
  let made: RegExp | undefined
  const pattern = () => {
    made ??= anyOf(formsOf(secret, leastBytes))
    return made
  }
  return { starts: startsOf(secret), pattern }
}

/** A percent sign or backslash of its own may be taken for the beginning of an escape. */
const ESCAPES: readonly number[] = [0x25, 0x5c]

/** As itself, in hex, and in base64 behind no, one or two other bytes. */
function startsOf(secret: string): string[] | null {
  const bytes = Buffer.from(secret, 'utf8')
  if (bytes.length < START || bytes.subarray(0, START + 2).some((byte) => byte > 0x7e || ESCAPES.includes(byte))) {
    return null
  }
  const inBase64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(Math.ceil((offset * 8) / 6)),
  )
  return [bytes.toString('latin1'), bytes.toString('hex'), ...inBase64].map((form) =>
    form.slice(0, START).toLowerCase(),
  )
}

/** The patterns of the secrets that may be in a text, whatever their spelling. */
function candidates({ byStart, pairs, always }: SecretIndex, text: string): RegExp[] {
  const found = new Set(always)
  const lower = text.toLowerCase()
  for (const plain of new Set([lower, unescaped(lower), inOneAlphabet(lower)])) {
    for (let at = 0; at + START <= plain.length; at++) {
      if (!pairs.has(pairAt(plain, at))) continue
      for (const pattern of byStart.get(plain.slice(at, at + START)) ?? []) found.add(pattern)
    }
  }
  return [...found].map((pattern) => pattern())
}

function pairAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1)
}

function unescaped(lower: string): string {
  const plain = lower.replace(/%(?:25)*([0-9a-f]{2})|\\+u00([0-9a-f]{2})/g, (_all, percent?: string, json?: string) =>
    String.fromCharCode(Number.parseInt(percent ?? json ?? '', 16)).toLowerCase(),
  )
  return plain.replace(/\\+(?=[^\w\\])/g, '')
}

/** Base64 with the digits of its usual alphabet. */
function inOneAlphabet(lower: string): string {
  return lower.replace(/-|%2b/g, '+').replace(/_|%2f/g, '/')
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
  return [startOf([...secret].map(anySpelling), leastBytes), startOf(bytes.map(inHex), leastBytes), ...inBase64]
}

/** All of it, or as much of its beginning as there is, but no less than so many parts. */
function startOf(parts: readonly string[], least: number): string {
  const rest = parts.slice(least).reduceRight((following, part) => `(?:${part}${following})?`, '')
  return parts.slice(0, least).join('') + rest
}

function inHex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}

const SECRET_MEMBER = /("[\w-]*secret"\s*:[\s[]*)(?:"(?:[^"\\]|\\.)*"?|[^\s,}\]]+)/gi

/** A webhook secret in a call that was refused is registered nowhere, so it is found by the member it stands in. */
function withoutSecretMember(text: string): string {
  return text.replace(SECRET_MEMBER, `$1"${REDACTED}"`)
}

/** One character as itself, as its bytes, percent-encoded any number of times, or as a JSON escape, of JSON inside JSON too. */
function anySpelling(character: string): string {
  const bytes = [...Buffer.from(character, 'utf8')]
    .map((byte) => `(?:\\x${inHex(byte)}|%(?:25)*${inHex(byte)})`)
    .join('')
  const units = Array.from({ length: character.length }, (_, i) =>
    character.charCodeAt(i).toString(16).padStart(4, '0'),
  )
  const escaped = /\w/.test(character) ? '' : '\\\\{0,3}'
  return `(?:${escaped}${bytes}|${units.map((unit) => `\\\\+u${unit}`).join('')})`
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
