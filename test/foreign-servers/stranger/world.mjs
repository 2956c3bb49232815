// What the service knows: environments with their inventory, partners and their keys, events and deliveries.
import { broken, clock, encode, hmac, later, micros, random, share, ulid, uuid } from './lib.mjs'

const TOPICS = {
  solar: 'renewable energy sun power panels',
  wind: 'renewable energy turbine power',
  trail: 'hiking outdoors mountains walking',
  camp: 'outdoors tent travel nature',
  bread: 'bakery food baking',
  coffee: 'espresso cafe drink roasting',
  garden: 'plants flowers nature growing',
  yoga: 'wellness fitness health meditation',
  loan: 'finance banking credit money',
  ledger: 'finance accounting bookkeeping',
  pixel: 'design graphics art images',
  robot: 'automation machines artificial intelligence',
  cargo: 'shipping freight logistics transport',
  violin: 'music strings orchestra instrument',
  puppy: 'dogs pets animals',
  clinic: 'medicine health doctor care',
}
const BEFORE = [
  'blue',
  'north',
  'swift',
  'grand',
  'urban',
  'lucky',
  'prime',
  'quiet',
  'royal',
  'sunny',
  'arctic',
  'bold',
  'calm',
  'daily',
  'early',
  'fair',
  'golden',
  'happy',
  'inner',
  'jolly',
  'keen',
  'light',
  'modern',
  'noble',
  'open',
]
const AFTER = ['', 'hub', 'works', 'house', 'point', 'base', 'lane']
const ENDINGS = ['com', 'net', 'io']

/** Of a topic that no other domain has. */
const RARE = ['blueviolin', 'quietviolin', 'royalviolin']

function inventory(seed) {
  const found = new Map()
  let n = seed
  for (const after of AFTER) {
    for (const before of BEFORE) {
      for (const [word, topics] of Object.entries(TOPICS)) {
        n += 1
        const name = `${before}${word}${after}.${ENDINGS[n % 3]}`
        const price = 15_000 + ((n * 7919) % 240_000) + (n % 97)
        found.set(name, {
          name,
          word,
          topics: RARE.includes(before + word + after) ? `${topics} stradivari` : topics,
          price,
          floor: share(price, 80),
          listed: 1_700_000_000_000 + n * 3_600_000,
        })
      }
    }
  }
  return found
}

export const LIVE_SITE = ['inuse-shop.com', 'busy-portal.net']

const environment = (word, seed) => ({
  word,
  listings: inventory(seed),
  orders: [],
  quotes: [],
  sessions: new Map(),
  cases: [],
  links: [],
  clicks: [],
  ledger: [],
  statements: [],
  payouts: [],
  cuts: [],
  refunds: [],
})
export const environments = { sandbox: environment('sandbox', 11), test: environment('test', 5011) }

export const partners = new Map()
export const credentials = new Map()
export const ALL = ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook']

function partner(name, traits) {
  const made = { id: `ptr_${ulid()}`, name, affiliate: true, merchant: true, events: [], hook: null, ...traits }
  partners.set(name, made)
  return made
}
function credential(name, owner, word, scopes) {
  const tail = random(12)
  const made = { name, partner: owner, world: environments[word], scopes, nonces: new Map(), keys: new Map() }
  made.keyId = `pk_${word}_${tail}`
  made.secret = `sk_${word}_${random(24)}`
  credentials.set(made.keyId, made)
}

export function open() {
  const main = partner('main', {})
  credential('main', main, 'sandbox', ALL)
  for (const scope of ALL) credential(`only_${scope}`, main, 'sandbox', [scope])
  credential('no_scope', main, 'sandbox', [])
  credential('other', partner('other', {}), 'sandbox', ALL)
  credential('plain', partner('plain', { affiliate: false, merchant: false }), 'sandbox', ALL)
  credential('elsewhere', partner('elsewhere', {}), 'test', ALL)
}

// --- events: written to the history by the worker, then delivered, with retries after 1, 3, 9, 27, 81 seconds.

export function emit(owner, type, data) {
  const snapshot = structuredClone(data)
  later(() => {
    const event = { id: `evt_${uuid()}`, type, created_at: micros(clock.now()), data: snapshot }
    if (!(broken('undelivered-lost') && !owner.hook)) owner.events.push(event)
    if (owner.hook?.active) void deliver(owner, event, 0)
  })
}

async function deliver(owner, event, attempt) {
  const { url, secret } = owner.hook
  const envelope = {
    id: event.id,
    type: event.type,
    created_at: event.created_at,
    partner_id: owner.id,
    data: event.data,
  }
  if (broken('new-id-on-retry') && attempt > 0) envelope.id = `evt_${uuid()}`
  if (broken('retry-restamped') && attempt > 0) envelope.created_at = micros(clock.now())
  const body = encode(envelope)
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Kontor-Webhooks/2',
    'X-Partner-Signature': hmac(broken('hook-wrong-secret') ? `${secret} ` : secret, body),
    'X-Attempt': String(attempt + 1),
  }
  let ok = false
  try {
    const signal = AbortSignal.timeout(broken('hook-patient') ? 9000 : 5000)
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    ok = answer.status === 200
  } catch {
    ok = false
  }
  if (!ok && attempt < 5) setTimeout(() => void deliver(owner, event, attempt + 1), 1000 * 3 ** attempt).unref()
}

export const orderFacts = (order) => ({
  public_id: order.id,
  domain: order.domain,
  status: order.status,
  sale_price_cents: order.price,
  currency: order.currency,
})

export function move(order, status, type) {
  order.status = status
  order.timeline.push({ status, at: clock.now() })
  order.updated = clock.now()
  if (type) emit(order.partner, type, { order: orderFacts(order) })
}
