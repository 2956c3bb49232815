import { styleText } from 'node:util'

const STYLES = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const

/** Writes text in a style, for a terminal. */
export type Paint = Readonly<Record<(typeof STYLES)[number], (text: string) => string>>

/** @param color without it, text stays as it is. */
export function paintWith(color: boolean): Paint {
  // Whether there are colors has been decided: Node is not to decide it again.
  const painted = STYLES.map((style) => [style, (text: string) => styleText(style, text, { validateStream: false })])
  return Object.fromEntries(color ? painted : STYLES.map((style) => [style, (text: string) => text])) as Paint
}
