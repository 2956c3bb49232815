import { createSender, type Sender } from '../http/send.ts'
import type { Run } from './run-context.ts'

/**
 * The one sender of a run to an address other than the API's; idle connections do not keep the process alive.
 *
 * @param mayReach asked of each address that the host's name stands for, when a connection is opened.
 */
export function senderTo(run: Run, origin: string, mayReach?: (address: string) => boolean): Sender {
  const key = mayReach ? `page ${origin}` : origin
  const sender = run.senders.get(key) ?? createSender({ ...run.senderOptions, origin, ...(mayReach && { mayReach }) })
  run.senders.set(key, sender)
  return sender
}

/** Closes what was opened in this run. */
export function closeSenders({ senders }: Run): void {
  for (const sender of senders.values()) sender.close()
  senders.clear()
}
