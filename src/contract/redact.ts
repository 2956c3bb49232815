/** Any shorter one would be found in ordinary words. */
export const SHORTEST_SECRET = 6

/** Fewer digits of base64 would be found in ordinary words, too. */
const SHORTEST_BASE64 = 8

/** Answers hold others as texts, and clients put what they are given into URLs: escapes of escapes occur. */
const LAYERS_OF_ESCAPES = 3

/**
 * Finds secrets in text as a program could write them: as they are, in hex and in base64 after any other bytes, in any case of
 * their ASCII letters; each also escaped for URLs, JSON or HTML any number of times, or for several of these, and cut off by `…`.
 */
export interface SecretFinder {
  /**
   * A further secret, from now on; one that is too short is not looked for.
   *
   * @param leastBytes so much of its beginning is taken for it; all of it where left out.
   */
  add(secret: string, leastBytes?: number): void
  /** The text with each secret replaced, the longest first where several begin at one place. */
  replaced(text: string, by: string): string
}

/** @example createSecretFinder(['sk_test_1234']).replaced('key=sk%5Ftest_1234', '[secret]') // 'key=[secret]' */
export function createSecretFinder(secrets: Iterable<string> = []): SecretFinder {
  const known = new Set<string>()
  const forms: FormsByHash = { isSome: new Uint8Array(HASH_MASK + 1), byHash: new Map() }
  const finder: SecretFinder = {
    add(secret, leastBytes) {
      if (secret.length < SHORTEST_SECRET || known.has(secret)) return
      known.add(secret)
      for (const form of formsOf(secret, leastBytes)) {
        const hash = hashOf(form.text)
        forms.isSome[hash] = 1
        forms.byHash.set(hash, [...(forms.byHash.get(hash) ?? []), form])
      }
    },
    replaced(text, by) {
      if (text.length < SHORTEST_SECRET) return text
      const ranges = layersOf(text).flatMap((layer) => rangesIn(layer, forms))
      return ranges.length === 0 ? text : withReplaced(text, ranges, by)
    },
  }
  for (const secret of secrets) finder.add(secret)
  return finder
}

/** @returns a JSON value whose texts, those of its keys too, went through `clean`, but for members of the name `kept`. */
export function redactedValue(value: unknown, clean: (text: string) => string, kept?: string): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((item) => redactedValue(item, clean, kept))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, member]) => [
    clean(name),
    name === kept ? member : redactedValue(member, clean, kept),
  ])
  return Object.fromEntries(entries)
}

interface TextRange {
  readonly from: number
  readonly to: number
}

function withReplaced(text: string, ranges: TextRange[], by: string): string {
  ranges.sort((a, b) => a.from - b.from || b.to - a.to)
  let out = ''
  let kept = 0
  for (const { from, to } of ranges) {
    if (from >= kept) out += text.slice(kept, from) + by
    kept = Math.max(kept, to)
  }
  return out + text.slice(kept)
}

/** What a secret comes to before anything is escaped. */
interface Form {
  /** In lower case, as far as ASCII goes. */
  readonly text: string
  /** So many of its characters are taken for it. */
  readonly least: number
}

function formsOf(secret: string, leastBytes = Number.POSITIVE_INFINITY): Form[] {
  const bytes = Buffer.from(secret, 'utf8')
  // Bytes that are not read as UTF-8 are one character each, and so are percent escapes. What a secret has that looks like an
  // escape is undone wherever escapes of the text are.
  const plain = [secret, bytes.toString('latin1')].flatMap((text) => layersOf(text).map((layer) => layer.text))
  const inBase64 = [0, 1, 2].map((offset) => insideBase64(bytes, offset))
  const urlSafe = inBase64.map((digits) => digits.replaceAll('+', '-').replaceAll('/', '_'))
  const leastOf = new Map([
    ...plain.filter((text) => text.length >= SHORTEST_SECRET).map((text) => [text, leastBytes] as const),
    [bytes.toString('hex'), 2 * leastBytes],
    ...[...inBase64, ...urlSafe]
      .filter((digits) => digits.length >= SHORTEST_BASE64)
      .map((digits) => [digits, Math.floor((leastBytes * 8) / 6)] as const),
  ])
  return [...leastOf].map(([text, least]) => ({
    text: text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
    least: Math.min(least, text.length),
  }))
}

