import { expect, it } from 'vitest'
import { DEFAULT_GAPS } from '../../../src/contract/gaps.ts'
import { RULES, type Rules } from '../../../src/contract/rules.ts'
import { actionsFor, MAGIC_BUYERS, magicBuyer, pay } from '../../../src/sandbox/checkout/payments.ts'
import { findSession, openSession, returnAddress } from '../../../src/sandbox/checkout/sessions.ts'
import { magicBuyers } from '../../../src/sandbox/inventory/magic.ts'
import { advance } from '../../../src/sandbox/worlds/advance.ts'
import type { Environment } from '../../../src/sandbox/worlds/environment.ts'
import { castMember, TEST_NOW_MS, testWorld } from '../../support/world.ts'

const DAY_MS = 24 * 3_600_000
const BUYER = { name: 'Jo', email: 'jo@x.example', country: 'AT' }

/** A world under other rules of the checkout, with an open session. */
function underRules(changes: Partial<Rules['checkout']>) {
  const sound = testWorld()
  const world: Environment = { ...sound, rules: { ...RULES, checkout: { ...RULES.checkout, ...changes } } }
  const caller = castMember(world, 'main')
  const urls = { returnUrl: 'https://a.example/', cancelUrl: 'https://a.example/' }
  return { world, caller, session: openSession(world, caller, { domain: 'stalls-1.test', ...urls }) }
}

it('an expired session can be neither paid, declined nor cancelled', async () => {
  const { world, session } = underRules({})
  await advance(world, { notBeforeMs: TEST_NOW_MS + 8 * DAY_MS })
  const expired = findSession(world, session.sessionId)!
  expect([expired.state, actionsFor(world, expired)]).toEqual(['expired', []])
  expect(() => pay(world, expired, BUYER)).toThrow('pay is not possible in state expired')
})

it('gives the sale to whoever made the session, and to nobody only where the rules are broken', () => {
  for (const attributesTo of ['creator', 'nobody'] as const) {
    const { world, caller, session } = underRules({ attributesTo })
    pay(world, session, BUYER)
    const owners = world.db.prepare('SELECT partner_id FROM orders').pluck().all()
    expect(owners).toEqual([attributesTo === 'creator' ? caller.partnerId : 'ptr_nobody'])
  }
})

it.each([
  ['https://a.example', 'https://a.example/?session_id=cs_1'],
  ['https://a.example/?', 'https://a.example/?session_id=cs_1'],
  ['https://a.example/#x?y', 'https://a.example/?session_id=cs_1#x?y'],
  ['https://a.example/?a=%20b+c&a=2', 'https://a.example/?a=%20b+c&a=2&session_id=cs_1'],
  ['https://a.example/?a=1&', 'https://a.example/?a=1&session_id=cs_1'],
  ["https://a.example/'q'?x='1'", "https://a.example/'q'?x=%271%27&session_id=cs_1"],
  ['HTTP://A.Example:80/ü?ü', 'http://a.example/%C3%BC?%C3%BC&session_id=cs_1'],
])('adds the session to %s', (address, expected) => {
  expect(returnAddress({ gaps: DEFAULT_GAPS }, address, { sessionId: 'cs_1', state: 'paid' })).toBe(expected)
})

it('knows exactly the buyers that the list of magic names tells of', () => {
  expect(magicBuyers().map(({ pattern }) => pattern)).toEqual(MAGIC_BUYERS.map((tag) => `+${tag}`))
  expect(magicBuyers().map(({ example }) => magicBuyer(example))).toEqual([...MAGIC_BUYERS])
  for (const email of ['jo@x.example', 'declines@x.example', 'declines+jo@x.example', 'jo+declined@x.example']) {
    expect(magicBuyer(email), email).toBeNull()
  }
  expect(magicBuyer('jo+shop+DECLINES@x.example')).toBe('declines')
  expect(magicBuyer('jo+declines+shop@x.example')).toBe('declines')
  expect(magicBuyer('jo+x+pays-late+declines@x.example')).toBe('pays-late')
})
