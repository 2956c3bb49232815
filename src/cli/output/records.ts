import { isObject } from '../../contract/is-object.ts'
export type OutputRow = Readonly<Record<string, unknown>>

/** The members of an answer; an answer that is not an object has none. */
export function membersOf(answer: unknown): OutputRow {
  return isObject(answer) ? answer : {}
}

/** The rows of a list answer; an answer that is not a list of rows gives none. */
export function rowsOf(answer: unknown, name: string): Record<string, unknown>[] {
  return recordsIn(isObject(answer) ? answer[name] : answer)
}

/** The records of a list; anything else has none. */
export function recordsIn(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}