/**
 * The base64 digits that a secret gives when it starts at this offset from a group of three bytes, without the digits
 * at either end that it shares with its neighbors.
 */
function insideBase64(bytes: Buffer, offset: number): string {
  const digits = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  return digits.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
}

/** Forms by the hash of their first six characters, so that one pass over a text finds any of thousands. */
interface FormsByHash {
  /** Whether there is one with this hash: bytes are faster to ask at each character than the map, and to allocate than a list. */
  readonly isSome: Uint8Array
  readonly byHash: Map<number, readonly Form[]>
}

/** With three bits a character, only the last six characters are left of it. */
const HASH_MASK = 2 ** (3 * SHORTEST_SECRET) - 1

const hashed = (hash: number, code: number) => ((hash << 3) ^ lowered(code)) & HASH_MASK

function hashOf(form: string): number {
  let hash = 0
  for (let at = 0; at < SHORTEST_SECRET; at++) hash = hashed(hash, form.charCodeAt(at))
  return hash
}

function rangesIn({ text, originOf }: Layer, forms: FormsByHash): TextRange[] {
  const ranges: TextRange[] = []
  let hash = 0
  let kept = 0
  for (let last = 0; last < text.length; last++) {
    hash = hashed(hash, text.charCodeAt(last))
    const from = last + 1 - SHORTEST_SECRET
    if (from < kept || forms.isSome[hash] === 0) continue
    const candidates = forms.byHash.get(hash) ?? []
    const to = Math.max(from, ...candidates.map((form) => endOf(form, text, from)))
    if (to === from) continue
    ranges.push({ from: originOf(from), to: originOf(to) })
    kept = to
    last = to - 1
  }
  return ranges
}

/** What stands for the rest of a text that was too long to be shown, maybe after the first half of an escape. */
const CUT = /^(?:[%\\&][\w#]{0,12})?…/

/** Up to where a form, its beginning or what was not cut off of it reaches; `at` if it is not here. */
function endOf(form: Form, text: string, at: number): number {
  let length = 0
  while (length < form.text.length && lowered(text.charCodeAt(at + length)) === form.text.charCodeAt(length)) length++
  const end = at + length
  const isIt = length >= form.least || (length >= SHORTEST_SECRET && CUT.test(text.slice(end, end + 16)))
  return isIt ? end : at
}

function lowered(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
}

/** A text with some of its escapes undone. */
interface Layer {
  readonly text: string
  /** Where a character of it begins in the text as it was given. */
  originOf(at: number): number
}

/** The text as it is, then with its outermost escapes undone, then with those within. */
function layersOf(text: string): Layer[] {
  const layers: Layer[] = [{ text, originOf: (at) => at }]
  while (layers.length <= LAYERS_OF_ESCAPES) {
    const next = unescaped(layers.at(-1) as Layer)
    if (!next) break
    layers.push(next)
  }
  return layers
}

/** An escape, however often it was escaped itself. */
const ESCAPE =
  /%(?:25)*([0-9a-f]{2})|\\+(?:u([0-9a-f]{4})|([bfnrt])|([^\w]))|&(?:amp;)*(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi

/** How many parts of {@link ESCAPE} are captured; the next argument of a replacer is the position. */
const ESCAPED_PARTS = 7

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped({ text, originOf }: Layer): Layer | null {
  // Where escapes begin and end, in the plain text and in this one.
  const inPlain = [0]
  const inText = [0]
  let shorter = 0
  const plain = text.replaceAll(ESCAPE, (written: string, ...found) => {
    const character = characterOf(found)
    const at: number = found[ESCAPED_PARTS]
    inPlain.push(at - shorter, at - shorter + character.length)
    inText.push(at, at + written.length)
    shorter += written.length - character.length
    return character
  })
  if (shorter === 0) return null
  return {
    text: plain,
    originOf(at) {
      const place = inPlain.findLastIndex((begin) => begin <= at)
      return originOf((inText[place] ?? 0) + at - (inPlain[place] ?? 0))
    },
  }
}

function characterOf([percent, unit, control, itself, decimal, hex, entity]: (string | undefined)[]): string {
  if (control) return CONTROLS[control.toLowerCase()] ?? control
  if (entity) return ENTITIES[entity.toLowerCase()] ?? entity
  if (itself) return itself
  const code = decimal ? Number(decimal) : Number.parseInt(percent ?? unit ?? hex ?? '', 16)
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
}
