import { expect, it } from 'vitest'
import { DEFAULT_GAPS } from '../../../src/contract/gaps.ts'
import { RULES, type Rules } from '../../../src/contract/rules.ts'
import { actionsFor, MAGIC_BUYERS, magicBuyer, pay } from '../../../src/sandbox/checkout/payments.ts'
import {
  checkoutUrl,
  findSession,
  openSession,
  returnAddress,
  sessionOfToken,
} from '../../../src/sandbox/checkout/sessions.ts'
import { magicBuyers } from '../../../src/sandbox/inventory/magic.ts'
import type { Credential } from '../../../src/sandbox/kernel/world.ts'
import { advance } from '../../../src/sandbox/worlds/advance.ts'
import type { Environment } from '../../../src/sandbox/worlds/environment.ts'
import { TEST_NOW_MS, testWorld } from '../../support/world.ts'

const DAY_MS = 24 * 3_600_000
const BUYER = { name: 'Jo', email: 'jo@x.example', country: 'AT' }

/** A world in which one rule of the checkout is another one, with an open session. */
function broken(changes: Partial<Rules['checkout']>, domain = 'stalls-1.test') {
  const sound = testWorld()
  const world: Environment = { ...sound, rules: { ...RULES, checkout: { ...RULES.checkout, ...changes } } }
  const caller = [...world.credentials.values()].find(({ name }) => name === 'main') as Credential
  const session = openSession(world, caller, {
    domain,
    returnUrl: 'https://a.example/',
    cancelUrl: 'https://a.example/',
  })
  const token = new URL(checkoutUrl(world, session)).searchParams.get('pt') as string
  return { world, caller, session, token }
}

const altered = (token: string) => token.slice(0, -2) + (token.at(-2) === 'A' ? 'B' : 'A') + token.at(-1)
const lastAltered = (token: string) => token.slice(0, -1) + (token.at(-1) === 'A' ? 'E' : 'A')

it('checks the whole token, and less of it only where the rules are broken', () => {
  for (const [tokenChecked, last, other] of [
    ['whole', false, false],
    ['all-but-last-character', true, false],
    ['never', true, true],
  ] as const) {
    const { world, token } = broken({ tokenChecked })
    expect(sessionOfToken(world, token)).toMatchObject({ state: 'open' })
    expect(sessionOfToken(world, lastAltered(token)) !== 'unknown', tokenChecked).toBe(last)
    expect(sessionOfToken(world, altered(token)) !== 'unknown', tokenChecked).toBe(other)
  }
})

it('refuses what is over, unless the rules are broken; then even an expired session is paid', async () => {
  for (const [expiryChecked, actions] of [
    [true, []],
    [false, ['pay', 'decline', 'cancel']],
  ] as const) {
    const { world, session, token } = broken({ expiryChecked })
    await advance(world, { notBeforeMs: TEST_NOW_MS + 8 * DAY_MS })
    const expired = findSession(world, session.sessionId)!
    expect(expired.state).toBe('expired')
    expect(sessionOfToken(world, token) === 'over').toBe(expiryChecked)
    expect(actionsFor(world, expired)).toEqual(actions)
    if (!expiryChecked) expect(pay(world, expired, BUYER).outcome).toBe('paid')
    else expect(() => pay(world, expired, BUYER)).toThrow('pay is not possible in state expired')
  }
})

it('lasts as long as the rules say', () => {
  const { session } = broken({ seconds: 60 })
  expect(session.expiresAtMs - session.createdAtMs).toBe(60_000)
})

it('gives the sale to whoever made the session, and to nobody only where the rules are broken', () => {
  for (const attributesTo of ['creator', 'nobody'] as const) {
    const { world, caller, session } = broken({ attributesTo })
    pay(world, session, BUYER)
    const owners = world.db.prepare('SELECT partner_id FROM orders').pluck().all()
    expect(owners).toEqual([attributesTo === 'creator' ? caller.partnerId : 'ptr_nobody'])
  }
})

it('is for listed domains, unless the rules are broken', () => {
  expect(() => broken({}, 'nobody-lists-this.test')).toThrow('the domain is not listed for sale')
  expect(broken({ listedOnly: false }, 'nobody-lists-this.test').session.state).toBe('open')
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
