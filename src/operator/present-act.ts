import { formatInstant } from '../clock/instant.ts'
import type { Act } from '../sandbox/app/act-log.ts'

/** Something that an operator has changed, as lists and streams show it. */
export function presentAct(act: Act) {
  return {
    position: act.position,
    at: formatInstant(act.atMs),
    world_time: { from: formatInstant(act.fromMs), to: formatInstant(act.toMs) },
    after_request: act.afterCall,
    operation: act.operation,
    params: act.params,
    body: act.body,
  }
}
