import { randomUUID } from 'node:crypto'

/** What a customer of the shop bought, from the moment before the service is asked. */
export interface Purchase {
  /** The shop's own number, and the idempotency key of its order: made and kept before the first attempt. */
  id: string
  domain: string
  email: string
  priceCents: number
  quoteId: string | null
  /** `placing` until the service has answered; then what the service says of its order; `failed` where it refused. */
  status: string
  publicId: string | null
  /** Why it failed. */
  problem: string | null
}

/** Keeps purchases and which events were taken. In memory here; a real shop has a table for each. */
export interface PurchaseStore {
  add(purchase: Pick<Purchase, 'domain' | 'email' | 'priceCents' | 'quoteId'>): Purchase
  find(id: string): Purchase | undefined
  findByOrder(publicId: string): Purchase | undefined
  change(id: string, changes: Partial<Purchase>): Purchase
  /** Those that the service has not answered yet. */
  open(): Purchase[]
  /** False where that event was taken before. */
  takeEvent(eventId: string): boolean
}

export function createPurchaseStore(): PurchaseStore {
  const purchases = new Map<string, Purchase>()
  const events = new Set<string>()
  return {
    add(wanted) {
      const purchase: Purchase = { ...wanted, id: randomUUID(), status: 'placing', publicId: null, problem: null }
      purchases.set(purchase.id, purchase)
      return purchase
    },
    find: (id) => purchases.get(id),
    findByOrder: (publicId) => [...purchases.values()].find((purchase) => purchase.publicId === publicId),
    change(id, changes) {
      const purchase = purchases.get(id)
      if (!purchase) throw new Error(`there is no purchase ${id}`)
      return Object.assign(purchase, changes)
    },
    open: () => [...purchases.values()].filter(({ status }) => status === 'placing'),
    takeEvent(eventId) {
      if (events.has(eventId)) return false
      events.add(eventId)
      return true
    },
  }
}
