/**
 * Whether a name fits a pattern in which `*` stands for any text.
 *
 * @example fitsPattern('skew-*', 'skew-edge=refused') // true
 */
export function fitsPattern(pattern: string, name: string): boolean {
  const pieces = pattern.split('*').map((piece) => piece.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  return new RegExp(`^${pieces.join('.*')}$`, 'u').test(name)
}
