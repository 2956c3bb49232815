import { PassThrough, type Readable } from 'node:stream'
import type { Redactor } from '../sandbox/worlds/redact.ts'

/** An answer of more values than this is written in pieces, with other calls served in between. */
const VALUES_AT_ONCE = 5_000
/** So many values are written together. */
const VALUES_A_PIECE = 500

/**
 * An answer as JSON without secrets: a text, or the pieces of a long one.
 *
 * @param kept name of the members that are left as they are.
 */
export function answerJson(body: unknown, redact: Redactor, kept?: string): string | Readable {
  const jsonOf = (value: unknown) => JSON.stringify(redact.all(value, kept))
  if (countValues(body, VALUES_AT_ONCE) < VALUES_AT_ONCE) return jsonOf(body)
  const pieces = new PassThrough()
  const writeSome = async (text: string) => {
    pieces.write(text)
    await new Promise((resolve) => setImmediate(resolve))
    if (pieces.destroyed) throw new Error('the client has gone')
  }
  const write = async (value: unknown): Promise<void> => {
    if (countValues(value, VALUES_A_PIECE) < VALUES_A_PIECE) return writeSome(jsonOf(value))
    if (Array.isArray(value)) return writeItems(value)
    let before = '{'
    for (const [name, member] of Object.entries(value as object)) {
      if (member === undefined) continue
      pieces.write(`${before}${jsonOf(name)}:`)
      before = ','
      if (name === kept) await writeSome(JSON.stringify(member))
      else await write(member)
    }
    pieces.write(before === '{' ? '{}' : '}')
  }
  const writeItems = async (items: readonly unknown[]) => {
    let before = '['
    for (let from = 0; from < items.length; ) {
      const batch = [items[from]]
      for (let count = countValues(items[from++], VALUES_A_PIECE); from < items.length; from++) {
        count += countValues(items[from], VALUES_A_PIECE)
        if (count >= VALUES_A_PIECE) break
        batch.push(items[from])
      }
      pieces.write(before)
      before = ','
      const [first] = batch
      // Without its brackets, a batch is a part of the whole list.
      if (batch.length > 1) await writeSome(jsonOf(batch).slice(1, -1))
      else await write(first ?? null)
    }
    pieces.write(']')
  }
  write(body).then(
    () => pieces.end(),
    (error: Error) => pieces.destroy(error),
  )
  return pieces
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
