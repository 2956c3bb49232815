import { BUYER, openSession, payment, submit } from '../support/checkout.ts'
import type { TestSandbox } from '../support/sandbox.ts'
import { type Visitor, visitor } from '../support/visitor.ts'
import { outcome, type Probe, showDefects } from './probe.ts'

type Look = Probe['look']

// biome-ignore lint/suspicious/noExplicitAny: answers are judged member by member
type Fields = any

const create = async (sandbox: TestSandbox, body: Fields = { kind: 'generic' }, as = 'main'): Promise<Fields> =>
  (await sandbox.call({ as, path: '/links', body })).json

const creating =
  (body: Fields, look: (json: Fields) => unknown = () => '201'): Look =>
  async (sandbox) => {
    const answer = await sandbox.call({ path: '/links', body })
    return answer.status === 201 ? look(answer.json) : outcome(answer)
  }

const listed = async (sandbox: TestSandbox): Promise<Fields[]> => (await sandbox.call({ path: '/links' })).json.links
const clicks = async (sandbox: TestSandbox, query = '') =>
  (await sandbox.call({ path: `/me/clicks${query}` })).json.total

/** Follows a link to its end. */
async function follow(url: string, browser: Visitor = visitor()) {
  const first = await browser.get(url)
  return first.location === null ? first : browser.get(first.location)
}

/** How many links are in the list, of one's own and of another partner. */
const listLength: Look = async (sandbox) => {
  await create(sandbox)
  await create(sandbox, { kind: 'generic' }, 'other-partner')
  return (await listed(sandbox)).length
}

const field =
  (name: string): Look =>
  async (sandbox) => {
    await create(sandbox)
    return typeof (await listed(sandbox))[0][name]
  }

/** The clicks of a link that was followed and of one that was not, and the total. */
const followed: Look = async (sandbox) => {
  const link = await create(sandbox)
  await create(sandbox)
  await follow(link.url)
  return [...(await listed(sandbox)).map((found) => found.clicks).reverse(), await clicks(sandbox)]
}

/** The total of a window when a link has been followed just now. */
const clicksIn =
  (query: string, as = 'main'): Look =>
  async (sandbox) => {
    await follow((await create(sandbox, { kind: 'generic' }, as)).url)
    return clicks(sandbox, query)
  }

const leadsTo: Look = async (sandbox) => (await follow((await create(sandbox)).url)).status

/** A link for a domain is followed and the domain bought; another link for it, made before, is not. */
async function buy(sandbox: TestSandbox) {
  const [{ domain, price_cents: price }] = (await sandbox.forSale(1)) as [Fields]
  await create(sandbox, { kind: 'domain', domain })
  const { url } = await create(sandbox, { kind: 'domain', domain })
  const browser = visitor()
  const shop = (await browser.get(url)).location as string
  const page = (await browser.post(shop, { domain })).location as string
  await browser.post(page, { ...BUYER, price_cents: String(price), action: 'pay' })
}

/** The sales of the link that was followed and of the other. */
const attributed: Look = async (sandbox) => {
  await buy(sandbox)
  return (await listed(sandbox)).map(({ sales }) => sales)
}

/** The sales of a link that nobody followed, after a purchase on the hosted page. */
const unattributed: Look = async (sandbox) => {
  await create(sandbox)
  const session = await openSession(sandbox)
  await submit(session.checkout_url, payment(session))
  return (await listed(sandbox))[0].sales
}

const MALFORMED = '400 validation_error'
const banner = { kind: 'banner' }

const probes: Probe[] = [
  { defect: 'link-of-any-kind', look: creating(banner), sound: MALFORMED, broken: '201' },
  { defect: 'link-of-unknown-kind-is-422', look: creating(banner), sound: MALFORMED, broken: '422 validation_error' },
  { defect: 'link-of-unknown-kind-is-not-found', look: creating(banner), sound: MALFORMED, broken: '404 not_found' },
  {
    defect: 'link-is-always-generic',
    look: creating({ kind: 'product', product: 'mail' }, ({ kind }) => kind),
    sound: 'product',
    broken: 'generic',
  },
  {
    defect: 'link-of-kind-generic-refused',
    look: creating({ kind: 'generic' }),
    sound: '201',
    broken: '403 forbidden',
  },
  {
    defect: 'link-of-kind-domain-refused',
    look: creating({ kind: 'domain', domain: 'stalls-1.test' }),
    sound: '201',
    broken: '403 forbidden',
  },
  {
    defect: 'link-of-kind-product-refused',
    look: creating({ kind: 'product', product: 'mail' }),
    sound: '201',
    broken: '403 forbidden',
  },
  { defect: 'link-list-shows-everyones', look: listLength, sound: 1, broken: 2 },
  { defect: 'link-list-lacks-links-without-clicks', look: listLength, sound: 1, broken: 0 },
  { defect: 'link-list-without-clicks', look: field('clicks'), sound: 'number', broken: 'undefined' },
  { defect: 'link-list-without-sales', look: field('sales'), sound: 'number', broken: 'undefined' },
  { defect: 'link-list-shows-totals-in-each-link', look: followed, sound: [1, 0, 1], broken: [1, 1, 1] },
  { defect: 'link-leads-nowhere', look: leadsTo, sound: 200, broken: 404 },
  { defect: 'clicks-are-not-counted', look: followed, sound: [1, 0, 1], broken: [0, 0, 0] },
  { defect: 'click-counts-twice', look: followed, sound: [1, 0, 1], broken: [2, 0, 2] },
  { defect: 'click-counts-for-every-link', look: followed, sound: [1, 0, 1], broken: [1, 1, 2] },
  { defect: 'click-total-stays-at-zero', look: followed, sound: [1, 0, 1], broken: [1, 0, 0] },
  { defect: 'click-totals-of-everyone', look: clicksIn('', 'other-partner'), sound: 0, broken: 1 },
  { defect: 'click-totals-ignore-dates', look: clicksIn('?from=2100-01-01'), sound: 0, broken: 1 },
  { defect: 'click-totals-ignore-from', look: clicksIn('?from=2100-01-01'), sound: 0, broken: 1 },
  { defect: 'click-totals-ignore-to', look: clicksIn('?to=2000-01-01'), sound: 0, broken: 1 },
  { defect: 'click-totals-of-a-window-are-empty', look: clicksIn('?from=2000-01-01'), sound: 1, broken: 0 },
  { defect: 'purchase-is-not-attributed', look: attributed, sound: [1, 0], broken: [0, 0] },
  { defect: 'purchase-is-attributed-to-the-first-link', look: attributed, sound: [1, 0], broken: [0, 1] },
  { defect: 'purchase-is-missing-from-the-link', look: attributed, sound: [1, 0], broken: [0, 0] },
  { defect: 'purchase-counts-at-every-link', look: attributed, sound: [1, 0], broken: [1, 1] },
  { defect: 'purchase-without-a-visit-is-attributed', look: unattributed, sound: 0, broken: 1 },
]

showDefects(probes)
