// The least that a server can be: one route that answers a constant object. The headers of a signed call are ignored.
import Fastify from 'fastify'

const ANSWER = { domain: 'bench.test', available: true, price_cents: 129_900, currency: 'USD' }

const app = Fastify()
app.get('/api/partner/v1/availability', () => ANSWER)
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address()
console.log(
  JSON.stringify({ url: `http://127.0.0.1:${port}`, credentials: [{ key_id: 'pk_bench', secret: 'sk_bench' }] }),
)
