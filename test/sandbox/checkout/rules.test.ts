import { expect, it } from 'vitest'
import { DEFAULT_GAPS } from '../../../src/contract/choices.ts'
import { actionsFor, MAGIC_BUYERS, magicBuyer, pay } from '../../../src/sandbox/checkout/payments.ts'
import { findSession, openSession, returnAddress } from '../../../src/sandbox/checkout/sessions.ts'
import { magicBuyers } from '../../../src/sandbox/inventory/magic.ts'
import { advance } from '../../../src/sandbox/worlds/advance.ts'
import { castMember, TEST_NOW_MS, testWorld } from '../../support/world.ts'

const DAY_MS = 24 * 3_600_000
const BUYER = { name: 'Jo', email: 'jo@x.example', country: 'AT' }

it('an expired session can be neither paid, declined nor cancelled', async () => {
  const world = testWorld()
  const urls = { returnUrl: 'https://a.example/', cancelUrl: 'https://a.example/' }
  const session = openSession(world, castMember(world, 'main'), { domain: 'stalls-1.test', ...urls })
  await advance(world, { notBeforeMs: TEST_NOW_MS + 8 * DAY_MS })
  const expired = findSession(world, session.sessionId)!
  expect([expired.state, actionsFor(world, expired)]).toEqual(['expired', []])
  expect(() => pay(world, expired, BUYER)).toThrow('pay is not possible in state expired')
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
