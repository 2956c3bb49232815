import { expect, test } from 'vitest'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import type { World } from '../../../src/sandbox/kernel/world.ts'
import {
  ATTRIBUTION_WINDOW_MS,
  attributedLink,
  countClick,
  createLink,
  type LinkInput,
} from '../../../src/sandbox/referral/links.ts'
import { follow, visitCookieName, visitedLink } from '../../../src/sandbox/referral/visits.ts'
import { oneForSale, step } from '../../support/sales.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { visitor } from '../../support/visitor.ts'
import { castMember, TEST_NOW_MS, testWorld } from '../../support/world.ts'

const DOMAIN = 'stalls-1.test'

function start() {
  const world = testWorld()
  return { world, main: castMember(world, 'main') }
}

function link(world: Environment, input: LinkInput, as = 'main') {
  return createLink(world, castMember(world, as), input)
}

function cookieOf(world: Environment, setCookie: string | null): Map<string, string> {
  const name = visitCookieName(world)
  return new Map([[name, (setCookie ?? '').slice(name.length + 1).split(';')[0] as string]])
}

test('a sale that comes by a call is attributed to the domain link for it that was followed last', () => {
  const { world, main } = start()
  const first = link(world, { kind: 'domain', domain: DOMAIN })
  const second = link(world, { kind: 'domain', domain: DOMAIN })
  expect(attributedLink(world, main, DOMAIN)).toBeNull()
  countClick(world, second)
  world.clock.moveTo(TEST_NOW_MS + 1)
  countClick(world, first)
  expect(attributedLink(world, main, DOMAIN)).toBe(first.linkId)
  countClick(world, second)
  expect(attributedLink(world, main, DOMAIN)).toBe(second.linkId)
})

test.for([{ kind: 'generic' }, { kind: 'product', product: 'logo maker' }] as const)(
  'a sale that comes by a call is attributed to a link %j that was followed, where none is about the very domain',
  (input) => {
    const { world, main } = start()
    const [first, second] = [link(world, { kind: 'generic' }), link(world, input)]
    const aboutIt = link(world, { kind: 'domain', domain: DOMAIN })
    expect(attributedLink(world, main, DOMAIN)).toBeNull()
    countClick(world, first)
    countClick(world, second)
    expect(attributedLink(world, main, DOMAIN)).toBe(second.linkId)
    countClick(world, aboutIt)
    world.clock.moveTo(TEST_NOW_MS + 1)
    countClick(world, first)
    expect(attributedLink(world, main, DOMAIN)).toBe(aboutIt.linkId)
    expect(attributedLink(world, main, 'stalls-9.test')).toBe(first.linkId)
    world.clock.moveTo(TEST_NOW_MS + ATTRIBUTION_WINDOW_MS + 1)
    expect(attributedLink(world, main, DOMAIN)).toBe(first.linkId)
    world.clock.moveTo(TEST_NOW_MS + ATTRIBUTION_WINDOW_MS + 2)
    expect(attributedLink(world, main, DOMAIN)).toBeNull()
  },
)

test('links for other domains and another partner’s are not guessed at', () => {
  const world = testWorld()
  for (const [input, as] of [
    [{ kind: 'domain', domain: 'stalls-2.test' }, 'main'],
    [{ kind: 'domain', domain: DOMAIN }, 'other-partner'],
    [{ kind: 'generic' }, 'other-partner'],
    [{ kind: 'product', product: DOMAIN }, 'other-partner'],
  ] as const) {
    countClick(world, link(world, input, as))
  }
  expect(attributedLink(world, castMember(world, 'main'), DOMAIN)).toBeNull()
})

test('a seller that is not linked to an affiliate account is attributed nothing, whatever is known of the visit', () => {
  const world = testWorld()
  const seller = castMember(world, 'no-affiliate')
  const own = link(world, { kind: 'domain', domain: DOMAIN })
  expect(seller.partnerId).toBe(own.partnerId)
  countClick(world, own)
  expect(attributedLink(world, seller, DOMAIN)).toBeNull()
  expect(attributedLink(world, seller, DOMAIN, own.linkId)).toBeNull()
})

/** Notes every statement that is asked of a world from now on. */
function listenTo(world: World) {
  const asked: string[] = []
  const statement = world.db.statement.bind(world.db)
  world.db.statement = (sql) => {
    asked.push(sql)
    return statement(sql)
  }
  return { asked, statement }
}

test('as long as no link was ever followed, one look at the clicks is enough', () => {
  const { world, main } = start()
  const own = link(world, { kind: 'generic' })
  attributedLink(world, main, DOMAIN)
  const { asked } = listenTo(world)
  expect(attributedLink(world, main, DOMAIN)).toBeNull()
  expect(asked).toEqual([expect.stringContaining('max(seq)')])
  countClick(world, own)
  expect(attributedLink(world, main, DOMAIN)).toBe(own.linkId)
})

