/** How a payment on the hosted page goes for a buyer whose address bears one of these tags (shapes.md, Magic domains). */
export const MAGIC_BUYERS = {
  declines: 'the payment is declined and may be tried again',
  abandons: 'the buyer leaves for cancel_url without paying; the session stays open',
  'pays-late': 'the payment succeeds one hour of world time later',
} as const

export type MagicBuyer = keyof typeof MAGIC_BUYERS

/**
 * The tag of a buyer's e-mail address: what stands between its last plus sign and the at sign.
 *
 * @returns null for an ordinary buyer.
 * @example magicBuyer('jo+declines@example.test') // 'declines'
 */
export function magicBuyer(email: string): MagicBuyer | null {
  const tag = /\+([^+@]*)@/.exec(email)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(MAGIC_BUYERS, tag) ? (tag as MagicBuyer) : null
}
