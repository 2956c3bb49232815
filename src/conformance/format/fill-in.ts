/** Marks each place of a scenario to begin with that a person has to fill in. */
export const FILL_IN = 'TODO'

/** Where a text still asks to be filled in; a word inside another one, or in small letters, is a text like any. */
const MARKER = new RegExp(`^\\s*${FILL_IN}(?:$|[\\s:])`)

/** Whether a value is still what a template had in its place. */
export function asksToBeFilledIn(value: unknown): boolean {
  return typeof value === 'string' && MARKER.test(value)
}
