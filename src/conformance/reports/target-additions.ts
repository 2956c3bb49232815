import { isObject } from '../http/json-body.ts'
import { partsOfNote, type TargetAddition } from '../result/target-addition.ts'

/**
 * Everything that notes say to add to the target file, as the lines of one YAML text, each thing once.
 *
 * @example additionLines([noteWith('no topic', { fixtures: { live_site: ['DOMAIN'] } })]) // ['fixtures:', '  live_site: [DOMAIN] # no topic']
 */
export function additionLines(notes: readonly string[]): string[] {
  const all: Record<string, unknown> = {}
  const reasons = new Map<string, string>()
  for (const note of notes) {
    const { why, addition } = partsOfNote(note)
    if (addition) merge(all, addition, why, reasons)
  }
  return SECTIONS.filter((key) => key in all).flatMap((key) => linesOf(key, all[key], reasons))
}

/** In the order of a target file. */
const SECTIONS = ['credentials', 'fixtures', 'dialect'] as const

function merge(
  into: Record<string, unknown>,
  addition: TargetAddition,
  why: string,
  reasons: Map<string, string>,
  path = '',
): void {
  for (const [key, value] of Object.entries(addition)) {
    const at = `${path}/${key}`
    const known = into[key]
    if (at === '/credentials' && Array.isArray(value)) into[key] = withRows(known, value)
    else if (isObject(value) && at.split('/').length <= (at.startsWith('/dialect') ? 3 : 2)) {
      const inner = { ...(isObject(known) ? known : {}) }
      into[key] = inner
      merge(inner, value, why, reasons, at)
    } else if (known === undefined) {
      into[key] = value
      reasons.set(at, why)
    }
  }
}

/** Keys of credentials by their names. */
function withRows(known: unknown, rows: readonly unknown[]): unknown[] {
  const all = Array.isArray(known) ? known : []
  const names = new Set(all.map(nameOf))
  return [...all, ...rows.filter((row) => !names.has(nameOf(row)))]
}

function nameOf(row: unknown): unknown {
  return isObject(row) ? row['name'] : row
}

function linesOf(key: string, value: unknown, reasons: ReadonlyMap<string, string>, depth = 0, path = ''): string[] {
  const at = `${path}/${key}`
  const indent = '  '.repeat(depth)
  if (at === '/credentials') return [`${key}:`, ...(value as unknown[]).map((row) => `  - ${flow(row)}`)]
  const why = reasons.get(at)
  if (why !== undefined || !isObject(value)) return [`${indent}${keyText(key)}: ${flow(value)}${commentOf(why)}`]
  const inner = Object.entries(value).flatMap(([name, one]) => linesOf(name, one, reasons, depth + 1, at))
  return [`${indent}${key}:`, ...inner]
}

const COMMENT_CHARACTERS = 200

function commentOf(why: string | undefined): string {
  if (why === undefined) return ''
  const line = why.replaceAll(/\s+/g, ' ')
  return ` # ${line.length > COMMENT_CHARACTERS ? `${line.slice(0, COMMENT_CHARACTERS)}…` : line}`
}

/** A value in the flow style of YAML. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (isObject(value))
    return `{ ${Object.entries(value)
      .map(([key, one]) => `${keyText(key)}: ${flow(one)}`)
      .join(', ')} }`
  return typeof value === 'string' && PLAIN.test(value) && !isOtherwiseRead(value) ? value : JSON.stringify(value)
}

/** Text that needs no quotes anywhere. */
const PLAIN = /^[A-Za-z/][\w./-]*$/

function isOtherwiseRead(text: string): boolean {
  return /^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
}

function keyText(key: string): string {
  return /^[\w.:-]+$/.test(key) ? key : JSON.stringify(key)
}
