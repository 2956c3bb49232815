import { expect, test } from 'vitest'
import { RULES, type Rules } from '../../../src/contract/rules.ts'
import { ATTRIBUTION_WINDOW_MS, attributedLink } from '../../../src/sandbox/referral/attribution.ts'
import { clickTotals, countClick } from '../../../src/sandbox/referral/clicks.ts'
import { createLink, type LinkInput } from '../../../src/sandbox/referral/links.ts'
import { follow, visitCookieName, visitedLink } from '../../../src/sandbox/referral/visits.ts'
import type { World } from '../../../src/sandbox/world.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { visitor } from '../../support/visitor.ts'
import { castMember, TEST_NOW_MS, testWorld } from '../../support/world.ts'

const DOMAIN = 'stalls-1.test'

function link(world: World, input: LinkInput, as = 'main') {
  return createLink(world, castMember(world, as), input)
}

function cookieOf(world: World, setCookie: string | null): Map<string, string> {
  const name = visitCookieName(world)
  return new Map([[name, (setCookie ?? '').slice(name.length + 1).split(';')[0] as string]])
}

test('a sale that comes by a call is attributed to the domain link for it that was followed last', () => {
  const world = testWorld()
  const { partnerId } = castMember(world, 'main')
  const [first, second] = [
    link(world, { kind: 'domain', domain: DOMAIN }),
    link(world, { kind: 'domain', domain: DOMAIN }),
  ]
  expect(attributedLink(world, partnerId, DOMAIN)).toBeNull()
  countClick(world, second)
  world.clock.moveTo(TEST_NOW_MS + 1)
  countClick(world, first)
  expect(attributedLink(world, partnerId, DOMAIN)).toBe(first.linkId)
  countClick(world, second)
  expect(attributedLink(world, partnerId, DOMAIN)).toBe(second.linkId)
})

test('links for other domains, generic ones and another partner’s are not guessed at', () => {
  const world = testWorld()
  for (const [input, as] of [
    [{ kind: 'generic' }, 'main'],
    [{ kind: 'product', product: DOMAIN }, 'main'],
    [{ kind: 'domain', domain: 'stalls-2.test' }, 'main'],
    [{ kind: 'domain', domain: DOMAIN }, 'other-partner'],
  ] as const) {
    countClick(world, link(world, input, as))
  }
  expect(attributedLink(world, castMember(world, 'main').partnerId, DOMAIN)).toBeNull()
})

test('a click counts for 30 days of world time, to the millisecond', () => {
  const world = testWorld()
  const { partnerId } = castMember(world, 'main')
  const own = link(world, { kind: 'domain', domain: DOMAIN })
  const cookies = cookieOf(world, follow(world, own, new Map()))
  world.clock.moveTo(TEST_NOW_MS + ATTRIBUTION_WINDOW_MS)
  expect([attributedLink(world, partnerId, DOMAIN), visitedLink(world, partnerId, cookies)]).toEqual([
    own.linkId,
    own.linkId,
  ])
  world.clock.moveTo(TEST_NOW_MS + ATTRIBUTION_WINDOW_MS + 1)
  expect([attributedLink(world, partnerId, DOMAIN), visitedLink(world, partnerId, cookies)]).toEqual([null, null])
})

test('a visit that is known decides, and another partner’s link never earns', () => {
  const world = testWorld()
  const { partnerId } = castMember(world, 'main')
  const [aboutIt, generic] = [link(world, { kind: 'domain', domain: DOMAIN }), link(world, { kind: 'generic' })]
  const foreign = link(world, { kind: 'generic' }, 'other-partner')
  countClick(world, aboutIt)
  expect(attributedLink(world, partnerId, DOMAIN, generic.linkId)).toBe(generic.linkId)
  expect(attributedLink(world, partnerId, DOMAIN, foreign.linkId)).toBeNull()
  expect(attributedLink(world, partnerId, DOMAIN, 'lnk_unknown')).toBeNull()
  expect(attributedLink(world, partnerId, DOMAIN, null)).toBeNull()
})

test('of several visits in one browser, each partner is credited with its own latest', () => {
  const world = testWorld()
  const [main, other] = [castMember(world, 'main').partnerId, castMember(world, 'other-partner').partnerId]
  const [a, b, c] = [
    link(world, { kind: 'generic' }),
    link(world, { kind: 'generic' }),
    link(world, { kind: 'generic' }, 'other-partner'),
  ]
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

test('a partner-collected sale counts on the domain link that led to it, once recorded and even if undone', async () => {
  const sandbox = await startSandbox()
  const [listing] = await sandbox.forSale(1)
  const made = (await sandbox.call({ path: '/links', body: { kind: 'domain', domain: listing!.domain } })).json
  await visitor().get(made.url)
  const order = { domain: listing!.domain, expected_price: listing!.price_cents }
  const { json } = await sandbox.sell({ order })
  const linkNow = async () => (await sandbox.call({ path: '/links' })).json.links[0]
  expect(await linkNow()).toMatchObject({ link_id: made.link_id, clicks: 1, sales: 1 })
  await sandbox.operate('POST', `/v1/worlds/default/orders/${json.public_id}/refund`, {})
  expect(await linkNow()).toMatchObject({ clicks: 1, sales: 1 })
})

test('a sale through a credential without an affiliate account, or by another partner, is attributed to nobody', async () => {
  const sandbox = await startSandbox()
  for (const as of ['no-affiliate', 'other-partner']) {
    const [listing] = await sandbox.forSale(1)
    const made = (await sandbox.call({ path: '/links', body: { kind: 'domain', domain: listing!.domain } })).json
    await visitor().get(made.url)
    const { status } = await sandbox.sell({
      as,
      order: { domain: listing!.domain, expected_price: listing!.price_cents },
    })
    expect(status).toBe(201)
    expect((await sandbox.call({ path: '/links' })).json.links[0]).toMatchObject({ clicks: 1, sales: 0 })
  }
})

test('whether clicks are counted and purchases attributed is the world’s own rules’ say', () => {
  const world = testWorld()
  const { partnerId } = castMember(world, 'main')
  const own = link(world, { kind: 'domain', domain: DOMAIN })
  const under = (change: Partial<Rules['referral']>): World => ({
    ...world,
    rules: { ...RULES, referral: { ...RULES.referral, ...change } },
  })
  const cookies = cookieOf(world, follow(under({ countsClicks: 'never' }), own, new Map()))
  expect(clickTotals(world, partnerId, {}).total).toBe(0)
  follow(world, own, cookies)
  expect(clickTotals(world, partnerId, {}).total).toBe(0)
  follow(under({ countsClicks: 'every-time' }), own, cookies)
  expect(clickTotals(world, partnerId, {})).toEqual({ total: 1, byLink: [{ linkId: own.linkId, clicks: 1 }] })
  expect(attributedLink(world, partnerId, DOMAIN)).toBe(own.linkId)
  expect(attributedLink(under({ attributes: false }), partnerId, DOMAIN)).toBeNull()
  expect(attributedLink(under({ attributes: false }), partnerId, DOMAIN, own.linkId)).toBeNull()
})
