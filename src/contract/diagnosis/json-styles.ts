import type { MistakeId } from './mistake.ts'

/** JSON as a tree that keeps its numbers as they are written: other languages than JavaScript write 1.0 as 1.0. */
type Json =
  | { kind: 'object'; members: [key: string, value: Json][] }
  | { kind: 'array'; items: Json[] }
  | { kind: 'text'; text: string }
  | { kind: 'other'; source: string }

interface Style {
  /** Behind a comma and behind a colon, where nothing is indented. */
  readonly gap?: ' '
  readonly indent?: string
  readonly sorted?: true
  readonly escaped?: (json: string) => string
}

const STYLES: Partial<Record<MistakeId, Style>> = {
  'body-json-compact': {},
  'body-json-spaced': { gap: ' ' },
  'body-json-spaced-ascii': { gap: ' ', escaped: ascii },
  'body-json-slashes': { escaped: slashes },
  'body-json-slashes-ascii': { escaped: (json) => ascii(slashes(json)) },
  'body-json-indented-2': { indent: '  ' },
  'body-json-indented-4': { indent: '    ' },
  'body-json-indented-tab': { indent: '\t' },
  'body-json-sorted': { sorted: true },
  'body-json-sorted-spaced': { gap: ' ', sorted: true },
  'body-json-sorted-ascii': { gap: ' ', sorted: true, escaped: ascii },
  'body-json-ascii': { escaped: ascii },
  'body-json-html': { sorted: true, escaped: html },
}

/**
 * A JSON text as other programs would write it, each style under its mistake; nothing where it is no JSON.
 *
 * @example jsonStyles('{"a": 1}')[0] // ['body-json-compact', '{"a":1}']
 */
export function jsonStyles(text: string): [id: MistakeId, text: string][] {
  const tree = treeOf(text)
  if (!tree) return []
  const styles = (Object.entries(STYLES) as [MistakeId, Style][])
    .filter(([, style]) => matters(style, text))
    .map(([id, style]): [MistakeId, string] => [id, write(tree, style, '\n')])
  return [['body-json-compact', JSON.stringify(JSON.parse(text))], ...styles, ...unsortedHtml(tree)]
}

/** In a longer text, styles that come to the same are not worth their time. */
const SHORT_CHARACTERS = 4_096

/** Escaping is the same as not escaping where there is nothing to escape. */
function matters({ escaped }: Style, text: string): boolean {
  return text.length < SHORT_CHARACTERS || !escaped || escaped(text) !== text || text.includes('\\')
}

/** A struct keeps its order in Go, a map does not. */
function unsortedHtml(tree: Json): [MistakeId, string][] {
  return [['body-json-html', write(tree, { escaped: html }, '\n')]]
}

/** Bodies are limited in depth before they are used; a log keeps those that were refused for it too. */
const DEEPEST = 64

function treeOf(text: string): Json | null {
  try {
    JSON.parse(text)
  } catch {
    return null
  }
  const tokens = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []
  let at = 0
  return value(0)

  function value(depth: number): Json | null {
    const token = tokens[at++] ?? ''
    if (depth > DEEPEST) return null
    if (token === '{') return object(depth)
    if (token === '[') return array(depth)
    return token.startsWith('"')
      ? { kind: 'text', text: JSON.parse(token) as string }
      : { kind: 'other', source: token }
  }

  function object(depth: number): Json | null {
    const members: [string, Json][] = []
    while (tokens[at] !== '}') {
      if (tokens[at] === ',') at++
      const key = JSON.parse(tokens[at] as string) as string
      at += 2
      const inner = value(depth + 1)
      if (!inner) return null
      members.push([key, inner])
    }
    at++
    return { kind: 'object', members }
  }

  function array(depth: number): Json | null {
    const items: Json[] = []
    while (tokens[at] !== ']') {
      if (tokens[at] === ',') at++
      const inner = value(depth + 1)
      if (!inner) return null
      items.push(inner)
    }
    at++
    return { kind: 'array', items }
  }
}

function write(json: Json, style: Style, lineBreak: string): string {
  switch (json.kind) {
    case 'text':
      return quoted(json.text, style)
    case 'other':
      return json.source
    case 'array':
      return bracketed(
        '[]',
        json.items.map((item) => write(item, style, lineBreak + (style.indent ?? ''))),
        style,
        lineBreak,
      )
    case 'object': {
      const inner = lineBreak + (style.indent ?? '')
      const colon = style.gap || style.indent ? ': ' : ':'
      const pairs = membersOf(json.members, style).map(
        ([key, member]) => quoted(key, style) + colon + write(member, style, inner),
      )
      return bracketed('{}', pairs, style, lineBreak)
    }
  }
}

/** Of a key that occurs twice, a parser keeps the last value at the place of the first. */
function membersOf(members: readonly [string, Json][], { sorted }: Style): [string, Json][] {
  const unique = [...new Map(members)]
  return sorted ? unique.sort(([a], [b]) => (a < b ? -1 : Number(a > b))) : unique
}

function bracketed(brackets: '[]' | '{}', parts: string[], { gap, indent }: Style, lineBreak: string): string {
  const [open, close] = brackets
  if (parts.length === 0) return brackets
  if (indent === undefined) return `${open}${parts.join(gap ? `,${gap}` : ',')}${close}`
  return `${open}${lineBreak}${indent}${parts.join(`,${lineBreak}${indent}`)}${lineBreak}${close}`
}

function quoted(text: string, { escaped = (json) => json }: Style): string {
  return escaped(JSON.stringify(text))
}

function ascii(json: string): string {
  return json.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function slashes(json: string): string {
  return json.replaceAll('/', '\\/')
}

function html(json: string): string {
  return json.replaceAll(/[<>&\u2028\u2029]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
