import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PAYMENT_MODELS } from '../../../../src/contract/payment-models.ts'
import type { Page, Paging } from '../../../../src/sandbox/kernel/paging.ts'
import type { Credential } from '../../../../src/sandbox/kernel/world.ts'
import { audit } from '../../../../src/sandbox/reports/audit.ts'
import {
  funnel,
  listAttributedSales,
  listCommissions,
  listTransactions,
  type TransactionFilter,
} from '../../../../src/sandbox/reports/reports.ts'
import { listPayouts } from '../../../../src/sandbox/settlement/payout-runs.ts'
import { listStatements } from '../../../../src/sandbox/settlement/statements.ts'
import { anyHistory, longHistory } from '../../../support/history-acts.ts'
import { dueOf, MoneyHistory, type Remembered } from '../../../support/money-history.ts'
import { size } from '../../../support/size.ts'
import { TEST_NOW_MS, testWorld } from '../../../support/world.ts'

const RUNS = size(5, 25)
const SALES = size(100, 1_000)

const sum = (cents: readonly number[]) => cents.reduce((total, next) => total + next, 0)

/** Every row of a list, page by page. */
function everyRow<Row>(page: (paging: Paging) => Page<Row>, idOf: (row: Row) => string, limit = 7): Row[] {
  const rows: Row[] = []
  let cursor: string | undefined
  while (true) {
    const { rows: found, hasMore } = page({ cursor, limit })
    rows.push(...found)
    if (!hasMore) return rows
    cursor = idOf(found.at(-1) as Row)
  }
}

function worthOf(sales: readonly Remembered[]) {
  const standing = sales.filter(({ isUndone }) => !isUndone)
  return {
    count: sales.length,
    gmvCents: sum(standing.map(({ priceCents }) => priceCents)),
    commissionCents: sum(standing.map(({ commissionCents }) => commissionCents)),
  }
}

async function checkAll(history: MoneyHistory): Promise<void> {
  expect(await audit(history.world)).toMatchObject({ balanced: true, differences: [], leftOut: 0 })
  for (const partner of history.partners) {
    const sales = history.sales.filter(({ partnerId }) => partnerId === partner.partnerId)
    checkTransactions(history, partner, sales)
    checkStatements(history, partner, sales)
    checkCommissions(history, partner, sales)
    checkFunnel(history, partner, sales)
  }
}

function checkTransactions({ world }: MoneyHistory, partner: Credential, sales: readonly Remembered[]): void {
  const windows = [{}, { fromMs: TEST_NOW_MS + 86_400_000 }, { toMs: TEST_NOW_MS + 172_800_000 }]
  const statuses = [undefined, 'EXTERNALLY_PAID', 'SETTLED', 'REFUNDED', 'DEAL_CLOSED', 'OPEN'] as const
  for (const window of [...windows, { ...windows[1], ...windows[2] }]) {
    for (const status of statuses) {
      for (const paymentModel of [undefined, ...PAYMENT_MODELS]) {
        const filter: TransactionFilter = { ...window, status, paymentModel }
        const fitting = sales.filter((sale) => fits(sale, filter))
        const { totals } = listTransactions(world, partner, { ...filter, limit: 1 })
        expect(totals).toEqual(worthOf(fitting))
        const rows = everyRow(
          (paging) => listTransactions(world, partner, { ...filter, ...paging }),
          ({ seq }) => world.chance.id('transaction', seq),
        )
        expect(rows.map((row) => row.publicId ?? row.caseId)).toEqual(fitting.map(({ id }) => id).reverse())
        expect(sum(rows.map((row) => row.salePriceCents))).toBe(totals.gmvCents)
        expect(sum(rows.map((row) => row.commissionCents))).toBe(totals.commissionCents)
      }
    }
  }
}

function fits(sale: Remembered, { fromMs, toMs, status, paymentModel }: TransactionFilter): boolean {
  return (
    (fromMs === undefined || sale.createdAtMs >= fromMs) &&
    (toMs === undefined || sale.createdAtMs < toMs) &&
    (status === undefined || sale.status === status) &&
    (paymentModel === undefined || sale.model === paymentModel)
  )
}

