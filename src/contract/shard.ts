/**
 * A short label for one of several servers behind one address. It begins the names of worlds and the tokens of pages, and stands
 * in key ids, so that an ordinary proxy finds the server of a call. Null for a server that is alone.
 */
export type Shard = string | null

export const SHARD_FORM = '1 to 8 lower-case letters and digits'

/** A label, as a pattern. */
export const SHARD_PATTERN = '[a-z0-9]{1,8}'

const LABEL = new RegExp(`^${SHARD_PATTERN}$`)

/** @example isShard('b') // true */
export function isShard(text: unknown): boolean {
  return typeof text === 'string' && LABEL.test(text)
}

/**
 * A name of this shard; one that has the label already stays as it is.
 *
 * @example withLabel('b', 'default') // 'b.default'
 */
export function withLabel(shard: Shard, name: string): string {
  return hasLabel(shard, name) ? name : `${shard}.${name}`
}

/** @example withoutLabel('b', 'b.default') // 'default' */
export function withoutLabel(shard: Shard, name: string): string {
  return shard !== null && hasLabel(shard, name) ? name.slice(shard.length + 1) : name
}

export function hasLabel(shard: Shard, name: string): boolean {
  return shard === null || name.startsWith(`${shard}.`)
}
