import { describe, expect, it, onTestFinished } from 'vitest'
import { wallClock } from '../../../../src/clock/wall-clock.ts'
import { paramName } from '../../../../src/conformance/context/params.ts'
import { discover } from '../../../../src/conformance/discover/discover.ts'
import type { Discovery, Finding } from '../../../../src/conformance/discover/discovery.ts'
import { readPins } from '../../../../src/conformance/discover/read-pins.ts'
import { closeRun, openRun } from '../../../../src/conformance/engine/open-run.ts'
import { TargetError } from '../../../../src/conformance/engine/run-options.ts'
import type { Exchange } from '../../../../src/conformance/http/exchange.ts'
import { parseTarget } from '../../../../src/conformance/target/load-target.ts'
import type { Target } from '../../../../src/conformance/target/target.ts'
import { startSandbox } from '../../../../src/library/start-sandbox.ts'
import { type ForeignService, startForeign } from '../../../support/foreign-service.ts'
import { registry, scenario } from '../../../support/referee.ts'
import { scenarios as suite } from '../../../support/suite.ts'

const below = (...folders: string[]) => suite.filter(({ id }) => folders.includes(id.split('/', 1)[0] ?? ''))
const ORDERS = below('orders')
const OBSERVING = below('auth', 'events')

function targetOf(service: Pick<ForeignService, 'url' | 'keyId' | 'secret'>, more: object = {}): Target {
  const main = { name: 'main', key_id: service.keyId, secret: service.secret }
  const { target, problems } = parseTarget(JSON.stringify({ url: service.url, credentials: [main], ...more }), 't', {})
  if (!target) throw new Error(JSON.stringify(problems))
  return target
}

function probe(target: Target, scenarios = OBSERVING): Promise<Discovery> {
  return discover({ target, scenarios, registry, wall: wallClock, toolVersion: '0' })
}

const probeForeign = async (choices: Parameters<typeof startForeign>[0], scenarios?: typeof suite) =>
  probe(targetOf(await startForeign(choices)), scenarios)

/** What is found at a service that is as it usually is. */
let usual: Promise<Discovery> | undefined
const probeUsual = () => (usual ??= probeForeign({}))

function at({ findings }: Discovery, ...path: string[]): Finding | undefined {
  return findings.find((finding) => finding.path.slice(1).join(' ') === path.join(' '))
}

describe('a probe', () => {
  it('makes nothing but reads, whatever the target file allows, and with live keys too', async () => {
    const service = await startForeign()
    for (const keyId of [service.keyId, 'pk_live_foreign1']) {
      const target = targetOf({ ...service, keyId }, { mode: 'operator' })
      await probe(target)
      await readPins({ target, scenarios: OBSERVING, registry, wall: wallClock, toolVersion: '0' })
    }
    expect(service.asked.length).toBeGreaterThan(100)
    expect(service.asked.filter((line) => !line.startsWith('GET '))).toEqual([])
  })

  it('tells what HTTP and credentials are like', async () => {
    const found = await probeForeign({ scopes: [] })
    expect(found.http).toMatchObject({ date: true, rateLimitHeaders: ['x-ratelimit-limit'] })
    expect(Math.abs(found.http.clockOffsetSeconds ?? 99)).toBeLessThanOrEqual(1)
    expect(found.credentials).toMatchObject([
      { name: 'main', environment: 'test', taken: true, lacks: ['buy'], untold: ['embed'] },
    ])
    expect(found.refused).toContainEqual(expect.objectContaining({ op: 'settlements.list', answer: '403 forbidden' }))
  })

  it('ends where the key is not taken', async () => {
    await using sandbox = await startSandbox({ inventory: 5 })
    const target = targetOf({ url: sandbox.url, keyId: 'pk_test_nobody', secret: 'sk_test_nothing-at-all' })
    await expect(probe(target)).rejects.toThrow(TargetError)
  })
})

