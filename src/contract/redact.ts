/** Any shorter one would be found in ordinary words. */
export const SHORTEST_SECRET = 6

/** Fewer digits of base64 would be found in ordinary words, too. */
const SHORTEST_BASE64 = 8

/**
 * Finds secrets in text in each form that a program could write them: as they are, in hex and in base64 after any other bytes,
 * in any case of their ASCII letters; each also escaped for URLs, JSON or HTML, several times and in any mixture, and cut off by `…`.
 */
export interface SecretFinder {
  /**
   * A further secret, from now on; one that is too short is not looked for.
   *
   * @param leastBytes so much of its beginning is taken for it; all of it where left out.
   */
  add(secret: string, leastBytes?: number): void
  /** No longer looks for a secret that was added with the same `leastBytes`. */
  delete(secret: string, leastBytes?: number): void
  /** The text with each secret replaced, the longest first where several begin at one place. */
  replaced(text: string, by: string): string
}

/** @example createSecretFinder(['sk_test_1234']).replaced('key=sk%5Ftest_1234', '[secret]') // 'key=[secret]' */
export function createSecretFinder(secrets: Iterable<string> = []): SecretFinder {
  const known = new Set<string>()
  const index = createIndex()

  const finder: SecretFinder = {
    add(secret, leastBytes) {
      if (secret.length < SHORTEST_SECRET || known.has(secret)) return
      known.add(secret)
      for (const form of formsOf(secret, leastBytes)) index.add(form)
    },
    delete(secret, leastBytes) {
      if (!known.delete(secret)) return
      for (const form of formsOf(secret, leastBytes)) index.delete(form)
    },
    replaced(text, by) {
      if (text.length < SHORTEST_SECRET) return text
      const ranges: Range[] = []
      for (const { text: plain, originOf } of layersOf(text)) {
        for (const { from, to } of index.rangesIn(plain)) ranges.push({ from: originOf(from), to: originOf(to) })
      }
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

interface Range {
  readonly from: number
  readonly to: number
}

function withReplaced(text: string, ranges: Range[], by: string): string {
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
  const inBase64 = [0, 1, 2].map((offset) => insideBase64(bytes, offset))
  const urlSafe = inBase64.map((digits) => digits.replaceAll('+', '-').replaceAll('/', '_'))
  const leastDigits = Math.floor((leastBytes * 8) / 6)
  // Bytes that are not read as UTF-8 are one character each, and so are percent escapes. What a secret has that looks like an
  // escape is undone wherever escapes of the text are.
  const plain = [secret, bytes.toString('latin1')].flatMap((text) => [...layersOf(text)].map((layer) => layer.text))
  const leastOf = new Map(plain.filter((text) => text.length >= SHORTEST_SECRET).map((text) => [text, leastBytes]))
  leastOf.set(bytes.toString('hex'), 2 * leastBytes)
  for (const digits of [...inBase64, ...urlSafe]) {
    if (digits.length >= SHORTEST_BASE64) leastOf.set(digits, leastDigits)
  }
  return [...leastOf].map(([text, least]) => ({ text: loweredAscii(text), least: Math.min(least, text.length) }))
}

/**
 * The base64 digits that a secret gives when it starts at this offset from a group of three bytes, without the digits
 * at either end that it shares with its neighbors.
 */
function insideBase64(bytes: Buffer, offset: number): string {
  const digits = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  return digits.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
}

/** With three bits a character, only the last six characters are left of it. */
const HASH_BITS = 3 * SHORTEST_SECRET
const HASH_MASK = 2 ** HASH_BITS - 1

/** What stands for the rest of a text that was too long to be shown, maybe after the first half of an escape. */
const CUT = /^(?:%(?:25)*[0-9a-f]?|\\(?:u[0-9a-f]{0,3})?|&(?:#x?[0-9a-f]{0,7}|[a-z]{0,4}))?…/i
/** More characters than any half of an escape that is looked for. */
const LONGEST_CUT = 32

/** Finds any of a hundred thousand forms in one pass over a text. */
function createIndex() {
  /** Whether any form begins with six characters of this hash. */
  const beginnings = new Uint8Array(HASH_MASK + 1)
  const formsOfHash = new Map<number, Form[]>()

  /** Up to where the longest form reaches that begins here; `at` if none does. */
  function endAt(text: string, at: number, hash: number): number {
    let end = at
    for (const form of formsOfHash.get(hash) ?? []) end = Math.max(end, endOf(form, text, at))
    return end
  }

  return {
    add(form: Form): void {
      const hash = hashOf(form.text)
      const forms = formsOfHash.get(hash)
      if (forms) forms.push(form)
      else formsOfHash.set(hash, [form])
      beginnings[hash] = 1
    },
    delete({ text }: Form): void {
      const forms = formsOfHash.get(hashOf(text)) ?? []
      const at = forms.findIndex((form) => form.text === text)
      if (at >= 0) forms.splice(at, 1)
    },
    rangesIn(text: string): Range[] {
      const ranges: Range[] = []
      let hash = 0
      let kept = 0
      for (let last = 0; last < text.length; last++) {
        hash = hashed(hash, text.charCodeAt(last))
        if (beginnings[hash] === 0) continue
        const from = last + 1 - SHORTEST_SECRET
        if (from < kept) continue
        const to = endAt(text, from, hash)
        if (to === from) continue
        ranges.push({ from, to })
        kept = to
        last = to - 1
      }
      return ranges
    },
  }
}

/** Up to where a form, its beginning or what was not cut off of it reaches; `at` if it is not here. */
function endOf(form: Form, text: string, at: number): number {
  let length = 0
  while (length < form.text.length && lowered(text.charCodeAt(at + length)) === form.text.charCodeAt(length)) length++
  const isIt =
    length >= form.least || (length >= SHORTEST_SECRET && CUT.test(text.slice(at + length, at + length + LONGEST_CUT)))
  return isIt ? at + length : at
}

function hashed(hash: number, code: number): number {
  return ((hash << 3) ^ lowered(code)) & HASH_MASK
}

function hashOf(form: string): number {
  let hash = 0
  for (let at = 0; at < SHORTEST_SECRET; at++) hash = hashed(hash, form.charCodeAt(at))
  return hash
}

function lowered(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
}

function loweredAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** A text with some of its escapes undone. */
interface Layer {
  readonly text: string
  /** Where a character of it begins in the text as it was given. */
  originOf(at: number): number
}

/** Answers hold others as texts, and clients put what they are given into URLs: escapes of escapes occur. */
const MOST_LAYERS = 8

/** The text as it is, then with its outermost escapes undone, then with those within. */
function* layersOf(text: string): Generator<Layer> {
  let layer: Layer | null = { text, originOf: (at) => at }
  for (let count = 0; layer && count < MOST_LAYERS; count++) {
    yield layer
    layer = unescaped(layer)
  }
}

const ESCAPE =
  /%(?:25)*([0-9a-f]{2})|\\(?:u([0-9a-f]{4})|([bfnrt])|[^\w])|&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped({ text, originOf }: Layer): Layer | null {
  // Where escapes begin and end, in the plain text and in this one.
  const inPlain = [0]
  const inText = [0]
  let shorter = 0
  const plain = text.replaceAll(ESCAPE, (written: string, percent, unit, control, decimal, hex, entity, at: number) => {
    const character = characterOf(written, { percent, unit, control, decimal, hex, entity })
    inPlain.push(at - shorter, at - shorter + character.length)
    inText.push(at, at + written.length)
    shorter += written.length - character.length
    return character
  })
  if (shorter === 0) return null
  return {
    text: plain,
    originOf(at) {
      const place = lastUpTo(inPlain, at)
      return originOf((inText[place] ?? 0) + at - (inPlain[place] ?? 0))
    },
  }
}

type Found = Partial<Record<'percent' | 'unit' | 'control' | 'decimal' | 'hex' | 'entity', string>>

function characterOf(written: string, { percent, unit, control, decimal, hex, entity }: Found): string {
  const unitInHex = percent ?? unit
  if (unitInHex !== undefined) return String.fromCharCode(Number.parseInt(unitInHex, 16))
  if (control !== undefined) return CONTROLS[control.toLowerCase()] ?? control
  if (entity !== undefined) return ENTITIES[entity.toLowerCase()] ?? entity
  if (decimal === undefined && hex === undefined) return written.slice(1)
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
}

/** Index of the last of these ascending numbers that is not above the limit. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((numbers[middle] ?? 0) <= limit) low = middle
    else high = middle - 1
  }
  return low
}
