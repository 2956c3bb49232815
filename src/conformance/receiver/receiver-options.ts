import type { RunOptions } from '../engine/run-options.ts'
import type { OwnEvent } from './own-events.ts'

export interface ReceiverOptions
  extends Pick<RunOptions, 'registry' | 'wall' | 'toolVersion' | 'only' | 'signal' | 'onProgress'> {
  /** Where deliveries go: http or https, path and query included. */
  url: string
  /** The one that the receiver knows. */
  secret: string
  ownEvents?: readonly OwnEvent[]
  /** Headers for a gateway before the receiver; `isSecret` ones are left out of reports. */
  headers?: readonly { name: string; value: string; isSecret: boolean }[]
  /** Where the partner says how many events were dealt with; the fragment is a JSON pointer into the answer. */
  effectsUrl?: string
  insecure?: boolean
  /** How long to wait for an answer. Default 10 s. */
  timeoutMs?: number
  /** Answers after that are too late. The document's 5 s unless a test is in a hurry. */
  deadlineMs?: number
  transcript?: 'named' | 'all'
}

/** A query may hold a token. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