function checkStatements(history: MoneyHistory, partner: Credential, sales: readonly Remembered[]): void {
  const list = (paging: Paging) => listStatements(history.world, partner, paging)
  const statements = everyRow(list, ({ statementId }) => statementId)
  expect(statements).toHaveLength(history.settlementRuns.length)
  for (const statement of statements) {
    expect(statement.grossSoldCents).toBe(statement.commissionRetainedCents + statement.amountOwedCents)
  }
  const stated = statements.flatMap(({ publicIds }) => publicIds)
  expect(new Set(stated).size).toBe(stated.length)
  const settled = history.settlementRuns.flat()
  expect(new Set(stated)).toEqual(new Set(settled.filter((id) => sales.some((sale) => sale.id === id))))
  const owed = sum(statements.map(({ amountOwedCents, adjustmentCents }) => amountOwedCents + adjustmentCents))
  expect(owed).toBe(sum(sales.map(({ statedCents }) => statedCents)))
}

function checkCommissions(history: MoneyHistory, partner: Credential, sales: readonly Remembered[]): void {
  const list = (paging: Paging) => listCommissions(history.world, partner, paging)
  const idOf = ({ seq }: { seq: number }) => history.world.chance.id('ledgerEntry', seq)
  const lines = everyRow(list, idOf).reverse()
  let runningCents = 0
  for (const { amountCents, balanceCents } of lines) {
    runningCents += amountCents
    expect(balanceCents).toBe(runningCents)
  }
  expect(list({ limit: 1 }).balanceCents).toBe(runningCents)
  expect(runningCents).toBe(sum(sales.map(dueOf)))
  const later = { fromMs: TEST_NOW_MS + 86_400_000 }
  const windowed = everyRow((paging) => listCommissions(history.world, partner, { ...later, ...paging }), idOf)
  expect(windowed.reverse()).toEqual(lines.filter(({ createdAtMs }) => createdAtMs >= later.fromMs))
  checkPayouts(history, partner, { lines, sales })
}

function checkPayouts(
  { world, payoutRuns }: MoneyHistory,
  partner: Credential,
  { lines, sales }: { lines: readonly { kind: string; amountCents: number }[]; sales: readonly Remembered[] },
): void {
  const list = (paging: Paging) => listPayouts(world, partner, paging)
  const payouts = everyRow(list, ({ payoutId }) => payoutId)
  const total = sum(payouts.map(({ amountCents }) => amountCents))
  expect(list({ limit: 1 }).totalPaidCents).toBe(total)
  expect(0 - sum(lines.filter(({ kind }) => kind === 'paid_out').map(({ amountCents }) => amountCents))).toBe(total)
  expect(total).toBe(sum(sales.map(({ paidCents }) => paidCents)))
  const made = payoutRuns.flatMap((run) => run.payouts).filter(({ partnerId }) => partnerId === partner.partnerId)
  expect(payouts.map(({ payoutId }) => payoutId)).toEqual(made.map(({ payoutId }) => payoutId).reverse())
}

function checkFunnel({ world }: MoneyHistory, partner: Credential, sales: readonly Remembered[]): void {
  for (const window of [{}, { fromMs: TEST_NOW_MS + 86_400_000, toMs: TEST_NOW_MS + 259_200_000 }]) {
    const rows = everyRow(
      (paging) => listAttributedSales(world, partner, { ...window, ...paging }),
      ({ publicId }) => publicId,
    )
    const attributed = sales.filter((sale) => sale.linked && fits(sale, window))
    expect(rows.map(({ publicId }) => publicId)).toEqual(attributed.map(({ id }) => id).reverse())
    const { sales: count, gmv_cents: gmvCents, commission_cents: commissionCents } = funnel(world, partner, window)
    expect({ count, gmvCents, commissionCents }).toEqual(worthOf(attributed))
    expect(sum(rows.map(({ amountCents }) => amountCents))).toBe(gmvCents)
  }
}

test('every figure of every report follows from what happened, whatever happened', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, async (acts) => {
      const world = testWorld({ inventory: 0 })
      try {
        await checkAll(new MoneyHistory(world).play(acts))
      } finally {
        world.db.close()
      }
    }),
    { numRuns: RUNS },
  )
})

test('a long history balances to the cent', { timeout: 120_000 }, async () => {
  const history = new MoneyHistory(testWorld({ inventory: 0 })).play(longHistory(SALES, 20_260_115))
  expect(history.sales.length).toBeGreaterThanOrEqual(SALES)
  await checkAll(history)
})
