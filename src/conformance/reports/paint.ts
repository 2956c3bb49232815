type Brush = (text: string) => string

/** Colours of a terminal, or none at all. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', Brush>>

/**
 * Brushes that colour, or that leave text as it is.
 *
 * @example paintWith(false).red('FAIL') // 'FAIL'
 */
export function paintWith(colour: boolean): Paint {
  const brush = (on: number, off: number): Brush =>
    colour ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text
  return {
    bold: brush(1, 22),
    dim: brush(2, 22),
    red: brush(31, 39),
    green: brush(32, 39),
    yellow: brush(33, 39),
    cyan: brush(36, 39),
  }
}
