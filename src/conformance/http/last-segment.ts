/**
 * What the end of a path names, decoded; as it is where it is not encoded as paths are.
 *
 * @example lastSegment('/orders/a%20b') // 'a b'
 */
export function lastSegment(path: string): string {
  const segment = path.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
