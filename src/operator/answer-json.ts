import { Readable } from 'node:stream'
import type { Redactor } from '../sandbox/worlds/redact.ts'

/** An answer of more values than this is written in pieces, with other calls served in between. */
const VALUES_AT_ONCE = 5_000
const VALUES_A_PIECE = 500

/**
 * An answer as JSON without secrets: a text, or the pieces of a long one.
 *
 * @param kept name of the members that are left as they are.
 */
export function answerJson(body: unknown, redact: Redactor, kept?: string): string | Readable {
  const jsonOf = (value: unknown) => JSON.stringify(redact.all(value, kept))
  if (isSmall(body, VALUES_AT_ONCE)) return jsonOf(body)

  function piecesOf(value: unknown): TextPiece[] {
    if (isSmall(value, VALUES_A_PIECE)) return [() => jsonOf(value ?? null)]
    if (Array.isArray(value)) return [() => '[', ...piecesOfItems(value), () => ']']
    const members = Object.entries(value as object).filter(([, member]) => member !== undefined)
    return [() => '{', ...members.flatMap(piecesOfMember), () => '}']
  }

  function piecesOfItems(items: readonly unknown[]): TextPiece[] {
    if (items.length === 1) return piecesOf(items[0])
    if (isSmall(items, VALUES_A_PIECE)) return [() => jsonOf(items).slice(1, -1)]
    const half = items.length >>> 1
    return [...piecesOfItems(items.slice(0, half)), () => ',', ...piecesOfItems(items.slice(half))]
  }

  function piecesOfMember([name, value]: [string, unknown], at: number): TextPiece[] {
    const before = () => `${at === 0 ? '' : ','}${jsonOf(name)}:`
    return [before, ...(name === kept ? [() => JSON.stringify(value)] : piecesOf(value))]
  }

  return streamOf(piecesOf(body))
}

/** Writes a part of a JSON text. */
type TextPiece = () => string

/** A stream that writes one piece in each turn of the event loop. */
function streamOf(pieces: readonly TextPiece[]): Readable {
  let written = 0
  return new Readable({
    read() {
      setImmediate(() => {
        try {
          this.push(pieces[written++]?.() ?? null)
        } catch (error) {
          this.destroy(error as Error)
        }
      })
    },
  })
}

/** Whether a value has fewer values inside than a limit. */
function isSmall(value: unknown, limit: number): boolean {
  return countValues(value, limit) < limit
}

function countValues(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    count += countValues(member, limit - count)
    if (count >= limit) return limit
  }
  return count
}
