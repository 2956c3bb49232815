import { parseAst } from 'vitest/node'

/** One mention of another module. */
export interface Import {
  readonly specifier: string
  readonly line: number
}

type Node = Record<string, unknown>

const MENTIONS = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
  'TSExternalModuleReference',
])

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

/** The module a node mentions: its text, or undefined where it mentions none. */
function mentioned(node: Node): string | undefined {
  if (!MENTIONS.has(String(node.type))) return undefined
  const source = node.source ?? node.argument ?? node.expression
  if (!isNode(source)) return undefined
  const literal = isNode(source.literal) ? source.literal : source
  // A computed name can be judged by nobody, so it is reported as what it is.
  return typeof literal.value === 'string' ? literal.value : '(computed)'
}

/**
 * Every module a TypeScript text mentions: imports, type imports, re-exports, `import()` and `import('x').T`.
 *
 * @throws SyntaxError where the text is not TypeScript.
 */
export function scanImports(text: string, lang: 'ts' | 'tsx'): Import[] {
  const found: Import[] = []
  const visit = (node: unknown): void => {
    if (!isNode(node)) return
    const specifier = mentioned(node)
    if (specifier !== undefined) {
      found.push({ specifier, line: text.slice(0, Number(node.start)).split('\n').length })
    }
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseAst(text, { lang }))
  return found
}