describe('a role', () => {
  it('is not confirmed by empty lists, however many', async () => {
    const empty = await probeForeign({ history: [] })
    const timeline = (found: Discovery) => at(found, 'roles', 'orders.detail:order.timeline')
    expect(timeline(await probeUsual())).toMatchObject({ value: '/data/history', confidence: 'confirmed' })
    expect(timeline(empty)).toMatchObject({ value: '/data/history', confidence: 'guess' })
  })

  it('is confirmed by a second answer about something else, and says which answer shows it', async () => {
    const found = await probeUsual()
    const price = at(found, 'roles', 'pricing:listing.price')
    expect(price).toMatchObject({
      state: 'found',
      confidence: 'confirmed',
      value: { at: '/data/buyNow', unit: 'units' },
    })
    expect(price?.evidence[0]?.request).toMatch(/^GET \/api\/partner\/v1\/pricing\?domain=/)
    expect(price?.evidence[0]?.shows).toMatch(/^\/data\/buyNow = \d+$/)
    expect(at(found, 'roles', 'error.code')).toMatchObject({ state: 'found', value: '/errors/0/code' })
    expect(at(found, 'roles', 'orders.next')).toMatchObject({
      state: 'found',
      value: '/paging/next',
      confidence: 'confirmed',
    })
  })

  it('of an amount has the unit that its own operation shows, where others have another one', async () => {
    const sale = (n: number) => ({ order_id: `ord_${n}`, amount: { value: 6500 }, commission: { value: 650 } })
    const roles = await probeForeign({ sales: [sale(1), sale(2)] })
    expect(at(roles, 'roles', 'pricing:listing.price')?.value).toMatchObject({ unit: 'units' })
    expect(at(roles, 'roles', 'transaction.amount')?.value).toMatchObject({ unit: 'cents' })
    expect(at(roles, 'roles', 'transaction.commission')?.value).toMatchObject({ unit: 'cents' })
  })

  it('is shown as it stands in the answer', async () => {
    const found = await probeUsual()
    const shown = (name: string) => at(found, 'roles', name)?.evidence[0]?.shows
    expect(shown('domains.detail:listing.price')).toMatch(/^\/data\/price = "\d+\.00"$/)
    expect(shown('orders.detail:timeline.at')).toBe('/data/history/0/at = 1700000000')
  })

  it('with several candidates is none of them, and names all', async () => {
    const found = await probeForeign({ pricing: (units) => ({ price: units + 2, listPrice: units + 5 }) })
    const price = at(found, 'roles', 'pricing:listing.price')
    expect(price).toMatchObject({ state: 'needs-dialect', value: null })
    expect(price?.candidates.sort()).toEqual(['/data/listPrice', '/data/price'])
  })

  it.each([
    [
      'a list',
      [
        { gmv_cents: 1000, currency: 'EUR' },
        { gmv_cents: 500, currency: 'USD' },
      ],
    ],
    ['an object', { EUR: { gmv_cents: 1000 }, USD: { gmv_cents: 500 } }],
  ])('that %s has for each currency has no right place', async (_, totals) => {
    const gmv = at(await probeForeign({ totals }), 'roles', 'transactions.gmv')
    expect(gmv).toMatchObject({ state: 'needs-dialect', value: null })
    expect(gmv?.note).toContain('none is right for all')
  })

  it('that a person has told is told, and differs where the target shows it elsewhere', async () => {
    const service = await startForeign()
    const roles = { 'listing.floor': '/data/floorPrice', 'pricing:listing.price': '/data/elsewhere' }
    const found = await probe(targetOf(service, { dialect: { roles } }))
    expect(at(found, 'roles', 'listing.floor')).toMatchObject({ state: 'told', value: '/data/floorPrice' })
    expect(at(found, 'roles', 'pricing:listing.price')).toMatchObject({
      state: 'differs',
      value: { at: '/data/buyNow' },
    })
  })

  it('follows a cursor in an unusual place beside the flag that a list goes on, and names its parameter', async () => {
    const found = await probeForeign({ nextPageKey: 'continueAfter' })
    expect(at(found, 'roles', 'orders.next')).toMatchObject({ state: 'found', value: '/paging/continueAfter' })
    expect(at(found, 'params', 'orders.cursor')).toMatchObject({ state: 'found', value: 'pageToken' })
    expect(found.findings.filter(({ path }) => path[2] === 'orders.next')).toHaveLength(1)
  })

  it('does not follow a cursor that leads into its own page', async () => {
    const found = await probeForeign({
      paging: ({ start, next }) => ({
        paging: { more: next !== null, cursorHere: `p${start + 1}`, continueAfter: next },
      }),
    })
    expect(at(found, 'roles', 'orders.next')).toMatchObject({ state: 'found', value: '/paging/continueAfter' })
  })

  it('is not needed where the pages of a list have numbers', async () => {
    const found = await probeForeign({ paging: ({ start, total }) => ({ page: start / 10 + 1, per_page: 10, total }) })
    expect(at(found, 'params', 'orders.cursor')).toMatchObject({
      state: 'not-seen',
      note: 'the pages of these lists have numbers, which a run follows by itself',
    })
  })

  it('is lacking where a list has more rows than its page', async () => {
    const found = await probeForeign({ paging: ({ start, total }) => ({ offset: start, limit: 10, total }) }, ORDERS)
    const note =
      '/total counts more rows than are shown, and the answer has no cursor: a run does not judge such a list as a whole'
    expect(at(found, 'roles', 'orders.next')).toMatchObject({ state: 'needs-dialect', note })
    expect(at(found, 'params', 'orders.cursor')).toMatchObject({ state: 'needs-dialect', note })
  })

  it('takes the id of the last entry for a cursor where a list goes on after it', async () => {
    const found = await probeForeign({ pagesById: true, params: { cursor: 'starting_after' } })
    expect(at(found, 'roles', 'orders.next')).toMatchObject({ state: 'found', value: '/data/-1/public_id' })
    expect(at(found, 'params', 'orders.cursor')).toMatchObject({ state: 'found', value: 'starting_after' })
    const unheard = await probeForeign({ pagesById: true, params: { cursor: 'unheard-of' } }, ORDERS)
    expect(at(unheard, 'roles', 'orders.next')).toMatchObject({ state: 'needs-dialect', value: null, candidates: [] })
  })

  it('proposes one that it was not seen to lead on', async () => {
    const found = await probeForeign({ nextPageKey: 'continueAfter', params: { cursor: 'unheard-of' } })
    expect(at(found, 'roles', 'orders.next')).toMatchObject({
      state: 'needs-dialect',
      candidates: ['/paging/continueAfter'],
    })
  })

  it('that leads to the next page has to be named where a list says that it goes on', async () => {
    expect(at(await probeForeign({ hidesNextPage: true }, ORDERS), 'roles', 'orders.next')).toMatchObject({
      state: 'needs-dialect',
      note: '/paging/hasMore says that a list goes on: name what leads to its next page under dialect.roles',
    })
  })

  it('that no list shows is not seen, with the requirements that need it', async () => {
    const found = await probeForeign({}, below('settlement'))
    expect(at(found, 'roles', 'statement.gross')).toMatchObject({
      state: 'not-seen',
      note: 'the lists that would show it are empty',
    })
    expect(at(found, 'roles', 'statement.gross')?.requirements).toContain('SET-02')
    expect(at(found, 'price_unit')).toMatchObject({ state: 'needs-write' })
  })
})

