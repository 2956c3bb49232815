import { readFileSync } from 'node:fs'
import { INVENTORY_WORDS_FILE } from '../../package-files.ts'

/** The mappings of fixtures/inventory.yaml; a list is one text with commas, see {@link listedIn}. */
export interface WordLists {
  readonly [key: string]: string | WordLists
}

let read: WordLists | undefined

/** fixtures/inventory.yaml, read once a process. */
export function wordLists(): WordLists {
  read ??= parseWordLists(readFileSync(INVENTORY_WORDS_FILE, 'utf8'))
  return read
}

/**
 * Reads the small part of YAML that fixtures/inventory.yaml keeps to: mappings, two spaces a level, one line a value.
 * A YAML library would cost more start-up time than everything else the inventory does.
 *
 * @throws SyntaxError with the line's number where a line is anything else.
 */
export function parseWordLists(text: string): WordLists {
  const root: Record<string, string | WordLists> = {}
  const open: Record<string, string | WordLists>[] = [root]
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '' || line.startsWith('#')) continue
    const [, indent = '', key = '', value = ''] = /^((?: {2})*)([^\s:#][^:]*):(?: (.*))?$/.exec(line) ?? []
    const parent = open[indent.length / 2]
    if (key === '' || !parent)
      throw new SyntaxError(`inventory.yaml, line ${index + 1}: not "key: value" at a known level`)
    open.length = indent.length / 2 + 1
    parent[key] = value === '' ? {} : value
    if (typeof parent[key] === 'object') open.push(parent[key])
  }
  return root
}

/** The words of a list: `'sun, solar panel'` is two. */
export function listedIn(list: string | WordLists | undefined): string[] {
  return typeof list === 'string' ? list.split(', ') : []
}

/** The entries of a mapping; none if it is a text or empty. */
export function entriesOf(mapping: string | WordLists | undefined): [string, string | WordLists][] {
  return typeof mapping === 'object' ? Object.entries(mapping) : []
}
