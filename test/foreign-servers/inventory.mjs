// Listed domains with synthetic prices, and a search by words of the name and by topic.
import { createHash } from 'node:crypto'

const TOPICS = {
  harbor: ['boats', 'sailing'],
  orchard: ['fruit', 'farming'],
  lantern: ['lighting', 'camping'],
  bakery: ['bread', 'food'],
  saddle: ['horses', 'riding'],
  canvas: ['painting', 'art'],
  violin: ['music', 'concerts'],
  summit: ['mountains', 'hiking'],
  ledger: ['accounting', 'finance'],
  clinic: ['medicine', 'health'],
  timber: ['wood', 'building'],
  rocket: ['space', 'launch'],
  puzzle: ['games', 'toys'],
  garden: ['plants', 'flowers'],
  anchor: ['ships', 'marine'],
  barrel: ['wine', 'brewing'],
  parcel: ['shipping', 'delivery'],
  mirror: ['beauty', 'cosmetics'],
  pillow: ['sleep', 'bedding'],
  falcon: ['birds', 'wildlife'],
}
const FIRST =
  'amber brisk cedar dapper ember fable gentle humble ivory jolly keen lively mellow noble opal plucky quiet rustic silver tidy urban velvet witty zesty bright calm daring eager fancy golden'
const ENDINGS = { sandbox: ['com', 'net', 'org', 'io'], test: ['dev', 'app', 'biz', 'info'] }

export function makeInventory(seed, environment, count, oddCents = false) {
  const listings = new Map()
  const firsts = FIRST.split(' ')
  const nouns = Object.keys(TOPICS)
  for (let n = 0; n < count; n++) {
    const noun = nouns[n % nouns.length]
    const first = firsts[Math.floor(n / nouns.length) % firsts.length]
    const ending = ENDINGS[environment][Math.floor(n / (nouns.length * firsts.length)) % 4]
    const chance = createHash('sha256').update(`${seed} ${environment} ${n}`).digest().readUInt32BE(0)
    const price = (199 + (chance % 9000)) * 100 + (oddCents ? 1 + (chance % 98) : 0)
    const name = `${first}${noun}.${ending}`
    // One name in 25 carries an active site, which matters to brokerage alone.
    const site = n % 25 === 24
    listings.set(name, {
      name,
      words: [first, noun],
      topics: TOPICS[noun],
      price,
      floor: Math.round(price / 500) * 400,
      site,
      sold: false,
    })
  }
  return listings
}

const tokens = (text) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

function score(service, listing, query) {
  const [label, ending] = listing.name.split(/\.(?=[^.]+$)/u)
  if (query.includes('.') && service.broken('whole_names_not_found')) return 0
  if (query.trim().toLowerCase() === listing.name) return 100
  let points = 0
  for (const word of tokens(query)) {
    if (word === label) points += 40
    else if (listing.words.includes(word)) points += 12
    else if (word.length > 3 && label.includes(word)) points += 6
    else if (!service.broken('search_without_topics') && listing.topics.some((topic) => topic === word)) points += 4
    else if (word === ending && points > 0) points += 1
  }
  return points
}

/** The listings as the index of the search has them, which may be behind. */
function indexed(service, env) {
  const lag = service.choices.searchLagMs
  if (lag === undefined) return [...env.listings.values()]
  const now = service.clock.wall()
  if (env.index === undefined || now - env.index.at >= lag)
    env.index = { at: now, rows: [...env.listings.values()].map((listing) => ({ ...listing })) }
  return env.index.rows
}

/** A listing that the index may still offer after it was sold. */
export function asIndexed(service, env, listing) {
  const row = indexed(service, env).find(({ name }) => name === listing.name)
  return { ...listing, sold: row?.sold ?? listing.sold }
}

export function search(service, env, query) {
  const found = indexed(service, env)
    .filter((listing) => !listing.sold || service.choices.searchShowsSold)
    .map((listing) => ({ listing, points: score(service, listing, query) }))
    .filter((row) => row.points > 0)
    .sort((a, b) => b.points - a.points || (a.listing.name < b.listing.name ? -1 : 1))
    .map((row) => row.listing)
  const best = found.slice(0, service.broken('search_gives_eight') ? 8 : (service.choices.searchGives ?? 5))
  if (service.broken('search_repeats_a_domain') && best.length > 1) return [best[0], ...best].slice(0, 5)
  return service.broken('search_worst_first') ? found.slice(-5).reverse() : best
}
