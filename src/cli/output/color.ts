import { type Paint, paintWith } from '../../conformance/reports/paint.ts'
import type { Session } from '../session.ts'

/** Whether to write colors: NO_COLOR turns them off, FORCE_COLOR on (0 and false: off). By default only a terminal gets colors. */
export function wantsColor(env: Session['env'], isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced === '0' || forced === 'false') return false
  if (forced !== undefined) return true
  return isTerminal && env['TERM'] !== 'dumb'
}

export function colors(session: Session): Paint {
  return paintWith(wantsColor(session.env, session.outIsTerminal))
}
