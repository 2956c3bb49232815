import { NAMED_ITEM } from '../../result/result.ts'
import { countOf, laidOut } from './texts.ts'

/** A body laid out over lines, with the item of its list that a check is about. */
interface AroundItem {
  /** What is before the item: the start of the body, and how many items of it are left out. */
  readonly before: string
  readonly item: string
  readonly after: string
}

/**
 * The item of a list that a check names, with what is before and after the list; null where the check names none, or the body
 * has none that is surely it. A page of a longer list has it under another number, so that its values show which it is.
 *
 * @example aroundItem('{"rows":[{"id":"a"},{"id":"b"}]}', 'number 2 of 2 rows: id is b')?.item // '    {\n      "id": "b"\n    }'
 */
export function aroundItem(body: string, actual: string): AroundItem | null {
  const named = NAMED_ITEM.exec(actual)
  if (named === null || !/^\s*[{[]/.test(body)) return null
  // The end of a long body is missing, and says how much that is.
  const lines = laidOut(body.replace(/… \(\d+ bytes more\)$/, '')).split('\n')
  const items = itemsIn(lines)
  const texts = items.map(([from, to]) => lines.slice(from, to).join('\n'))
  const words = wordsOf(actual.slice(named.index + named[0].length))
  const at = texts.length === Number(named[2]) ? Number(named[1]) - 1 : nearest(texts, words)
  const [first, last, own] = [items[0], items.at(-1), items[at]]
  if (!first || !last || !own) return null
  const margin = ' '.repeat(indentOf(lines[own[0]] ?? ''))
  const left = (count: number) => (count === 0 ? [] : [`${margin}… ${countOf(count, 'item')}`])
  const before = [...lines.slice(0, first[0]), ...left(at)]
  const after = [...left(items.length - 1 - at), ...shortTail(lines.slice(last[1]))]
  return {
    before: before.length === 0 ? '' : `${before.join('\n')}\n`,
    item: texts[at] ?? '',
    after: after.length === 0 ? '' : `\n${after.join('\n')}`,
  }
}

/** More lines than these behind a list are not what a check of its items is about. */
const MAX_TAIL_LINES = 20

function shortTail(lines: readonly string[]): readonly string[] {
  const left = lines.length - MAX_TAIL_LINES
  return left > 0 ? [...lines.slice(0, MAX_TAIL_LINES), `… (${countOf(left, 'more line')})`] : lines
}

/** The objects of the outermost list, each from its first line to behind its last one. An object that is a member has its name before it. */
function itemsIn(lines: readonly string[]): (readonly [from: number, to: number])[] {
  const starts = lines.flatMap((line, at) => (at > 0 && /^ *\{$/.test(line) ? [at] : []))
  const depth = Math.min(...starts.map((at) => indentOf(lines[at] ?? '')))
  return starts
    .filter((at) => indentOf(lines[at] ?? '') === depth)
    .map((from) => {
      const end = lines.findIndex(
        (line, at) => at > from && indentOf(line) === depth && line.trimStart().startsWith('}'),
      )
      return [from, end === -1 ? lines.length : end + 1] as const
    })
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** What a sentence says that may be a value: texts in quotes, and words with a digit. */
function wordsOf(sentence: string): string[] {
  const words = sentence.match(/"[^"]+"|[\w.@:+-]*\d[\w.@:+-]*/g) ?? []
  return words.map((word) => word.replace(/^"|[".,:]+$/g, '')).filter((word) => word.length > 2)
}

/** The text in which most of the words are; -1 where none is in any. */
function nearest(texts: readonly string[], words: readonly string[]): number {
  const found = texts.map((text) => {
    const left = [...words]
    // A value that is named twice has to be there twice.
    for (const value of text.match(/"(?:[^"\\]|\\.)*"|[\w.+-]+/g) ?? []) {
      const at = left.indexOf(value.replace(/^"|"$/g, ''))
      if (at !== -1) left.splice(at, 1)
    }
    return words.length - left.length
  })
  const most = Math.max(0, ...found)
  return most === 0 ? -1 : found.indexOf(most)
}
