import { type PartnerApi, PartnerApiError } from './partner-api.ts'
import type { Purchase, PurchaseStore } from './purchases.ts'

export interface Offer {
  domain: string
  priceCents: number
  currency: string
}

/** A price that holds for ten minutes. */
export interface Quote extends Offer {
  quoteId: string
  expiresAt: string
}

/** What a customer agreed to. */
export interface Wish {
  domain: string
  email: string
  priceCents: number
  quoteId?: string
}

export interface Shop {
  search(words: string): Promise<Offer[]>
  quote(domain: string): Promise<Quote>
  /** Charges the customer's price; a purchase that the service refuses comes back as `failed`, with the reason. */
  buy(wish: Wish): Promise<Purchase>
  /** Places again what was under way when the shop went down; what the service has already is not bought twice. */
  finishOpenPurchases(): Promise<void>
  refund(id: string): Promise<Purchase>
  /** What a verified webhook says. Each event counts once; which of two is newer, the service is asked. */
  take(event: { id: string; data: { order?: { public_id: string } } }): Promise<void>
}

interface Order {
  public_id: string
  status: string
}

interface Priced {
  domain: string
  price_cents: number
  currency: string
}

export function createShop(call: PartnerApi, purchases: PurchaseStore): Shop {
  async function place(purchase: Purchase): Promise<Purchase> {
    const { id, domain, email, priceCents, quoteId } = purchase
    try {
      const { public_id: publicId, status } = await call<Order>({
        method: 'POST',
        path: '/orders',
        idempotencyKey: id,
        body: {
          domain,
          expected_price: priceCents,
          currency: 'USD',
          buyer: { email },
          ...(quoteId !== null && { quote_id: quoteId }),
        },
      })
      return purchases.change(id, { publicId, status })
    } catch (error) {
      if (!(error instanceof PartnerApiError) || error.status >= 500) throw error
      return purchases.change(id, { status: 'failed', problem: error.code })
    }
  }

  return {
    async search(words) {
      const { domains } = await call<{ domains: Priced[] }>({ path: `/domains/search?q=${encodeURIComponent(words)}` })
      return domains.map(offerOf)
    },
    async quote(domain) {
      const quote = await call<Priced & { quote_id: string; expires_at: string }>({
        method: 'POST',
        path: '/quotes',
        body: { domain },
      })
      return { ...offerOf(quote), quoteId: quote.quote_id, expiresAt: quote.expires_at }
    },
    buy: ({ quoteId = null, ...wish }) => place(purchases.add({ ...wish, quoteId })),
    async finishOpenPurchases() {
      for (const purchase of purchases.open()) await place(purchase)
    },
    async refund(id) {
      const purchase = purchases.find(id)
      if (!purchase?.publicId) throw new Error(`${id} is no purchase that could be refunded`)
      const { status } = await call<Order>({
        method: 'POST',
        path: '/refunds',
        body: { public_id: purchase.publicId, reason: 'the customer changed their mind' },
      })
      return purchases.change(id, { status })
    },
    async take({ id, data }) {
      if (!data.order || !purchases.takeEvent(id)) return
      // Deliveries may overtake each other: the event says that something happened, the order says what it came to.
      const { public_id: publicId, status } = await call<Order>({ path: `/orders/${data.order.public_id}` })
      const purchase = purchases.findByOrder(publicId)
      if (purchase) purchases.change(purchase.id, { status })
    },
  }
}

function offerOf({ domain, price_cents: priceCents, currency }: Priced): Offer {
  return { domain, priceCents, currency }
}
