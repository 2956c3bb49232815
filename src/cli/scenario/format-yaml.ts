import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { KeyOrder } from './key-order.ts'

/** Tells the order of keys at a place. */
export type OrderAt = (path: readonly string[]) => KeyOrder

/** A file has something in it that this layout cannot keep. */
export class NotFormattableError extends Error {
  override readonly name = 'NotFormattableError'
}

/**
 * One canonical layout: two spaces a level, keys in the order that `orderAt` names, `{ a: b }` and `[a, b]`. What stood on one
 * line stays on one line, and what stood on several does; quotes, folded text, blank lines and comments stay as they are.
 *
 * @throws NotFormattableError for what is no YAML, and where a comment or a value would be lost.
 */
export function formatYaml(text: string, orderAt: OrderAt): string {
  const document = parseDocument(text, { keepSourceTokens: true })
  const [error] = document.errors
  if (error) throw new NotFormattableError(error.message.split('\n')[0])
  if (!isMap(document.contents)) throw new NotFormattableError('a scenario is a map of keys and values')
  const lines = [
    ...commentLines(document.commentBefore, ''),
    ...commentLines(takenFromFirstKey(document.contents), ''),
    ...(document.commentBefore && /^#[^\n]*\n\s*\n/.test(text) ? [''] : []),
    ...block(document.contents, '', [], orderAt),
    ...commentLines(document.comment, ''),
  ]
  const formatted = `${lines.join('\n')}\n`
  const before = JSON.stringify(sorted(document.toJS()))
  const after = JSON.stringify(sorted(parseDocument(formatted).toJS()))
  if (before !== after || countComments(text) !== countComments(formatted))
    throw new NotFormattableError('a comment or a value stands where this layout has no place for it')
  return formatted
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}

/** The head of a file belongs to the file, wherever its first key goes. */
function takenFromFirstKey(map: YAMLMap): string | null | undefined {
  const key = map.items[0]?.key as Node | undefined
  const comment = map.commentBefore ?? key?.commentBefore
  map.commentBefore = null
  if (key) key.commentBefore = null
  return comment
}

const countComments = (text: string) => (text.match(/(?:^|\s)#/gm) ?? []).length

function commentLines(comment: string | null | undefined, indent: string): string[] {
  if (!comment) return []
  return comment.split('\n').map((line) => (line === '' ? '' : `${indent}#${line}`))
}

function block(node: Node, indent: string, path: readonly string[], orderAt: OrderAt): string[] {
  if (isMap(node)) return pairsOf(node, path, orderAt).flatMap((pair) => pairLines(pair, indent, path, orderAt))
  if (isSeq(node)) return node.items.flatMap((item) => itemLines(item as Node, indent, path, orderAt))
  return [`${indent}${inline(node, path, orderAt)}`]
}

function pairsOf(map: YAMLMap, path: readonly string[], orderAt: OrderAt): Pair<Node, Node | null>[] {
  const pairs = map.items as Pair<Node, Node | null>[]
  const order = orderAt(path)
  if (order === null) return pairs
  const rank = (pair: Pair<Node, Node | null>) => {
    const at = order.indexOf(keyOf(pair))
    return at === -1 ? order.length : at
  }
  return pairs
    .map((pair, at) => [pair, at] as const)
    .sort(([a, i], [b, j]) => rank(a) - rank(b) || i - j)
    .map(([pair]) => pair)
}

const keyOf = (pair: Pair<Node, unknown>) => String((pair.key as Scalar).value)

function pairLines(
  { key, value }: Pair<Node, Node | null>,
  indent: string,
  path: readonly string[],
  orderAt: OrderAt,
): string[] {
  const name = inline(key, path, orderAt)
  const inner = [...path, String((key as Scalar).value)]
  const before = [...(key.spaceBefore ? [''] : []), ...commentLines(key.commentBefore, indent)]
  if (value === null) return [...before, `${indent}${name}:`]
  if (isScalar(value) && isBlockText(value)) return [...before, ...blockText(`${indent}${name}: `, value, indent)]
  if (isOneLine(value))
    return [
      ...before,
      ...commentLines(value.commentBefore, indent),
      `${indent}${name}: ${inline(value, inner, orderAt)}${trailing(value)}`,
    ]
  return [
    ...before,
    `${indent}${name}:${value.commentBefore ? '' : ''}`,
    ...commentLines(value.commentBefore, `${indent}  `),
    ...block(value, `${indent}  `, inner, orderAt),
    ...commentLines(value.comment, `${indent}  `),
  ]
}

function itemLines(item: Node, indent: string, path: readonly string[], orderAt: OrderAt): string[] {
  const inner = [...path, '[]']
  const before = [...(item.spaceBefore ? [''] : []), ...commentLines(item.commentBefore, indent)]
  if (isScalar(item) && isBlockText(item)) return [...before, ...blockText(`${indent}- `, item, indent)]
  if (isOneLine(item)) return [...before, `${indent}- ${inline(item, inner, orderAt)}${trailing(item)}`]
  const lines = block(item, `${indent}  `, inner, orderAt)
  // What stands over the first key of an item stands over the item.
  const start = lines.findIndex((line) => line !== '' && !line.trimStart().startsWith('#'))
  const over = lines.slice(0, start).map((line) => (line === '' ? '' : line.slice(2)))
  const [first = '', ...rest] = lines.slice(start)
  return [
    ...before,
    ...over,
    `${indent}- ${first.slice(indent.length + 2)}`,
    ...rest,
    ...commentLines(item.comment, `${indent}  `),
  ]
}

function trailing(node: Node): string {
  return node.comment ? ` #${node.comment}` : ''
}

function isOneLine(node: Node): boolean {
  if (isMap(node) || isSeq(node)) return node.flow === true || node.items.length === 0
  return true
}

function inline(node: Node, path: readonly string[], orderAt: OrderAt): string {
  if (isMap(node)) return inlineMap(node, path, orderAt)
  if (isSeq(node))
    return `[${(node as YAMLSeq<Node>).items.map((item) => inline(item, [...path, '[]'], orderAt)).join(', ')}]`
  if (isAlias(node)) return `*${node.source}`
  return sourceOf(node as Scalar)
}

function inlineMap(map: YAMLMap, path: readonly string[], orderAt: OrderAt): string {
  if (map.items.length === 0) return '{}'
  const pairs = pairsOf(map, path, orderAt).map((pair) => {
    const key = inline(pair.key, path, orderAt)
    return pair.value === null ? key : `${key}: ${inline(pair.value, [...path, keyOf(pair)], orderAt)}`
  })
  return `{ ${pairs.join(', ')} }`
}

function sourceOf(scalar: Scalar): string {
  const token = scalar.srcToken
  if (!token || !('source' in token)) return String(scalar.value ?? '')
  if (token.source.includes('\n')) throw new NotFormattableError('a text of several lines is written with > or |')
  return token.source
}

function isBlockText(scalar: Scalar): boolean {
  return scalar.srcToken?.type === 'block-scalar'
}

/** Its lines as they were broken, one level in. */
function blockText(start: string, scalar: Scalar, indent: string): string[] {
  const token = scalar.srcToken
  if (token?.type !== 'block-scalar') return []
  const header = token.props.find(({ type }) => type === 'block-scalar-header')
  const head = header && 'source' in header ? header.source : '>-'
  const lines = token.source.replace(/\n+$/, '').split('\n')
  const common = Math.min(
    ...lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length),
  )
  return [`${start}${head}`, ...lines.map((line) => (line.trim() === '' ? '' : `${indent}  ${line.slice(common)}`))]
}
