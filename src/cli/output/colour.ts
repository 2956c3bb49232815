import { Chalk, type ChalkInstance } from 'chalk'
import type { Session } from '../session.ts'

/**
 * Whether to write colours: NO_COLOR says no, FORCE_COLOR says yes (0 and false: no), otherwise a terminal decides.
 * Chalk does not look at NO_COLOR by itself.
 */
export function wantsColour(env: Session['env'], isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced === '0' || forced === 'false') return false
  if (forced !== undefined) return true
  return isTerminal && env['TERM'] !== 'dumb'
}

/** Colours for standard output. */
export function colours(session: Session): ChalkInstance {
  return new Chalk({ level: wantsColour(session.env, session.outIsTerminal) ? 1 : 0 })
}
