import { createSender, type Sender } from '../http/send.ts'
import type { Run } from './run-context.ts'

const senders = new WeakMap<object, Map<string, Sender>>()

/**
 * The one sender of a run to an address other than the API's; idle connections do not keep the process alive.
 *
 * @param mayReach asked of each address that the host's name stands for, when a connection is opened.
 */
export function senderTo(run: Run, origin: string, mayReach?: (address: string) => boolean): Sender {
  const ofRun = senders.get(run) ?? new Map<string, Sender>()
  senders.set(run, ofRun)
  const key = mayReach ? `page ${origin}` : origin
  const sender = ofRun.get(key) ?? createSender({ ...run.senderOptions, origin, ...(mayReach && { mayReach }) })
  ofRun.set(key, sender)
  return sender
}

/** Closes what was opened in this run. */
export function closeSenders(run: object): void {
  for (const sender of senders.get(run)?.values() ?? []) sender.close()
  senders.delete(run)
}
