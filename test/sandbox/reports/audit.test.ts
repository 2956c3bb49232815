import { expect, test } from 'vitest'
import type { Environment } from '../../../src/sandbox/app/environment.ts'
import { audit } from '../../../src/sandbox/reports/audit.ts'
import { requestRefund } from '../../../src/sandbox/sales/refunds.ts'
import { resetWorld } from '../../../src/sandbox/worlds/snapshots.ts'
import { type Act, MoneyHistory } from '../../support/money-history.ts'
import { castMember, testWorld } from '../../support/world.ts'

const sell = (model: 'partner_collected' | 'hosted_checkout' | 'brokerage', partner: 0 | 1 = 0): Act => ({
  act: 'sell',
  partner,
  model,
  priceCents: 100_001,
  linked: false,
})
const forward = (pick: number): Act => ({ act: 'forward', pick })

/** A settled sale that was undone afterwards, one that stands, a paid hosted sale, an unpaid one, and a paid deal. */
const ACTS: readonly Act[] = [
  sell('partner_collected'),
  sell('hosted_checkout'),
  sell('brokerage'),
  sell('hosted_checkout', 1),
  sell('partner_collected'),
  ...[0, 0, 1, 4, 4].map(forward),
  { act: 'settle' },
  { act: 'pay out' },
  { act: 'step', pick: 0, step: 0 },
  { act: 'settle' },
]

function history(): MoneyHistory {
  return new MoneyHistory(testWorld({ inventory: 0 })).play(ACTS)
}

const entry = (world: Environment, kind: string, model = 'hosted_checkout', nth = 0) => {
  const found = world.db
    .prepare(
      `SELECT ledger_entries.seq, due_cents AS due FROM ledger_entries JOIN sales ON sales.seq = sale_seq
       WHERE kind = ? AND payment_model = ? ORDER BY ledger_entries.seq LIMIT 1 OFFSET ?`,
    )
    .get(kind, model, nth) as { seq: number; due: number }
  return { ...found, id: world.chance.id('ledgerEntry', found.seq) }
}

/** Plants something wrong, and says what the audit makes of it. */
async function after(plant: (world: Environment, history: MoneyHistory) => void) {
  const played = history()
  plant(played.world, played)
  return { ...(await audit(played.world)), ...played }
}

test('a valid history balances, and the audit says how much it looked at', async () => {
  expect(await audit(history().world)).toEqual({
    balanced: true,
    checked: { orders: 4, cases: 1, sales: 5, entries: 15, statements: 4, payouts: 2, undone: 1, undoneByPartner: 0 },
    differences: [],
    leftOut: 0,
  })
})

test('a world where nothing happened balances', async () => {
  expect(await audit(testWorld({ inventory: 0 }))).toMatchObject({ balanced: true, checked: { sales: 0 } })
})

test('a line that was changed is found to the cent', async () => {
  const { differences, balanced, sales } = await after((world) => {
    const { seq } = entry(world, 'accrued')
    world.db
      .prepare('UPDATE ledger_entries SET gross_cents = gross_cents + 7, due_cents = due_cents + 3 WHERE seq = ?')
      .run(seq)
  })
  const hosted = sales[1]!
  expect(balanced).toBe(false)
  expect(differences).toEqual([
    { what: 'sale.gross', id: hosted.id, expectedCents: 100_001, foundCents: 100_008 },
    { what: 'sale.due', id: hosted.id, expectedCents: 0, foundCents: 3 },
    { what: 'sale.kept_gross', id: hosted.id, expectedCents: 100_008, foundCents: 100_001 },
    { what: 'entry.balance', id: expect.stringMatching(/^ent_/), expectedCents: 20_003, foundCents: 20_000 },
  ])
})

test('what is kept of a sale’s worth beside its lines is held against them', async () => {
  const { differences, sales } = await after((world, { sales }) => {
    world.db
      .prepare(`UPDATE sales SET gross_cents = gross_cents + 5, commission_cents = commission_cents - 2
        WHERE order_seq = (SELECT seq FROM orders WHERE public_id = ?)`)
      .run(sales[1]!.id)
  })
  expect(differences).toEqual([
    { what: 'sale.kept_gross', id: sales[1]!.id, expectedCents: 100_001, foundCents: 100_006 },
    { what: 'sale.kept_commission', id: sales[1]!.id, expectedCents: 20_000, foundCents: 19_998 },
  ])
})

