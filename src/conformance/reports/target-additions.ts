import { Document, isMap, isSeq } from 'yaml'
import { isObject } from '../http/json-body.ts'
import { partsOfNote } from '../result/target-addition.ts'

/** How many keys lead to what one note says, for each section of a target file, in its order. */
const SECTIONS = { credentials: 1, fixtures: 2, dialect: 3 } as const

/**
 * Everything that notes say to add to the target file, as the lines of one YAML text, each thing once.
 *
 * @example additionLines([noteWith('no site', { fixtures: { live_site: ['DOMAIN'] } })]) // ['fixtures:', '  live_site: [ DOMAIN ] # no site']
 */
export function additionLines(notes: readonly string[]): string[] {
  const parts = notes.map(partsOfNote)
  const document = new Document({})
  for (const [section, depth] of Object.entries(SECTIONS)) {
    for (const { why, addition } of parts) {
      const values = valuesAt(addition?.[section], depth, [section])
      for (const [path, value] of values) add(document, path, value, why)
    }
  }
  const isEmpty = isMap(document.contents) && document.contents.items.length === 0
  return isEmpty ? [] : document.toString({ lineWidth: 0 }).trimEnd().split('\n')
}

function valuesAt(value: unknown, depth: number, path: readonly string[]): [path: readonly string[], value: unknown][] {
  if (value === undefined) return []
  if (path.length === depth || !isObject(value)) return [[path, value]]
  return Object.entries(value).flatMap(([key, inner]) => valuesAt(inner, depth, [...path, key]))
}

function add(document: Document, path: readonly string[], value: unknown, why: string): void {
  const known = document.getIn(path)
  if (Array.isArray(value) && path.length === 1) {
    const names = isSeq(known) ? known.items.map((_, index) => document.getIn([...path, index, 'name'])) : []
    const rows = value.filter((row) => !names.includes(row.name))
    if (!known) document.setIn(path, document.createNode([]))
    for (const row of rows) document.addIn(path, document.createNode(row, { flow: true }))
  } else if (known === undefined) {
    const node = document.createNode(value, { flow: true })
    node.comment = ` ${shortened(why.replaceAll(/\s+/g, ' '))}`
    document.setIn(path, node)
  }
}

const COMMENT_CHARACTERS = 200

function shortened(text: string): string {
  return text.length > COMMENT_CHARACTERS ? `${text.slice(0, COMMENT_CHARACTERS)}…` : text
}
