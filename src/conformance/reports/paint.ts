import { Chalk, type ChalkInstance } from 'chalk'

/** Colors of a terminal, or none at all, whatever the environment says. */
export function paintWith(colour: boolean): ChalkInstance {
  return new Chalk({ level: colour ? 1 : 0 })
}
