import { ENDPOINTS } from '../../contract/endpoints.ts'
import { findRole } from '../dialect/find-role.ts'
import { isAccepted } from '../http/answer.ts'
import type { Campaign } from './run-context.ts'
import type { Turn } from './send-call.ts'
import { noteWorldTime } from './target-clock.ts'

/** Keeps a list of what the run leaves behind: this API deletes nothing. */
export function noteCreated(campaign: Campaign, turn: Turn): void {
  const { op } = turn.attempt
  const row = op === null ? null : ENDPOINTS[op].creates
  if (!row || !isAccepted(turn.answer)) return
  const ground = { json: turn.answer.json, op }
  const found = findRole(campaign.target.dialect.roles, row.handles[0].role, ground)
  const at = row.at && findRole(campaign.target.dialect.roles, row.at, ground)
  if (at?.found) noteWorldTime(campaign, at.value)
  const id = found.found ? String(found.value) : 'unknown'
  if (row.kind === 'order' && !campaign.learnt.recordedAtMs.has(id))
    campaign.learnt.recordedAtMs.set(id, campaign.wall.nowMs())
  if (!campaign.created.some((thing) => thing.kind === row.kind && thing.id === id))
    campaign.created.push({ kind: row.kind, id })
}
