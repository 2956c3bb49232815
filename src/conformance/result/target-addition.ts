import { jsonIn } from '../../contract/words.ts'

const INTRODUCTION = 'add to the target file: '

/**
 * A note that ends with what would let the check run next time: a line of YAML whose value is JSON.
 *
 * @param addition keys of a target file, in words to fill in where the runner does not know a value.
 *
 * @example noteWith('no live site is known', { fixtures: { live_site: ['DOMAIN'] } }) // 'no live site is known; add to the target file: fixtures: {"live_site":["DOMAIN"]}'
 */
export function noteWith(note: string, addition: Readonly<Record<string, unknown>>): string {
  const [[key, value] = []] = Object.entries(addition)
  return `${note}; ${INTRODUCTION}${key}: ${JSON.stringify(value)}`
}

/** What a note says besides, and the addition that it ends with; null if it has none. */
export function partsOfNote(note: string): { why: string; addition: Readonly<Record<string, unknown>> | null } {
  const start = note.indexOf(`; ${INTRODUCTION}`)
  const said = note.slice(start + `; ${INTRODUCTION}`.length)
  const key = /^\w+(?=: )/.exec(said)?.[0]
  if (start === -1 || key === undefined) return { why: note, addition: null }
  const text = said.slice(`${key}: `.length)
  const length = lengthOfJson(text)
  const value = jsonIn(text.slice(0, length))
  if (value === undefined) return { why: note, addition: null }
  return { why: `${note.slice(0, start)}${text.slice(length)}`, addition: { [key]: value } }
}

/** How far the object or list goes that a text begins with: a note may quote another one, and go on behind it. */
function lengthOfJson(text: string): number {
  let depth = 0
  for (const { 0: part, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (part === '{' || part === '[') depth += 1
    if (part === '}' || part === ']') depth -= 1
    if (depth === 0) return index + part.length
  }
  return text.length
}