test('a line that was deleted is found to the cent', async () => {
  const { differences, sales } = await after((world) => {
    world.db
      .prepare('DELETE FROM ledger_entries WHERE seq = ?')
      .run(entry(world, 'retained', 'partner_collected', 1).seq)
  })
  const own = sales[4]!
  const owedCents = own.priceCents - own.commissionCents
  expect(differences).toEqual([
    { what: 'sale.gross', id: own.id, expectedCents: own.priceCents, foundCents: 0 },
    { what: 'sale.commission', id: own.id, expectedCents: own.commissionCents, foundCents: 0 },
    { what: 'sale.unsettled', id: own.id, expectedCents: 0, foundCents: -owedCents },
    { what: 'sale.kept_gross', id: own.id, expectedCents: 0, foundCents: own.priceCents },
    { what: 'sale.kept_commission', id: own.id, expectedCents: 0, foundCents: own.commissionCents },
    { what: 'sale.entries', id: own.id, expected: 2, found: 1 },
    expect.objectContaining({ what: 'statement.gross_sold' }),
    expect.objectContaining({ what: 'statement.commission_retained' }),
  ])
})

test('a line that was written twice is found to the cent', async () => {
  let twice = 0
  const { differences, sales, world } = await after((world) => {
    const { seq } = entry(world, 'paid_out')
    const columns = (world.db.pragma('table_info(ledger_entries)') as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name !== 'seq')
      .join(', ')
    const { lastInsertRowid } = world.db
      .prepare(`INSERT INTO ledger_entries (${columns}) SELECT ${columns} FROM ledger_entries WHERE seq = ?`)
      .run(seq)
    twice = Number(lastInsertRowid)
  })
  const hosted = sales[1]!
  expect(differences).toEqual([
    { what: 'sale.due', id: hosted.id, expectedCents: 0, foundCents: -20_000 },
    { what: 'sale.payable', id: hosted.id, expectedCents: 0, foundCents: -20_000 },
    { what: 'sale.entries', id: hosted.id, expected: 4, found: 5 },
    expect.objectContaining({ what: 'entry.balance', id: world.chance.id('ledgerEntry', twice) }),
    expect.objectContaining({ what: 'partner.balance', id: hosted.partnerId }),
    expect.objectContaining({ what: 'payout.lines', expectedCents: 20_000, foundCents: 40_000 }),
  ])
})

test('an order whose price was changed is found by what its events told', async () => {
  const { differences, sales } = await after((world, { sales }) => {
    world.db.prepare('UPDATE orders SET sale_price_cents = 90000 WHERE public_id = ?').run(sales[1]!.id)
  })
  expect(differences).toEqual([
    { what: 'order.sale_price', id: sales[1]!.id, expectedCents: 100_001, foundCents: 90_000 },
  ])
})

test.for([
  ['UPDATE orders SET commission_cents = commission_cents - 1 WHERE seq = 2', 'sale.commission'],
  ['UPDATE brokerage_cases SET partner_cut_cents = 1', 'case.partner_cut'],
  ['UPDATE brokerage_cases SET deal_price_cents = 200000', 'case.deal_price'],
  ["UPDATE orders SET status = 'SETTLED' WHERE seq = 2", 'order.status'],
  [
    "UPDATE events SET data = json_set(data, '$.order.sale_price_cents', 5) WHERE type = 'order.settled'",
    'event.sale_price',
  ],
  ["UPDATE payouts SET amount_cents = amount_cents + 1 WHERE kind = 'brokerage'", 'payout.amount'],
  ['UPDATE ledger_entries SET balance_cents = balance_cents + 1 WHERE seq = 3', 'entry.balance'],
  ["UPDATE ledger_entries SET statement_seq = 2 WHERE kind = 'settled'", 'statement.orders'],
  ["UPDATE ledger_entries SET statement_seq = 2 WHERE kind = 'settled'", 'sale.statement'],
  ['UPDATE ledger_entries SET unsettled_cents = unsettled_cents - 1 WHERE statement_seq = 1', 'statement.amount_owed'],
  ["DELETE FROM ledger_entries WHERE kind = 'reversed'", 'sale.entries'],
  ['DELETE FROM ledger_entries WHERE sale_seq = 4; DELETE FROM sales WHERE seq = 4', 'sale.missing'],
  ['UPDATE sales SET partner_id = (SELECT partner_id FROM sales WHERE seq = 4) WHERE seq = 2', 'sale.partner'],
  [
    "INSERT INTO refunds (refund_id, order_seq, partner_id, amount_cents, created_at) SELECT 'rf_x', seq, partner_id, 1, 0 FROM orders WHERE seq = 2",
    'refund.amount',
  ],
  ['UPDATE orders SET domain = (SELECT domain FROM orders WHERE seq = 2) WHERE seq = 1', 'domain.sales_at_once'],
  ['UPDATE brokerage_cases SET share_basis_points = 999', 'sale.rate'],
  ['UPDATE sales SET rate_basis_points = rate_basis_points + 1 WHERE seq = 2', 'sale.commission_at_rate'],
  [
    `UPDATE orders SET commission_cents = 19999 WHERE seq = 2;
     UPDATE sales SET commission_cents = 19999 WHERE seq = 2`,
    'sale.commission_at_rate',
  ],
] as const)('%s is found as %s', async ([sql, what]) => {
  const { differences } = await after(({ db }) => db.exec(sql))
  expect(differences.map((difference) => difference.what)).toContain(what)
})