test('to know the link followed last, no click but the latest of each link is read', () => {
  const { world, main } = start()
  countClick(world, link(world, { kind: 'generic' }))
  const { asked, statement } = listenTo(world)
  attributedLink(world, main, DOMAIN)
  const looks = asked.filter((sql) => sql.includes('clicks'))
  const plans = looks.flatMap((sql) => statement(`EXPLAIN QUERY PLAN ${sql.replaceAll(/@\w+/g, 'NULL')}`).all())
  const steps = plans.map((step) => (step as { detail: string }).detail)
  expect(steps.filter((step) => /^SCAN (clicks|latest)/.test(step))).toEqual([])
  expect(steps).toContainEqual(expect.stringMatching(/^SEARCH latest USING (COVERING )?INDEX clicks_of_link /))
})

test('a click counts for 30 days of world time, to the millisecond', () => {
  const { world, main } = start()
  const own = link(world, { kind: 'domain', domain: DOMAIN })
  const cookies = cookieOf(world, follow(world, own, new Map()))
  world.clock.moveTo(TEST_NOW_MS + ATTRIBUTION_WINDOW_MS)
  expect(attributedLink(world, main, DOMAIN)).toBe(own.linkId)
  expect(visitedLink(world, main.partnerId, cookies)).toBe(own.linkId)
  world.clock.moveTo(TEST_NOW_MS + ATTRIBUTION_WINDOW_MS + 1)
  expect([attributedLink(world, main, DOMAIN), visitedLink(world, main.partnerId, cookies)]).toEqual([null, null])
})

test('a visit that is known decides, and another partner’s link never earns', () => {
  const { world, main } = start()
  const [aboutIt, generic] = [link(world, { kind: 'domain', domain: DOMAIN }), link(world, { kind: 'generic' })]
  const foreign = link(world, { kind: 'generic' }, 'other-partner')
  countClick(world, aboutIt)
  expect(attributedLink(world, main, DOMAIN, generic.linkId)).toBe(generic.linkId)
  expect(attributedLink(world, main, DOMAIN, foreign.linkId)).toBeNull()
  expect(attributedLink(world, main, DOMAIN, 'lnk_unknown')).toBeNull()
  expect(attributedLink(world, main, DOMAIN, null)).toBeNull()
})

test('of several visits in one browser, each partner is credited with its own latest', () => {
  const world = testWorld()
  const [main, other] = [castMember(world, 'main').partnerId, castMember(world, 'other-partner').partnerId]
  const [a, b] = [link(world, { kind: 'generic' }), link(world, { kind: 'generic' })]
  const c = link(world, { kind: 'generic' }, 'other-partner')
  let cookies = new Map<string, string>()
  for (const followed of [a, b, c, a]) {
    const set = follow(world, followed, cookies)
    if (set) cookies = cookieOf(world, set)
  }
  expect([visitedLink(world, main, cookies), visitedLink(world, other, cookies)]).toEqual([a.linkId, c.linkId])
})

test('a browser remembers ten links of a world at most', () => {
  const world = testWorld()
  let cookies = new Map<string, string>()
  const links = Array.from({ length: 12 }, () => link(world, { kind: 'generic' }))
  for (const followed of links) cookies = cookieOf(world, follow(world, followed, cookies))
  const tokens = (cookies.get(visitCookieName(world)) as string).split('~')
  expect(tokens).toHaveLength(10)
  expect(tokens.join('~').length).toBeLessThan(3_000)
  expect(follow(world, links[2]!, cookies)).not.toBeNull()
})

test('a partner-collected sale counts on the link that led to it, once recorded and even if undone', async () => {
  const sandbox = await startSandbox()
  const { domain, price_cents } = await oneForSale(sandbox)
  for (const body of [{ kind: 'domain', domain }, { kind: 'generic' }, { kind: 'product', product: 'logo maker' }]) {
    const { json: made } = await sandbox.call({ path: '/links', body })
    await visitor().get(made.url)
    const { json: order } = await sandbox.sell(body.domain ? { order: { domain, expected_price: price_cents } } : {})
    expect((await sandbox.call({ path: '/me/sales' })).json.sales[0].public_id).toBe(order.public_id)
    const linkNow = async () => (await sandbox.call({ path: '/links' })).json.links[0]
    expect(await linkNow()).toMatchObject({ link_id: made.link_id, clicks: 1, sales: 1 })
    await step(sandbox, order.public_id, 'refund')
    expect(await linkNow()).toMatchObject({ link_id: made.link_id, clicks: 1, sales: 1 })
  }
})

test('a sale through a credential without an affiliate account, or by another partner, is attributed to nobody', async () => {
  const sandbox = await startSandbox()
  for (const as of ['no-affiliate', 'other-partner']) {
    const { domain, price_cents } = await oneForSale(sandbox)
    const { json: made } = await sandbox.call({ path: '/links', body: { kind: 'domain', domain } })
    await visitor().get(made.url)
    expect((await sandbox.sell({ as, order: { domain, expected_price: price_cents } })).status).toBe(201)
    expect((await sandbox.call({ path: '/links' })).json.links[0]).toMatchObject({ clicks: 1, sales: 0 })
  }
})
