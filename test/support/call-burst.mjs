// Calls a sandbox as a partner does, from a process of its own. Says on each line how many calls were answered so far.
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'

const { url, keyId, secret, orders = 0, perSecond = 0, seconds = 0 } = JSON.parse(process.argv[2])
const ROOT = '/api/partner/v1'
const AT_ONCE = 32
const TICK_MS = 100
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
let answered = 0

function call(method, path, body = '') {
  const target = ROOT + path
  const [where, query = ''] = target.split('?')
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = randomUUID()
  const digest = createHash('sha256').update(body).digest('hex')
  const text = [method, where, query, timestamp, nonce, digest].join('\n')
  const headers = {
    'X-Partner-Key-Id': keyId,
    'X-Partner-Timestamp': timestamp,
    'X-Partner-Nonce': nonce,
    'X-Partner-Signature': `v1=${createHmac('sha256', secret).update(text).digest('hex')}`,
    ...(body && { 'Content-Type': 'application/json', 'Idempotency-Key': nonce }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(url + target, { method, headers, agent }, (answer) => {
      let got = ''
      answer.setEncoding('utf8').on('data', (part) => {
        got += part
      })
      answer.on('end', () => {
        answered += 1
        resolve(JSON.parse(got))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function sell(n) {
  const { domain, price_cents, currency } = await call('GET', `/availability?domain=stalls-${n}.test`)
  const buyer = { email: `buyer-${n}@example.test` }
  const order = await call('POST', '/orders', JSON.stringify({ domain, expected_price: price_cents, currency, buyer }))
  if (!order.public_id) throw new Error(JSON.stringify(order))
}

async function sellAll() {
  let next = 0
  const seller = async () => {
    while (next < orders) {
      next += 1
      await sell(next)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, seller))
}

/** So many calls a second, however slow the answers are. */
async function burst() {
  const begun = performance.now()
  const underWay = []
  for (let made = 0; made < perSecond * seconds; ) {
    const due = Math.min(perSecond * seconds, Math.ceil(((performance.now() - begun) / 1000) * perSecond))
    for (; made < due; made += 1) underWay.push(call('GET', '/balance'))
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
    process.stdout.write(`${answered}\n`)
  }
  await Promise.all(underWay)
}

await sellAll()
await burst()
process.stdout.write(`${answered}\n`)
agent.destroy()