test('an empty statement that is gone is found', async () => {
  const { differences, partners } = await after(({ db }) => {
    db.pragma('foreign_keys = OFF')
    const empty = 'seq NOT IN (SELECT statement_seq FROM ledger_entries WHERE statement_seq IS NOT NULL)'
    db.exec(`DELETE FROM settlement_statements WHERE run_seq = 1 AND ${empty}`)
  })
  const id = `1 ${partners[1]!.partnerId}`
  expect(differences).toEqual([{ what: 'statement.of_partner', id, expected: 1, found: 0 }])
})

test('a refund that is gone is found with its amount', async () => {
  const { world, sales } = new MoneyHistory(testWorld({ inventory: 0 })).play([sell('partner_collected')])
  const { refundId } = world.commits.commitNow(() =>
    requestRefund(world, castMember(world, 'main'), { publicId: sales[0]!.id }),
  )
  expect(await audit(world)).toMatchObject({ balanced: true, checked: { undoneByPartner: 1 } })
  world.db.exec('DELETE FROM refunds')
  expect((await audit(world)).differences).toEqual([
    { what: 'refund.missing', id: refundId, expectedCents: sales[0]!.priceCents, foundCents: 0 },
  ])
})

test('a sandbox that forgets to take commission back does not balance, and the audit says by how much', async () => {
  const { world, sales } = new MoneyHistory(testWorld({ inventory: 0 })).play([
    sell('hosted_checkout'),
    { act: 'step', pick: 0, step: 1 },
  ])
  world.db.exec("DELETE FROM ledger_entries WHERE kind = 'reversed'")
  world.db.exec('UPDATE sales SET gross_cents = 100001, commission_cents = 20000')
  expect((await audit(world)).differences).toMatchObject([
    { what: 'sale.gross', id: sales[0]!.id, expectedCents: 0, foundCents: 100_001 },
    { what: 'sale.commission', expectedCents: 0, foundCents: 20_000 },
    { what: 'sale.due', expectedCents: 0, foundCents: 20_000 },
    { what: 'sale.entries', expected: 2, found: 1 },
    { what: 'partner.balance', expectedCents: 0, foundCents: 20_000 },
  ])
})

test('a payout that is gone is found with its amount', async () => {
  const { differences } = await after(({ db }) => {
    db.pragma('foreign_keys = OFF')
    db.exec("DELETE FROM payouts WHERE kind = 'brokerage'")
  })
  expect(differences).toContainEqual({
    what: 'payout.missing',
    id: expect.stringContaining('brokerage'),
    expectedCents: 10_000,
    foundCents: 0,
  })
})

test('an audit looks at what had happened when it began, and lets others work meanwhile', async () => {
  const played = history()
  const auditing = audit(played.world)
  played.play(ACTS).play(ACTS)
  const { balanced, checked } = await auditing
  expect([balanced, checked.orders]).toEqual([true, 4])
  expect((await audit(played.world)).checked.orders).toBeGreaterThan(4)
})

test('an audit is refused with conflict where the world is reset under it', async () => {
  const { world } = history()
  const auditing = audit(world)
  resetWorld(world)
  await expect(auditing).rejects.toMatchObject({ code: 'conflict' })
})

test('a ledger that is lost gives a bounded list and the number of what is left out', async () => {
  const played = new MoneyHistory(testWorld({ inventory: 0 })).play(
    Array.from({ length: 500 }, () => sell('hosted_checkout')),
  )
  played.world.db.exec('DELETE FROM ledger_entries')
  const { differences, leftOut } = await audit(played.world)
  expect(differences).toHaveLength(1_000)
  expect(leftOut).toBeGreaterThan(900)
})
