import { expect, test } from 'vitest'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import { caseStepsNow, takeCaseStep } from '../../../src/sandbox/brokerage/case-steps.ts'
import { findCase, ineligibleBecause, insertCase, openCase } from '../../../src/sandbox/brokerage/cases.ts'
import { allEvents } from '../../../src/sandbox/events/events.ts'
import { findListing, isAvailable } from '../../../src/sandbox/inventory/listings.ts'
import { recordOrder } from '../../../src/sandbox/sales/order-steps.ts'
import { issueQuote } from '../../../src/sandbox/sales/quotes.ts'
import { requestRefund } from '../../../src/sandbox/sales/refunds.ts'
import type { Order } from '../../../src/sandbox/sales/types.ts'
import { advance } from '../../../src/sandbox/worlds/advance.ts'
import { changeSettings } from '../../../src/sandbox/worlds/world-facts.ts'
import { castMember, TEST_NOW_MS, testWorld } from '../../support/world.ts'

const DAY_MS = 86_400_000

function opened(world: Environment, domain?: string, budgetCents = 123_456) {
  const caller = castMember(world, 'main')
  return openCase(world, caller, { tier: 'managed', buyerEmail: 'b@example.test', budgetCents, domain })
}

function ledgerOf(world: Environment, caseId: string) {
  return world.db
    .prepare(
      `SELECT sales.payment_model AS model, sales.domain, sum(ledger_entries.gross_cents) AS gross, sum(ledger_entries.commission_cents) AS commission,
         sum(ledger_entries.due_cents) AS due, sum(ledger_entries.payable_cents) AS payable
       FROM sales JOIN ledger_entries ON sale_seq = sales.seq WHERE case_id = ?`,
    )
    .get(caseId)
}

test('a deal emits brokerage.case_completed once and books the cut, rounded down, as payable', () => {
  const world = testWorld()
  const found = opened(world, 'wanted.example')
  const closed = takeCaseStep(world, found, 'close-deal', { note: 'sold', priceCents: 99_999 })
  expect(closed).toMatchObject({ status: 'DEAL_CLOSED', dealPriceCents: 99_999, partnerCutCents: 9_999 })
  const events = allEvents(world, { afterSeq: 0, limit: 100 })
  expect(events.map(({ type, partnerId }) => [type, partnerId])).toEqual([
    ['brokerage.case_completed', found.partnerId],
  ])
  expect(JSON.parse(events[0]!.data)).toEqual({
    case: {
      case_id: found.caseId,
      domain: 'wanted.example',
      tier: 'managed',
      status: 'DEAL_CLOSED',
      deal_price_cents: 99_999,
      partner_cut_cents: 9_999,
      currency: 'USD',
    },
  })
  expect(ledgerOf(world, found.caseId)).toEqual({
    model: 'brokerage',
    domain: 'wanted.example',
    gross: 99_999,
    commission: 9_999,
    due: 9_999,
    payable: 9_999,
  })
})

test('a deal without a price closes at the budget, at the share that was told when the case was opened', () => {
  const world = testWorld()
  const found = opened(world)
  changeSettings(world, { commission: { ...world.settings.commission, brokerageBasisPoints: 2_500 } })
  const closed = takeCaseStep(world, found, 'close-deal', { note: null })
  expect(closed).toMatchObject({ dealPriceCents: 123_456, partnerCutCents: 12_345 })
})

test('a deal takes a domain that is for sale out of the shop, and frees it for another case', () => {
  const world = testWorld()
  const domain = 'stalls-5.test'
  const found = opened(world, domain)
  expect(findListing(world, domain)?.listed).toBe(true)
  takeCaseStep(world, found, 'close-deal', { note: null })
  expect([findListing(world, domain)?.listed, ineligibleBecause(world, domain)]).toEqual([false, null])
  expect(opened(world, domain).status).toBe('OPEN')
})

test('a case that ends without a deal earns nothing and leaves the domain for sale', () => {
  const world = testWorld()
  const found = opened(world, 'stalls-5.test')
  const closed = takeCaseStep(world, found, 'close-no-deal', { note: null })
  expect(closed).toMatchObject({ status: 'CLOSED_NO_DEAL', dealPriceCents: null, partnerCutCents: null })
  expect(ledgerOf(world, found.caseId)).toMatchObject({ gross: null })
  expect(findListing(world, 'stalls-5.test')?.listed).toBe(true)
})