describe('a payout', () => {
  it('shows its roles, the day of its arrival for its date', async () => {
    const payouts = [1, 2].map((day) => ({ id: `po_${day}`, amount: day, arrival_date: 1_700_000_000 + day }))
    expect(at(await probeForeign({ payouts }), 'roles', 'payouts.list:payout.date')).toMatchObject({
      value: '/arrival_date',
    })
  })
})

describe('a parameter', () => {
  it('is looked for in exchanges that each have an id of their own', async () => {
    const exchanges = new Map<string, Exchange>()
    const target = targetOf(await startForeign())
    const run = openRun({ target, scenarios: [], registry, wall: wallClock, toolVersion: '0' }, exchanges)
    onTestFinished(() => closeRun(run))
    for (const op of ['me.sales', 'me.clicks'] as const) await paramName(run, op, 'from').catch(() => undefined)
    expect(run.budget.requests).toBeGreaterThan(1)
    expect(exchanges.size).toBe(run.budget.requests)
  })

  it('is found by its effect, and confirmed by another one', async () => {
    const found = await probeUsual()
    const names = ['domain', 'from', 'to', 'cursor', 'limit'].map(
      (name) => at(found, 'params', `orders.${name}`)?.value,
    )
    expect(names).toEqual(['domainName', 'createdAfter', 'createdBefore', 'pageToken', 'pageSize'])
    expect(at(found, 'params', 'orders.domain')).toMatchObject({ confidence: 'confirmed' })
    expect(at(found, 'params', 'orders.domain')?.evidence[0]?.request).toContain('domainName=sold-0.example')
  })

  it('without a plausible name needs a person', async () => {
    const found = await probeForeign({ params: { domain: 'zzz' } }, ORDERS)
    expect(at(found, 'params', 'orders.domain')).toMatchObject({ state: 'needs-dialect', value: null, candidates: [] })
  })

  it('that the document names for one list is not needed for that list', async () => {
    const found = await probeForeign({}, below('reports'))
    const { requirements } = at(found, 'params', 'reports.from') as Finding
    expect(requirements).toContain('RPT-02')
    expect(requirements).not.toContain('TXN-02')
  })

  it('of a list that is too short is not seen', async () => {
    const found = await probeForeign({ orders: 0 })
    expect(at(found, 'params', 'orders.domain')).toMatchObject({ state: 'not-seen' })
  })
})

