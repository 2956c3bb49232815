import type { EndpointId } from '../contract/endpoints.ts'
import { isAccepted } from './answer.ts'
import type { Campaign } from './campaign.ts'
import type { Turn } from './conversation.ts'
import { findRole } from './dialect.ts'
import type { CreatedThing } from './result.ts'
import type { RoleName } from './roles.ts'
import { noteWorldTime } from './target-clock.ts'

const CREATES: Partial<Record<EndpointId, { kind: CreatedThing['kind']; id: RoleName; at?: RoleName }>> = {
  'orders.create': { kind: 'order', id: 'order.public_id', at: 'order.created_at' },
  'quotes.create': { kind: 'quote', id: 'quote.id' },
  'checkout.create': { kind: 'checkout_session', id: 'checkout.id' },
  'brokerage.create': { kind: 'case', id: 'case.id', at: 'case.created_at' },
  'links.create': { kind: 'link', id: 'link.id', at: 'link.created_at' },
  'refunds.create': { kind: 'refund', id: 'refund.id' },
  'webhooks.put': { kind: 'webhook', id: 'webhook.url' },
}

/** Keeps a list of what the run leaves behind: this API deletes nothing. */
export function noteCreated(campaign: Campaign, turn: Turn): void {
  const { op } = turn.attempt
  const row = op === null ? undefined : CREATES[op]
  if (!row || !isAccepted(turn.answer)) return
  const ground = { json: turn.answer.json, op }
  const found = findRole(campaign.target.dialect.roles, row.id, ground)
  const at = row.at && findRole(campaign.target.dialect.roles, row.at, ground)
  if (at?.found) noteWorldTime(campaign, at.value)
  const id = found.found ? String(found.value) : 'unknown'
  if (row.kind === 'order' && !campaign.learnt.recordedAtMs.has(id))
    campaign.learnt.recordedAtMs.set(id, campaign.wall.nowMs())
  if (!campaign.created.some((thing) => thing.kind === row.kind && thing.id === id))
    campaign.created.push({ kind: row.kind, id })
}
