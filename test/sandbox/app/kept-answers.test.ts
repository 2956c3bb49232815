import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EndpointId } from '../../../src/contract/endpoints.ts'
import { ROUTES } from '../../../src/sandbox/all-routes.ts'
import { handle } from '../../../src/sandbox/app/call-handler.ts'
import { setListing } from '../../../src/sandbox/inventory/listings.ts'
import type { AuthenticatedCall } from '../../../src/sandbox/wire/call.ts'
import { advance } from '../../../src/sandbox/worlds/advance.ts'
import type { Environment } from '../../../src/sandbox/worlds/environment.ts'
import { setSettings } from '../../../src/sandbox/worlds/settings.ts'
import { anyDeeds, doOne } from '../../support/lived-history.ts'
import { size } from '../../support/size.ts'
import { castMember, resetNow, testWorld } from '../../support/world.ts'

const KEPT = Object.entries(ROUTES).filter(([, { isKept }]) => isKept)
const QUERIES: Record<string, readonly [string, string][][]> = {
  'domains.search': [[['q', 'solar energy']], [['q', 'stalls']]],
  'orders.list': [[], [['limit', '2']], [['status', 'REFUNDED']]],
  'transactions.list': [[], [['limit', '1']], [['payment_model', 'brokerage']]],
}

function callOf(world: Environment, as: string, query: [string, string][]): AuthenticatedCall {
  const known = { world, credential: castMember(world, as), params: {}, rawHeaders: [], body: new Uint8Array(0) }
  return {
    ...known,
    query,
    target: `?${query.map((pair) => pair.join('=')).join('&')}`,
  } as unknown as AuthenticatedCall
}

/** Every answer that may be kept, as it is given and as it would be given anew. */
function answers(world: Environment): { given: string[]; anew: string[] } {
  const calls = KEPT.flatMap(([name, route]) =>
    (QUERIES[name] ?? [[]]).flatMap((query) =>
      ['main', 'other-partner'].map((as) => {
        const call = callOf(world, as, query)
        const target = `${name}${call.target}`
        return { call: { ...call, target }, endpoint: name as EndpointId, route }
      }),
    ),
  )
  return {
    given: calls.map(({ call, endpoint, route }) => handle(call, endpoint, route).body),
    anew: calls.map(({ call, endpoint, route }) => handle(call, endpoint, { ...route, isKept: false }).body),
  }
}

test('whatever happens, an answer that is given again is the one that would be given anew', async () => {
  expect(KEPT.length).toBeGreaterThan(4)
  await fc.assert(
    fc.asyncProperty(anyDeeds({ settles: true }), async (deeds) => {
      const world = testWorld({ inventory: 60 })
      for (const { afterMs, doing } of deeds) {
        await advance(world, { byMs: afterMs })
        doOne(world, doing)
        const { given, anew } = answers(world)
        expect(given).toEqual(anew)
      }
      world.db.close()
    }),
    { numRuns: size(15, 150) },
  )
})

test('it is kept: the very text is given twice, and another one after a write', () => {
  const world = testWorld()
  const text = () => handle(callOf(world, 'main', []), 'orders.list', ROUTES['orders.list'])
  const first = text()
  expect(text()).toBe(first)
  doOne(world, { what: 'order', domain: 'stalls-1.test', partner: 'other-partner' })
  expect(text()).not.toBe(first)
  expect(text().body).toBe(first.body)
  doOne(world, { what: 'order', domain: 'stalls-2.test', partner: 'main' })
  expect(text().body).toContain('stalls-2.test')
})

test('of many different calls the latest are kept, each with its own answer', () => {
  const world = testWorld()
  for (let n = 1; n <= 3; n++) doOne(world, { what: 'order', domain: `stalls-${n}.test`, partner: 'main' })
  const page = (limit: number) =>
    handle(callOf(world, 'main', [['limit', String(limit)]]), 'orders.list', ROUTES['orders.list'])
  const ordersOn = (limit: number) => JSON.parse(page(limit).body).orders.length
  const limits = Array.from({ length: 12 }, (_, i) => i + 1)
  const first = page(1)
  for (const _ of 'again') expect(limits.map(ordersOn)).toEqual(limits.map((limit) => Math.min(limit, 3)))
  expect(page(1)).not.toBe(first)
  const last = page(12)
  expect([1, 2, 3].map(ordersOn)).toEqual([1, 2, 3])
  expect(page(12)).toBe(last)
})

test('settings, choices and another past count as changes', () => {
  const world = testWorld({ gaps: { 'sold-in-search': 'shown as not available' } })
  const found = () => handle(callOf(world, 'main', [['q', domain]]), 'domains.search', ROUTES['domains.search'])
  const domain = world.db.prepare('SELECT domain FROM listings LIMIT 1').pluck().get() as string
  const first = found()
  expect(first.body).toContain(domain)
  setSettings(world, { authSkewSeconds: 1 })
  expect(found()).not.toBe(first)
  world.commits.commitNow(() => setListing(world, domain, { listed: false }))
  expect(found().body).not.toContain(`"domain":"${domain}"`)
  resetNow(world)
  expect(found().body).toBe(first.body)
})
