/** What a tracking link is about: the whole shop, one domain, or a product that the partner names (LINK-01). */
export const LINK_KINDS = ['generic', 'domain', 'product'] as const

export type LinkKind = (typeof LINK_KINDS)[number]
