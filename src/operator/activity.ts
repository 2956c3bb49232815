/** What happens on a server, for the person who runs it: a line each, without secrets. */
export type Activity = CallNotice | RefusalNotice | DeliveryNotice | SkippedNotice

/** What of a kind was skipped since the last one, because there was too much in a short time. */
export interface Skipped {
  readonly skipped: number
  /** The worlds in which that was. */
  readonly skippedIn: readonly string[]
}

interface Notice extends Skipped {
  readonly world: string
}

export interface CallNotice extends Notice {
  readonly kind: 'call'
  readonly atMs: number
  readonly method: string
  /** Without its query. */
  readonly path: string
  readonly status: number
  readonly code: string | null
  readonly tookMs: number
  /** What a proxy found out about a call that it passed on. */
  readonly says?: string
}

/** Why a call was refused. */
export interface RefusalNotice extends Notice {
  readonly kind: 'refusal'
  readonly requestId: string
  readonly method: string
  /** Without its query. */
  readonly path: string
  readonly sentence: string
}

/** An attempt to deliver a webhook. */
export interface DeliveryNotice extends Notice {
  readonly kind: 'delivery'
  readonly atMs: number
  readonly deliveryId: string
  readonly type: string
  readonly attempt: number
  /** Null without an answer. */
  readonly status: number | null
  readonly failure: string | null
  /** World time until the next attempt; null if there is none. */
  readonly nextInMs: number | null
}

/** Some were skipped, and no other of their kind has come since. */
export interface SkippedNotice extends Skipped {
  readonly kind: 'skipped'
  readonly of: Exclude<Activity['kind'], 'skipped'>
}
