import { createSender, type Sender } from '../http/send.ts'
import type { Campaign } from './run-context.ts'

const senders = new WeakMap<object, Map<string, Sender>>()

/**
 * The one sender of a run to an address other than the API's; idle connections do not keep the process alive.
 *
 * @param mayReach asked of each address that the host's name stands for, when a connection is opened.
 */
export function senderTo(campaign: Campaign, origin: string, mayReach?: (address: string) => boolean): Sender {
  const ofRun = senders.get(campaign) ?? new Map<string, Sender>()
  senders.set(campaign, ofRun)
  const key = mayReach ? `page ${origin}` : origin
  const sender = ofRun.get(key) ?? createSender({ ...campaign.senderOptions, origin, ...(mayReach && { mayReach }) })
  ofRun.set(key, sender)
  return sender
}

/** Closes what was opened in this run. */
export function closeSenders(campaign: object): void {
  for (const sender of senders.get(campaign)?.values() ?? []) sender.close()
  senders.delete(campaign)
}
