import { domainToASCII, domainToUnicode } from 'node:url'

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** All others need no Unicode tables, which are slow to start with. */
const NEEDS_MAPPING = /[^\0-\x7f]|xn--/
const LONGEST_NAME = 253
/** Longer texts are not names in any spelling; the limit keeps hostile ones away from the IDN mapping. */
const LONGEST_TEXT = 1_000

/** The one ending under which anything is listed: reserved for tests, so no name of ours belongs to a person (RFC 6761). */
export const LISTED_SUFFIX = '.test'

/**
 * The one spelling under which a name is stored and compared: lower case, without a trailing dot, IDNs as A-labels
 * (INV-10).
 *
 * @returns null if the text is not a domain name.
 */
export function normalizeDomain(text: string): string | null {
  if (text.length > LONGEST_TEXT) return null
  const lower = text.toLowerCase()
  // The mapping gives an empty text for what it refuses, and then no label is left to accept.
  const mapped = NEEDS_MAPPING.test(lower) ? domainToASCII(lower) : lower
  const name = mapped.endsWith('.') ? mapped.slice(0, -1) : mapped
  if (name.length > LONGEST_NAME) return null
  return name.split('.').every((label) => LABEL.test(label)) ? name : null
}

/** The name without the listed ending, as people read it. */
export function readableLabel(domain: string): string {
  const readable = domain.includes('xn--') ? domainToUnicode(domain) || domain : domain
  return readable.endsWith(LISTED_SUFFIX) ? readable.slice(0, -LISTED_SUFFIX.length) : readable
}

/** Whether a text has nothing but ASCII: then it needs no Unicode tables, which are slow to start with. */
export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}
