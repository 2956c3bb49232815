import { Readable } from 'node:stream'
import type { Redactor } from '../sandbox/worlds/redact.ts'

/** An answer of more values than this is written in pieces, with other calls served in between. */
const VALUES_AT_ONCE = 5_000
/** About 2 ms of work. */
const CHARACTERS_A_PIECE = 8 * 1024

/**
 * An answer as JSON without secrets: a text, or the pieces of a long one.
 *
 * @param kept name of the members that are left as they are.
 */
export function answerJson(body: unknown, redact: Redactor, kept?: string): string | Readable {
  if (countValues(body, VALUES_AT_ONCE) < VALUES_AT_ONCE) return JSON.stringify(redact.all(body, kept))
  return Readable.from(inTurns(tokens(body, redact, kept)))
}

/** How many values are inside another one, up to a limit. */
function countValues(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    count += countValues(member, limit - count)
    if (count >= limit) return limit
  }
  return count
}

async function* inTurns(texts: Iterable<string>): AsyncGenerator<string> {
  let piece = ''
  for (const text of texts) {
    piece += text
    if (piece.length < CHARACTERS_A_PIECE) continue
    yield piece
    piece = ''
    await new Promise((resolve) => setImmediate(resolve))
  }
  yield piece
}

/** What `JSON.stringify` writes, in small pieces. */
function* tokens(value: unknown, redact: Redactor, kept: string | undefined): Generator<string> {
  if (typeof value !== 'object' || value === null) yield JSON.stringify(redact.all(value))
  else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      yield at === 0 ? '[' : ','
      yield* tokens(item ?? null, redact, kept)
    }
    yield value.length === 0 ? '[]' : ']'
  } else {
    const members = Object.entries(value).filter(([, member]) => member !== undefined)
    for (const [at, [name, member]] of members.entries()) {
      yield `${at === 0 ? '{' : ','}${JSON.stringify(redact.text(name))}:`
      if (name === kept) yield JSON.stringify(member)
      else yield* tokens(member, redact, kept)
    }
    yield members.length === 0 ? '{}' : '}'
  }
}
