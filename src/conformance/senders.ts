import type { Campaign } from './campaign.ts'
import { createSender, type Sender } from './send.ts'

const senders = new WeakMap<object, Map<string, Sender>>()

/** The one sender of a run to an address other than the API's; idle connections do not keep the process alive. */
export function senderTo(campaign: Campaign, origin: string): Sender {
  const ofRun = senders.get(campaign) ?? new Map<string, Sender>()
  senders.set(campaign, ofRun)
  const sender = ofRun.get(origin) ?? createSender({ ...campaign.senderOptions, origin })
  ofRun.set(origin, sender)
  return sender
}

/** Closes what was opened in this run. */
export function closeSenders(campaign: object): void {
  for (const sender of senders.get(campaign)?.values() ?? []) sender.close()
  senders.delete(campaign)
}
