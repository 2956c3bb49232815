/**
 * The candidate a person most likely meant, or null if none is close.
 *
 * @example closestTo('expct', ['expect', 'observe']) // 'expect'
 * @example closestTo('settlement', ['settle', 'sign']) // 'settle'
 * @example closestTo('sales', ['core', 'partner-sales']) // 'partner-sales'
 */
export function closestTo(word: string, candidates: Iterable<string>): string | null {
  const wanted = word.toLowerCase()
  let best: string | null = null
  let beginning = ''
  let longer: string | null = null
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    const known = candidate.toLowerCase()
    if (known.length > Math.max(3, beginning.length) && wanted.startsWith(known)) beginning = candidate
    if (hasPart(known, wanted) && (longer === null || candidate.length < longer.length)) longer = candidate
    // The distance is at least the difference in length; a hostile text of thousands of letters then costs nothing.
    if (Math.abs(known.length - wanted.length) >= bestDistance) continue
    const distance = editDistance(wanted, known)
    if (distance >= bestDistance) continue
    best = candidate
    bestDistance = distance
  }
  return best ?? (beginning || longer)
}

/** Whether a name such as `partner-sales` has this word in it, from four letters on. */
function hasPart(name: string, word: string): boolean {
  return word.length > 3 && name.length > word.length && name.split(/[^a-z0-9]/).includes(word)
}

/** The tail of a message about an unknown word: `; did you mean "expect"?` or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = closestTo(word, candidates)
  return near === null ? '' : `; did you mean "${near}"?`
}

/** So much of a name from outside is shown. */
const MOST_CHARACTERS = 64

/**
 * The message about a name that is none of those that there are.
 *
 * @param otherwise its end where none is alike.
 * @example unknownName('option', 'prot', ['port', 'seed']) // 'unknown option "prot"; did you mean "port"?'
 * @example unknownName('option', 'x', ['port', 'seed']) // 'unknown option "x"; there are port, seed'
 */
export function unknownName(
  kind: string,
  name: unknown,
  known: readonly string[],
  otherwise = `there ${known.length > 1 ? `are ${known.join(', ')}` : `is ${known[0] ?? 'none'}`}`,
): string {
  const shown = typeof name === 'string' ? name.slice(0, MOST_CHARACTERS) : name
  return `unknown ${kind} ${JSON.stringify(shown)}${didYouMean(String(shown), known) || `; ${otherwise}`}`
}

/**
 * Whether a text fits a pattern, in which `*` stands for any text, slashes included.
 *
 * @example fits('auth/*', 'auth/nonce-reuse') // true
 */
export function fits(pattern: string, text: string): boolean {
  const pieces = pattern.split('*').map((piece) => piece.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  return new RegExp(`^${pieces.join('.*')}$`, 's').test(text)
}

/**
 * A number with its noun.
 *
 * @example counted(2, 'check') // '2 checks'
 */
export function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`
}

/**
 * Insertions, deletions, substitutions, and neighbors that changed places. The time is that of both lengths multiplied.
 *
 * @example editDistance('statsu', 'status') // 1
 */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, i) => i)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = at(rows, i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(rows, i - 2, j - 2) + 1 : substituted
      row.push(Math.min(substituted, swapped, at(rows, i - 1, j) + 1, (row[j - 1] ?? 0) + 1))
    }
    rows.push(row)
  }
  return at(rows, a.length, b.length)
}

function at(rows: readonly (readonly number[])[], i: number, j: number): number {
  return rows[i]?.[j] ?? Number.MAX_SAFE_INTEGER
}

/**
 * The words of a text, for lists that are easier to read without quotes and commas.
 *
 * @example wordsIn('id public_id') // ['id', 'public_id']
 */
export function wordsIn(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

/**
 * A clause as a sentence, with a capital letter and a full stop. The name of a field or a domain stays as it is.
 *
 * @param fields names that a clause may begin with and that look like any other word.
 * @example asSentence('the nonce was used before') // 'The nonce was used before.'
 */
export function asSentence(clause: string, fields: readonly string[] = []): string {
  const isName = /^[a-z\d-]+[_.]\w/.test(clause) || fields.some((name) => clause.startsWith(`${name} `))
  const beginning = isName ? clause.charAt(0) : clause.charAt(0).toUpperCase()
  return `${beginning}${clause.slice(1)}${/[.?!]$/.test(clause) ? '' : '.'}`
}

/** How many characters two texts have in common at their beginning. @example sharedStart('order', 'organ') // 2 */
export function sharedStart(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return length
}

/** How many characters two texts have in common at their end. @example sharedEnd('paid', 'said') // 3 */
export function sharedEnd(one: string, other: string): number {
  let length = 0
  while (length < one.length && one.at(-1 - length) === other.at(-1 - length)) length++
  return length
}

/** The items by what they have in common, in the order of the first of each. */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

const LINE_CHARACTERS = 96

/** Words with commas between, in lines of about the same length. */
export function inLines(words: readonly string[]): string[] {
  const lines: string[] = []
  for (const word of words.map((one, at) => (at < words.length - 1 ? `${one},` : one))) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length >= LINE_CHARACTERS) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

/** @example firstFew(['a', 'b', 'c'], 2) // ['a', 'b', 'and 1 more'] */
export function firstFew(words: readonly string[], most: number): string[] {
  return words.length <= most ? [...words] : [...words.slice(0, most), `and ${words.length - most} more`]
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text that bytes are in UTF-8; null for any other bytes. */
export function utf8In(bytes: Uint8Array): string | null {
  try {
    return UTF8.decode(bytes)
  } catch {
    return null
  }
}

/** What a text of JSON says, a byte order mark before it aside (RFC 8259, section 8.1); undefined for any other text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

/** A text with its percent escapes undone; as it is where one of them cannot be. */
export function decodedEscapes(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
