/**
 * The tags of buyers for whom a payment on the hosted page goes otherwise than well. What each does is said in
 * fixtures/inventory.yaml.
 */
export const MAGIC_BUYERS = ['declines', 'abandons', 'pays-late'] as const

export type MagicBuyer = (typeof MAGIC_BUYERS)[number]

/**
 * The tag in a buyer's e-mail address that means something here: any of those behind its plus signs, the first of several.
 *
 * @returns null for an ordinary buyer.
 * @example magicBuyer('jo+declines+cart7@example.test') // 'declines'
 */
export function magicBuyer(email: string): MagicBuyer | null {
  const [, ...tags] = (email.split('@')[0] ?? '').toLowerCase().split('+')
  return tags.map((tag) => MAGIC_BUYERS.find((magic) => magic === tag)).find((magic) => magic !== undefined) ?? null
}
