/** Set by `npm run test:all`: every test at its full size. `npm test` leaves it out and does a little of everything. */
export const IS_FULL = process.env['FULL_SIZE'] === '1'

/**
 * How much a test does: the first in `npm test`, the second in `npm run test:all`.
 *
 * @example fc.assert(property, { numRuns: size(20, 200) })
 */
export function size<Value>(small: Value, full: Value): Value {
  return IS_FULL ? full : small
}

/** Each so-manieth of a list in `npm test`, beginning with that at `first`; all of it in `npm run test:all`. */
export function sampleOf<Item>(all: readonly Item[], each: number, first = 0): Item[] {
  return all.filter((_, at) => IS_FULL || at % each === first)
}
