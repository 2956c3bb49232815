/**
 * The tags of buyers for whom a payment on the hosted page goes otherwise than well. What each does is said in
 * fixtures/inventory.yaml.
 */
export const MAGIC_BUYERS = ['declines', 'abandons', 'pays-late'] as const

export type MagicBuyer = (typeof MAGIC_BUYERS)[number]

/**
 * The tag of a buyer's e-mail address: what stands between its last plus sign and the at sign.
 *
 * @returns null for an ordinary buyer.
 * @example magicBuyer('jo+declines@example.test') // 'declines'
 */
export function magicBuyer(email: string): MagicBuyer | null {
  const tag = /\+([^+@]*)@/.exec(email)?.[1]?.toLowerCase() ?? ''
  return (MAGIC_BUYERS as readonly string[]).includes(tag) ? (tag as MagicBuyer) : null
}
