import type { TestSandbox } from '../support/sandbox.ts'
import { outcome, type Probe, showDefects } from './probe.ts'

const seen =
  (path: string, part: (json: Fields) => unknown = () => 'seen') =>
  async (sandbox: TestSandbox) => {
    const answer = await sandbox.call({ path })
    return answer.status < 400 ? part(answer.json) : outcome(answer)
  }
// biome-ignore lint/suspicious/noExplicitAny: answers are judged member by member
type Fields = any

const count = (json: Fields) => json.domains.length
const names = (json: Fields): string[] => json.domains.map((found: Fields) => found.domain)
const has = (field: string) => (json: Fields) => json[field] !== undefined

const probes: Probe[] = [
  { defect: 'search-finds-nothing', look: seen('/domains/search?q=home', count), sound: 5, broken: 0 },
  {
    defect: 'search-of-one-letter-lists',
    look: seen('/domains/search?q=a', (json) => count(json) > 5),
    sound: false,
    broken: true,
  },
  {
    defect: 'pricing-without-price',
    look: seen('/pricing?domain=stalls-1.test', has('buy_now_price_cents')),
    sound: true,
    broken: false,
  },
  { defect: 'search-gives-six', look: seen('/domains/search?q=home', count), sound: 5, broken: 6 },
  { defect: 'search-obeys-limit', look: seen('/domains/search?q=home&limit=9', count), sound: 5, broken: 9 },
  { defect: 'search-without-q-lists', look: seen('/domains/search', count), sound: '400 validation_error', broken: 5 },
  {
    defect: 'search-with-blank-q-finds-nothing',
    look: seen('/domains/search?q=%20', count),
    sound: '400 validation_error',
    broken: 0,
  },
  {
    defect: 'search-knows-no-words',
    look: seen('/domains/search?q=fusion', (json) => names(json).includes('dawnfusion.test')),
    sound: true,
    broken: false,
  },
  {
    defect: 'search-worst-first',
    look: seen('/domains/search?q=sunwatt', (json) => names(json)[0] === 'sunwatt.test'),
    sound: true,
    broken: false,
  },
  {
    defect: 'search-knows-no-topics',
    look: seen('/domains/search?q=solar', (json) => names(json).some((name) => !name.includes('solar'))),
    sound: true,
    broken: false,
  },
  {
    defect: 'search-without-match-is-not-found',
    look: seen('/domains/search?q=qqxxzzkkwwjj', count),
    sound: 0,
    broken: '404 not_found',
  },
  {
    defect: 'search-fills-up-with-strangers',
    look: seen('/domains/search?q=qqxxzzkkwwjj', count),
    sound: 0,
    broken: 5,
  },
  {
    defect: 'detail-without-metadata',
    look: seen('/domains/stalls-1.test', has('metadata')),
    sound: true,
    broken: false,
  },
  {
    defect: 'detail-without-price',
    look: seen('/domains/stalls-1.test', has('price_cents')),
    sound: true,
    broken: false,
  },
  {
    defect: 'detail-of-unlisted-is-empty',
    look: seen('/domains/nowhere.example'),
    sound: '404 not_found',
    broken: 'seen',
  },
  {
    defect: 'availability-of-unlisted-is-not-found',
    look: seen('/availability?domain=nowhere.example'),
    sound: 'seen',
    broken: '404 not_found',
  },
  {
    defect: 'availability-of-unlisted-is-yes',
    look: seen('/availability?domain=nowhere.example', (json) => json.available),
    sound: false,
    broken: true,
  },
  {
    defect: 'availability-without-price',
    look: seen('/availability?domain=stalls-1.test', has('price_cents')),
    sound: true,
    broken: false,
  },
  {
    defect: 'availability-always-no',
    look: seen('/availability?domain=stalls-1.test', (json) => json.available),
    sound: true,
    broken: false,
  },
  {
    defect: 'pricing-of-unlisted-is-zero',
    look: seen('/pricing?domain=nowhere.example', (json) => json.buy_now_price_cents),
    sound: '404 not_found',
    broken: 0,
  },
  {
    defect: 'pricing-without-floor',
    look: seen('/pricing?domain=stalls-1.test', has('floor_price_cents')),
    sound: true,
    broken: false,
  },
  {
    defect: 'pricing-off-by-one-cent',
    look: differs('pricing?domain=stalls-1.test', 'buy_now_price_cents', 'domains/stalls-1.test'),
    sound: 0,
    broken: -1,
  },
  {
    defect: 'availability-price-differs',
    look: differs('availability?domain=stalls-1.test', 'price_cents', 'domains/stalls-1.test'),
    sound: 0,
    broken: -1,
  },
  {
    defect: 'detail-price-differs',
    look: differs('domains/stalls-1.test', 'price_cents', 'availability?domain=stalls-1.test'),
    sound: 0,
    broken: -1,
  },
  { defect: 'search-price-differs', look: searchDiffers, sound: 0, broken: -1 },
  {
    defect: 'availability-without-domain-is-no',
    look: seen('/availability', (json) => json.available),
    sound: '400 validation_error',
    broken: false,
  },
  {
    defect: 'pricing-without-domain-is-not-found',
    look: seen('/pricing'),
    sound: '400 validation_error',
    broken: '404 not_found',
  },
  {
    defect: 'validation-error-is-422',
    look: seen('/pricing'),
    sound: '400 validation_error',
    broken: '422 validation_error',
  },
  {
    defect: 'not-found-is-400',
    look: seen('/domains/nowhere.example'),
    sound: '404 not_found',
    broken: '400 not_found',
  },
]

showDefects(probes, { inventory: 500 })

/** By how many cents one read differs from another. */
function differs(path: string, field: string, other: string) {
  return async (sandbox: TestSandbox) => {
    const { json: first } = await sandbox.call({ path: `/${path}` })
    const { json: second } = await sandbox.call({ path: `/${other}` })
    return first[field] - second.price_cents
  }
}

async function searchDiffers(sandbox: TestSandbox) {
  const { json: found } = await sandbox.call({ path: '/domains/search?q=sunwatt' })
  const { json } = await sandbox.call({ path: '/availability?domain=sunwatt.test' })
  return found.domains[0].price_cents - json.price_cents
}
