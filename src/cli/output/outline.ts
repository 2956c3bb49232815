import { escapeLine, escapeLines } from '../../conformance/reports/escape.ts'
import { isObject } from '../../contract/is-object.ts'
import type { OutputRow } from './records.ts'
import { fields, indented, money, table } from './table.ts'

/**
 * Any answer for a person: names and values aligned, lists of alike things as tables, texts of several lines as lines,
 * what is nested below its name.
 *
 * @example outline({ a: 1, list: [{ b: 2 }] }) // 'a  1\nlist\n  B\n  2\n'
 */
export function outline(value: unknown): string {
  if (Array.isArray(value)) return listText(value)
  if (!isObject(value)) return `${escapeLines(String(value ?? ''))}\n`
  const entries = Object.entries(value)
    .map(([name, inner]) => amountOf(name, inner, value['currency']))
    .map(([name, inner]) => [escapeLine(name), inner] as const)
  const width = Math.max(0, ...entries.filter(([, inner]) => isOneLine(inner)).map(([name]) => name.length))
  return entries
    .map(([name, inner]) => {
      if (isOneLine(inner)) return fields([[name.padEnd(width), inner]])
      return `${name}\n${indented(outline(inner))}`
    })
    .join('')
}

const CENTS = '_cents'

/** Amounts in cents read as everywhere else, and no name says cents then. */
export function amountOf(name: string, value: unknown, currency: unknown): [name: string, value: unknown] {
  const isAmount = name.endsWith(CENTS) && (typeof value === 'number' || value === null)
  return isAmount ? [name.slice(0, -CENTS.length), money(value, currency)] : [name, value]
}

function listText(list: readonly unknown[]): string {
  if (list.every(isFlat)) {
    const names = [...new Set(list.flatMap((row) => Object.keys(row)))]
    return table(
      list,
      names.map((name) => [escapeLine(name).replaceAll('_', ' ').toUpperCase(), name]),
    )
  }
  return list
    .map((item) => (Array.isArray(item) ? `${item.map(String).map(escapeLine).join(': ')}\n` : outline(item)))
    .join('')
}

/** Whether all that a record holds fits into the cells of a table. */
function isFlat(value: unknown): value is OutputRow {
  return (
    isObject(value) &&
    Object.values(value).every((inner) => isOneLine(inner) || (Array.isArray(inner) && inner.every(isOneLine)))
  )
}

function isOneLine(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\n')
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0
}
