import { Chalk, type ChalkInstance } from 'chalk'

/** Writes text in a style, for a terminal. */
export type Paint = ChalkInstance

/** @param color without it, text stays as it is: chalk itself does not read NO_COLOR. */
export const paintWith = (color: boolean): Paint => new Chalk({ level: color ? 1 : 0 })
