import { LINE_NAMES } from '../canonical-string.ts'
import { HEADERS } from '../headers.ts'
import { asSentence } from '../words.ts'
import type { HashedBody } from './diagnose-call.ts'
import type { Explained, Help } from './explained.ts'
import type { Mistake } from './mistake.ts'

/**
 * Mistakes as one sentence.
 *
 * @param fields names of the call that it may begin with.
 * @example sentenceOf([mistake('query-raw')]) // 'The query was signed raw, …'
 */
export function sentenceOf(mistakes: readonly Mistake[], fields: readonly string[] = []): string {
  return asSentence(mistakes.map(({ says }) => says).join('; and '), fields)
}

/** What is said where no known mistake leads to a signature. */
export const UNEXPLAINED_SENTENCE =
  'No known mistake, alone or in a pair, leads to this signature: either another secret was used, or something changed the request on its way, or more than two things are wrong. Compare the canonical string with the one that was signed.'

/**
 * A diagnosis as the operator API and `verify --json` write it.
 *
 * @param clean takes secrets out of a text. It goes over whole texts, before anything is compared or cut.
 */
export function presentDiagnosis(
  { sentence, mistakes, signature, sendInstead, compared = [], help = [] }: Explained,
  clean: (text: string) => string,
) {
  const right = signature ? clean(signature.canonicalString) : null
  const signed = signature && signature.clientString !== null ? clean(signature.clientString) : null
  const shown = ({ id, says }: Mistake) => ({ id, says: clean(says) })
  return {
    sentence: clean(sentence),
    mistakes: mistakes.map(shown),
    equally: (signature?.equally ?? []).map((other) => other.map(shown)),
    compared: compared.map(({ name, sent, expected }) => ({
      name: clean(name),
      sent: sent && clean(sent),
      expected: expected && clean(expected),
    })),
    // A line from which a secret was taken does not do what it says.
    help: help.map(({ says, command }): Help => {
      return { says: clean(says), command: command !== null && clean(command) === command ? command : null }
    }),
    send_instead: sendInstead,
    expected_signature_header: signature ? `${HEADERS.signature}: ${signature.expectedSignature}` : null,
    canonical_string: right,
    client_canonical_string: signed,
    first_difference: right !== null && signed !== null ? firstDifference(right, signed) : null,
    hashed_body: signature?.hashedBody ? presentHashedBody(signature.hashedBody) : null,
  }
}

/** A diagnosis on the wire. */
export type PresentedDiagnosis = ReturnType<typeof presentDiagnosis>

function presentHashedBody({ sentBytes, hashedBytes, firstDifferentByte }: HashedBody) {
  return { sent_bytes: sentBytes, hashed_bytes: hashedBytes, first_different_byte: firstDifferentByte }
}

/**
 * The first character in which a signed string differs from the right one; null if there is none. Line and column are counted
 * from 1, and a line is null where a string has none.
 *
 * @example firstDifference('GET\n/a', 'get\n/a') // { line: 'METHOD', line_number: 1, column: 1, expected: 'GET', signed: 'get' }
 */
function firstDifference(expected: string, signed: string) {
  if (expected === signed) return null
  let at = 0
  while (expected[at] === signed[at]) at++
  const before = expected.slice(0, at)
  const lineNumber = before.split('\n').length
  return {
    line: LINE_NAMES[Math.min(lineNumber, LINE_NAMES.length) - 1] as string,
    line_number: lineNumber,
    column: at - before.lastIndexOf('\n'),
    expected: expected.split('\n')[lineNumber - 1] ?? null,
    signed: signed.split('\n')[lineNumber - 1] ?? null,
  }
}
