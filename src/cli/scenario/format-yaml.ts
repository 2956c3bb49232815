import {
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parse,
  parseDocument,
  type Scalar,
  type ScalarTag,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'

/** The keys of a map in their order; null if any order is right. */
export type KeyOrder = readonly string[] | null

/** Returns the order of keys at a place. */
type OrderAt = (path: readonly string[]) => KeyOrder

/** A file has something in it that this layout cannot keep. */
export class NotFormattableError extends Error {
  override readonly name = 'NotFormattableError'
}

/**
 * One canonical layout: two spaces a level, keys in the order that `orderAt` names, `{ a: b }` and `[a, b]`. What was on one
 * line stays on one line, and what was on several does; quotes, folded text, blank lines and comments stay as they are.
 */
export function formatYaml(text: string, orderAt: OrderAt): string {
  const document = parseDocument(text, { keepSourceTokens: true, customTags: (tags) => [AS_WRITTEN, ...tags] })
  const [error] = document.errors
  if (error) throw new NotFormattableError(error.message.split('\n')[0])
  if (!isMap(document.contents)) throw new NotFormattableError('a scenario is a map of keys and values')
  // The head of a file belongs to the file, not to its first key, which may move.
  liftFromFirstKey(document.contents)
  visit(document, {
    Map(_, map, ancestors) {
      sortKeys(map, orderAt(pathTo(ancestors)))
      if (map !== document.contents) liftFromFirstKey(map)
      printWith(' ', map)
    },
    Seq: (_, seq) => printWith('', seq),
  })
  const formatted = document.toString({ lineWidth: 0 })
  if (meaningOf(text) !== meaningOf(formatted) || countComments(text) !== countComments(formatted))
    throw new NotFormattableError('the layout has no place for a comment or a value here')
  return formatted
}

/** Keys from the root; an item of a list is `[]`. */
function pathTo(ancestors: readonly unknown[]): string[] {
  return ancestors.flatMap((node) => (isPair(node) ? [nameOf(node)] : isSeq(node) ? ['[]'] : []))
}

function nameOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key)
}

function sortKeys(map: YAMLMap, order: KeyOrder): void {
  if (order === null) return
  const rank = (pair: Pair) => (order.includes(nameOf(pair)) ? order.indexOf(nameOf(pair)) : order.length)
  map.items.sort((a, b) => rank(a) - rank(b))
}

/** What is above the first key of a map is above the map. */
function liftFromFirstKey(map: YAMLMap): void {
  const key = map.items[0]?.key
  if (!isNode(key) || map.flow) return
  map.commentBefore = [map.commentBefore, key.commentBefore].filter(Boolean).join('\n') || null
  map.spaceBefore ||= key.spaceBefore ?? false
  key.commentBefore = null
  key.spaceBefore = false
}

/** Every value, however its keys are ordered. */
function meaningOf(text: string): string {
  return JSON.stringify(parse(text), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

const countComments = (text: string) => (text.match(/(?:^|\s)#/gm) ?? []).length

/** Text as it is written in the file. */
const AS_WRITTEN: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  identify: (value) => typeof value === 'string',
  resolve: (text) => text,
  stringify: (scalar, { indent }) => asWritten(scalar as Scalar, indent),
}

/** The library has one setting for the spaces inside braces and brackets. */
function printWith(padding: string, node: YAMLMap | YAMLSeq): void {
  const print = node.toString.bind(node)
  node.toString = (context, ...rest) => print(context && { ...context, flowCollectionPadding: padding }, ...rest)
}

function asWritten({ srcToken: token, value }: Scalar, indent: string): string {
  if (!token || !('source' in token)) return String(value)
  if (token.type !== 'block-scalar') {
    if (token.source.includes('\n')) throw new NotFormattableError('a text of several lines is written with > or |')
    return token.source
  }
  const header = token.props.find(({ type }) => type === 'block-scalar-header')
  const lines = token.source.replace(/\n+$/, '').split('\n')
  const isBlank = (line: string) => line.trim() === ''
  const common = Math.min(...lines.filter((line) => !isBlank(line)).map((line) => line.search(/\S/)))
  return [
    header && 'source' in header ? header.source : '>-',
    ...lines.map((line) => (isBlank(line) ? '' : indent + line.slice(common))),
  ].join('\n')
}
