import type { AddressInfo } from 'node:net'
import { test as sandboxTest } from 'partner-sandbox/vitest'
import { createPartnerApi } from '../src/partner-api.ts'
import { createPurchaseStore, type Purchase, type PurchaseStore } from '../src/purchases.ts'
import { createShopServer } from '../src/server.ts'
import { createShop, type Shop, type Wish } from '../src/shop.ts'

/** The shop as its customers meet it, in a world of its own. */
export interface OpenShop {
  shop: Shop
  purchases: PurchaseStore
  /** How long the client would have waited between attempts, in milliseconds. */
  pauses: number[]
  url: string
  get(path: string): Promise<Response>
  post<Json = Purchase>(path: string, body?: unknown): Promise<Json>
  /** Buys at the price that the service tells. */
  buy(domain: string, wish?: Partial<Wish>): Promise<Purchase>
}

const WEBHOOK_SECRET = 'a-secret-of-sixteen-or-more'

/** A frozen clock: nothing happens by itself, and each jump is the test's. */
const frozenTest = sandboxTest.extend({ worldOptions: { frozen: true, inventory: 50 } })

export const test = frozenTest.extend<{ shop: OpenShop }>({
  shop: async ({ world }, use) => {
    const pauses: number[] = []
    const call = createPartnerApi({ url: world.url, ...world.credentials.main }, async (ms) => void pauses.push(ms))
    const purchases = createPurchaseStore()
    const shop = createShop(call, purchases)
    const server = createShopServer({ shop, purchases, webhookSecret: WEBHOOK_SECRET })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await call({ method: 'PUT', path: '/api/partner/webhooks', body: { url: `${url}/hooks`, secret: WEBHOOK_SECRET } })

    const get = (path: string) => fetch(url + path)
    const post = async <Json>(path: string, body: unknown = {}) =>
      (await (await fetch(url + path, { method: 'POST', body: JSON.stringify(body) })).json()) as Json
    await use({
      ...{ shop, purchases, pauses, url, get, post },
      async buy(domain, wish = {}) {
        const { price_cents } = await world.domains.show(domain)
        return post<Purchase>('/purchases', { domain, email: 'ada@example.test', priceCents: price_cents, ...wish })
      },
    })
    await new Promise((resolve) => server.close(resolve))
  },
})
