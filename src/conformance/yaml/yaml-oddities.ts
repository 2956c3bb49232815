import { type Alias, type Document, isCollection, isPair, type Node, visit } from 'yaml'

/** Something that YAML allows and that has no place in a file of ours, where it begins. */
export interface YamlOddity {
  offset: number
  message: string
}

/** Deeper than any file has a use for, and far from what a stack holds. */
const MAX_DEPTH = 100

const TOO_DEEP = `this is nested deeper than ${MAX_DEPTH} levels`

/** So many syntax errors say enough: one bracket can make thousands. */
export const MAX_ERRORS = 20

/** More aliases than this are an attack on time and memory, not a scenario. */
export const MAX_ALIASES = 100

/**
 * What a document has that would not come out as plain data: unknown tags, keys that are not text, an alias inside of what it
 * stands for, endless depth. Read as if it were not there, each would mean something else than its author thinks.
 */
export function odditiesIn(document: Document.Parsed): YamlOddity[] {
  if (document.errors.some(({ message }) => isOverflow(message))) return [{ offset: 0, message: TOO_DEEP }]
  const found = document.warnings.map(({ pos, message }) => ({ offset: pos[0], message }))
  let aliases = 0
  try {
    visit(document, {
      Node(_key, node, path) {
        const odd = path.length > 2 * MAX_DEPTH ? TOO_DEEP : null
        if (odd !== null) found.push({ offset: startOf(node), message: odd })
        return odd === null ? undefined : visit.BREAK
      },
      Alias(_key, alias, path) {
        aliases += 1
        // Each is looked up in the whole document.
        if (aliases > MAX_ALIASES) {
          found.push({
            offset: startOf(alias),
            message: `this file has more aliases than the ${MAX_ALIASES} that are followed`,
          })
          return visit.BREAK
        }
        if (isWithinItself(alias, document, path))
          found.push({ offset: startOf(alias), message: `the alias *${alias.source} is inside its own anchor` })
        return undefined
      },
      Pair(_key, { key }) {
        if (isCollection(key)) found.push({ offset: startOf(key), message: 'a key must be a string' })
      },
    })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    found.push({ offset: 0, message: TOO_DEEP })
  }
  return found.slice(0, MAX_ERRORS)
}

/** The syntax errors of a document, as many as a person reads. */
export function syntaxErrorsOf({ errors }: Document.Parsed): Document.Parsed['errors'] {
  return errors.some(({ message }) => isOverflow(message)) ? [] : errors.slice(0, MAX_ERRORS)
}

function isOverflow(message: string): boolean {
  return /call stack/i.test(message)
}

function isWithinItself(alias: Alias, document: Document.Parsed, path: readonly unknown[]): boolean {
  const meant = alias.resolve(document)
  return meant !== undefined && path.some((around) => around === meant && !isPair(around))
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0
}
