/** How a world misbehaves on purpose when it delivers webhooks, so that receivers can be tried. */
export interface DeliveryProfile {
  /** Extra copies of each delivery. */
  duplicate: number
  /** Later events before earlier ones, among those that are due together. */
  reorder: boolean
  /** World time between an event and its first attempt, in milliseconds. */
  delayMs: number
  /** Nothing is sent; the history has it all the same. */
  drop: boolean
  /** Signed with a secret that the partner never registered. */
  wrongSecret: boolean
  /** A call is answered only when the attempts for what it caused have ended. */
  beforeResponse: boolean
}

/** Extra copies at most. */
export const MOST_COPIES = 5

export const PLAIN_DELIVERY: DeliveryProfile = {
  duplicate: 0,
  reorder: false,
  delayMs: 0,
  drop: false,
  wrongSecret: false,
  beforeResponse: false,
}