describe('a word for a state', () => {
  it('is found on any page where only one fits', async () => {
    const found = await probeForeign({ heldStatuses: ['PARKED_FOR_REVIEW', 'SETTLED', 'VOIDED'] })
    expect(at(found, 'statuses', 'held')).toMatchObject({
      state: 'found',
      value: 'PARKED_FOR_REVIEW',
      confidence: 'confirmed',
    })
    expect(at(found, 'statuses', 'cancelled')).toMatchObject({ state: 'found', value: 'VOIDED' })
    expect(at(found, 'statuses', 'refunded')).toMatchObject({ state: 'not-seen' })
  })

  it('is found in the refusal of an unknown one, and then no other word is meant', async () => {
    const listedStatuses = ['SETTLED', 'IN_REVIEW', 'REIMBURSED', 'PAID']
    const found = await probeForeign({ heldStatuses: ['PAID'], listedStatuses })
    expect(at(found, 'statuses', 'held')).toMatchObject({
      state: 'found',
      value: 'IN_REVIEW',
      confidence: 'one answer',
    })
    expect(at(found, 'statuses', 'refunded')).toMatchObject({ state: 'found', value: 'REIMBURSED' })
    expect(at(found, 'statuses', 'cancelled')).toMatchObject({ state: 'not-seen' })
  })

  it('is not one for what is only on its way to it', async () => {
    const found = await probeForeign({ heldStatuses: ['REFUND_PENDING', 'CANCELLATION_REQUESTED'] })
    expect(at(found, 'statuses', 'refunded')).toMatchObject({ state: 'not-seen', value: null })
    expect(at(found, 'statuses', 'cancelled')).toMatchObject({ state: 'not-seen', value: null })
  })

  it('that a person has told stands where the target shows several', async () => {
    const service = await startForeign({ heldStatuses: ['ON_HOLD', 'IN_REVIEW'] })
    const found = await probe(targetOf(service, { dialect: { statuses: { held: 'FROZEN' } } }))
    expect(at(found, 'statuses', 'held')).toMatchObject({ state: 'told', value: 'FROZEN' })
  })

  it('is no guess between two', async () => {
    const found = await probeForeign({ heldStatuses: ['ON_HOLD', 'IN_REVIEW', 'GONE'] })
    expect(at(found, 'statuses', 'held')).toMatchObject({
      state: 'needs-dialect',
      candidates: ['ON_HOLD', 'IN_REVIEW'],
    })
    expect(at(found, 'statuses', 'refunded')).toMatchObject({ state: 'needs-dialect', candidates: ['GONE'] })
  })
})

describe('pins', () => {
  const status = scenario({
    steps: [
      { id: 'first', call: { op: 'availability', query: { domain: 'a.example' } } },
      { id: 'again', call: { again: 'first' }, observe: { gap: 'AUTH-17', take: 'status', as: 'replay_detected' } },
    ],
  } as never)
  const read = (target: Target, scenarios = [status]) =>
    readPins({ target, scenarios, registry, wall: wallClock, toolVersion: '0' })

  it('are what was observed, and drift is where it was otherwise', async () => {
    const service = await startForeign({ replayStatus: 409 })
    expect(await read(targetOf(service))).toEqual({
      observed: { 'AUTH-17/replay_detected': 409 },
      unsteady: [],
      drift: [],
    })
    const pinned = targetOf(service, { pins: { 'AUTH-17/replay_detected': 401, 'AUTH-18': 'x' } })
    expect((await read(pinned)).drift).toEqual([{ gap: 'AUTH-17/replay_detected', pinned: 401, observed: 409 }])
  })

  it('are not made of what differs from one reading to the next', async () => {
    const service = await startForeign()
    let asked = 0
    Object.defineProperty(service.choices, 'replayStatus', { get: () => [401, 409][asked++ % 2] })
    expect(await read(targetOf(service))).toEqual({ observed: {}, unsteady: ['AUTH-17/replay_detected'], drift: [] })
  })

  it('are never read by a scenario that writes', async () => {
    const service = await startForeign()
    const writes = scenario({ steps: [{ id: 'w', call: { op: 'quotes.create' }, observe: 'IDEM-08' }] } as never)
    expect(await read(targetOf(service, { mode: 'write' }), [writes])).toMatchObject({ observed: {} })
    expect(service.asked).toEqual([])
  })
})