test('the case of deal-closes-N closes with a deal at its budget one day of world time after opening', async () => {
  const world = testWorld()
  const found = world.commits.commitNow(() => opened(world, 'deal-closes-1.test', 700))
  expect((await advance(world, { byMs: DAY_MS - 1 })).happened).toEqual([])
  const { happened } = await advance(world, { byMs: 1 })
  expect(happened.map(({ atMs, kind, id }) => [atMs - TEST_NOW_MS, kind, kind === 'event' ? null : id])).toEqual([
    [DAY_MS, 'case.closed', found.caseId],
    [DAY_MS, 'event', null],
  ])
  const closed = { status: 'DEAL_CLOSED', dealPriceCents: 700, partnerCutCents: 70, closesAtMs: null }
  expect(findCase(world, found.caseId)).toMatchObject({ ...closed, updatedAtMs: TEST_NOW_MS + DAY_MS })
})

const BUYER = { email: 'buyer@example.test' }

function quoted(world: Environment, domain: string, as: string) {
  return world.commits.commitNow(() => issueQuote(world, castMember(world, as), { domain }))
}

function sold(world: Environment, domain: string, as: string): Order {
  const { priceCents, currency } = findListing(world, domain)!
  const input = { domain, expectedPriceCents: priceCents, currency, buyer: BUYER }
  return world.commits.commitNow(() => recordOrder(world, castMember(world, as), input))
}

test.for(['main', 'other-partner'])('no deal is closed while a quote of %s is open, which can be used', async (as) => {
  const world = testWorld()
  const domain = 'stalls-5.test'
  const found = world.commits.commitNow(() => opened(world, domain))
  const quote = quoted(world, domain, as)
  const close = () => world.commits.commitNow(() => takeCaseStep(world, found, 'close-deal', { note: null }))
  expect(close).toThrow(
    'close-deal is not possible while a quote for stalls-5.test is open, until 2026-01-15T12:10:00.000Z',
  )
  expect(caseStepsNow(world, found)).toEqual(['negotiate', 'close-no-deal'])
  expect(findCase(world, found.caseId)?.status).toBe('OPEN')
  await advance(world, { toMs: quote.expiresAtMs })
  expect(close).toThrow('is not possible')
  await advance(world, { byMs: 1 })
  expect(close().status).toBe('DEAL_CLOSED')
})

test('the case of deal-closes-N waits for the end of every quote that holds the name when it would close', async () => {
  const world = testWorld()
  const domain = 'deal-closes-1.test'
  const found = world.commits.commitNow(() => opened(world, domain))
  await advance(world, { byMs: DAY_MS - 1 })
  const { expiresAtMs } = quoted(world, domain, 'other-partner')
  const kinds = async (byMs: number) => (await advance(world, { byMs })).happened.map(({ kind }) => kind)
  expect(await kinds(1)).toEqual([])
  expect(await kinds(expiresAtMs - world.clock.nowMs())).toEqual([])
  expect(findCase(world, found.caseId)?.status).toBe('OPEN')
  expect(await kinds(1)).toEqual(['quote.expired', 'case.closed', 'event'])
  expect(findCase(world, found.caseId)).toMatchObject({ status: 'DEAL_CLOSED', updatedAtMs: expiresAtMs + 1 })
})

test('a deal leaves a domain that a live order holds where it is, so a refund puts it up for sale again', () => {
  const world = testWorld()
  const domain = 'stalls-5.test'
  const found = world.commits.commitNow(() => opened(world, domain))
  const order = sold(world, domain, 'other-partner')
  world.commits.commitNow(() => takeCaseStep(world, found, 'close-deal', { note: null }))
  expect([findListing(world, domain)?.listed, isAvailable(world, domain)]).toEqual([true, false])
  const caller = castMember(world, 'other-partner')
  world.commits.commitNow(() => requestRefund(world, caller, { publicId: order.publicId }))
  expect(isAvailable(world, domain)).toBe(true)
})

test('an operator who closes such a case first has the last word', async () => {
  const world = testWorld()
  const found = world.commits.commitNow(() => opened(world, 'deal-closes-1.test'))
  world.commits.commitNow(() => takeCaseStep(world, found, 'close-no-deal', { note: null }))
  expect((await advance(world, { byMs: 2 * DAY_MS })).happened).toEqual([])
  expect(findCase(world, found.caseId)?.status).toBe('CLOSED_NO_DEAL')
})

test('the database itself refuses a second open case about a domain', () => {
  const world = testWorld()
  const first = opened(world, 'one.test')
  const second = { ...first, seq: first.seq + 1, caseId: `${first.caseId}2` }
  expect(insertCase(world.db, second)).toBe(false)
  expect(insertCase(world.db, { ...second, domain: 'two.test' })).toBe(true)
})
