import { type Answer, headerOf, isAccepted } from './answer.ts'
import type { Campaign, Speaker } from './campaign.ts'
import { converse } from './conversation.ts'
import { endpointOf } from './steps.ts'
import type { TargetCredential } from './target.ts'

/** The Date header has whole seconds and took a while: less than this is no offset. */
const NOTICEABLE_MS = 5_000

/** Takes the target's clock from an answer, so that our timestamps are right by its clock and not by ours. */
export function readClock(campaign: Campaign, answer: Answer): void {
  const at = Date.parse(headerOf(answer, 'date') ?? '')
  if (Number.isNaN(at)) return
  const offsetMs = at + 500 - campaign.wall.nowMs()
  campaign.learnt.clockOffsetMs = Math.abs(offsetMs) < NOTICEABLE_MS ? 0 : offsetMs
}

/** After an operator has moved the clock: signs by the one that the target judges timestamps by. */
export async function recheckClock(speaker: Speaker, credential: TargetCredential, movedMs: number): Promise<void> {
  const { learnt } = speaker.campaign
  const before = learnt.clockOffsetMs
  const first = await probe(speaker, credential)
  if (first === null || isAccepted(first) || ![400, 401, 403].includes(first.status)) return
  readClock(speaker.campaign, first)
  if (learnt.clockOffsetMs !== before && isAccepted(await probe(speaker, credential))) return
  learnt.clockOffsetMs = before + movedMs
  if (!isAccepted(await probe(speaker, credential))) learnt.clockOffsetMs = before
}

/** A read that any sound target accepts, whatever the domain. */
export async function probe(speaker: Speaker, credential: TargetCredential): Promise<Answer | null> {
  const { method, path } = endpointOf('availability')
  const plan = { method, path, query: [['domain', 'probe.example']] as const }
  return (await converse(speaker, { op: 'availability', plan, credential })).answer
}
