import type { AddressInfo } from 'node:net'
import { createPartnerApi } from './partner-api.ts'
import { createPurchaseStore } from './purchases.ts'
import { createShopServer } from './server.ts'
import { createShop } from './shop.ts'

const {
  PARTNER_KEY_ID: keyId,
  PARTNER_SECRET: secret,
  PARTNER_URL: url = 'http://127.0.0.1:4600',
  PORT = '4700',
} = process.env
if (!keyId || !secret) {
  console.error('Set PARTNER_KEY_ID and PARTNER_SECRET to what `partner-sandbox serve` prints.')
  process.exit(4)
}
const webhookSecret = process.env['WEBHOOK_SECRET'] ?? 'a-secret-of-sixteen-or-more'
const call = createPartnerApi({ url, keyId, secret })
const purchases = createPurchaseStore()
const server = createShopServer({
  shop: createShop(call, purchases),
  purchases,
  webhookSecret,
  onProblem: (error) => console.error(`webhook: ${error.message}`),
})
server.listen(Number(PORT), '127.0.0.1', async () => {
  const { port } = server.address() as AddressInfo
  const hooks = `http://127.0.0.1:${port}/hooks`
  await call({ method: 'PUT', path: '/api/partner/webhooks', body: { url: hooks, secret: webhookSecret } })
  console.log(`the shop is open at http://127.0.0.1:${port}, and takes webhooks at ${hooks}`)
})
