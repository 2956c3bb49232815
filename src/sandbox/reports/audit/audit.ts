import { ApiError } from '../../../contract/errors.ts'
import type { World } from '../../kernel/world.ts'
import { commissionOf } from '../../ledger/ledger.ts'
import { type Statement, statementsOfRun } from '../../settlement/statements.ts'
import { type Difference, type Findings, newFindings } from './difference.ts'
import { type Expectations, type ExpectedStatement, expectationsOf, statementKey } from './expectations.ts'
import { checkSoldOnce, dealHistory, orderHistories, type SaleHistory } from './histories.ts'
import {
  type BookedRow,
  bookedRows,
  dealRows,
  type Extent,
  extentOf,
  lineRows,
  orderRows,
  partnersOf,
  payoutRows,
  refundRows,
  runRows,
  type Stretch,
} from './store.ts'

/** What an audit found, and how much it looked at. */
export interface AuditReport {
  balanced: boolean
  checked: {
    orders: number
    cases: number
    sales: number
    entries: number
    statements: number
    payouts: number
    /** Orders that were refunded or cancelled, by whomever. */
    undone: number
    /** Of those, the ones that a partner asked to refund. */
    undoneByPartner: number
  }
  differences: readonly Difference[]
  /** Differences beyond those that are listed. */
  leftOut: number
}

/** Rows in one turn of the event loop. */
const ROWS_AT_ONCE = 1_000

/**
 * Works out anew, from what happened (orders, cases, their timelines and events, refunds, the moments of runs), what each
 * sale, statement, payout and balance must be, and compares that with what the ledger and the reports say.
 *
 * It looks at what had happened when it began. Rows are read in stretches, one in each turn of the event loop, so calls are
 * served meanwhile; of each sale it keeps a few numbers.
 *
 * @throws ApiError conflict where the world is reset or deleted under it.
 * @example (await audit(world)).balanced // true
 */
export async function audit(world: World): Promise<AuditReport> {
  const extent = world.commits.commitNow(() => extentOf(world.db))
  const findings = newFindings()
  const histories = await readHistories(world, extent, findings)
  checkSoldOnce(histories.values(), findings)
  const expected = expectationsOf(histories.values(), {
    settlement: runRows(world.db, 'settlement_runs', extent.settlementRuns),
    payout: runRows(world.db, 'payout_runs', extent.payoutRuns),
  })
  const undoneByPartner = await checkRefunds(world, extent, histories, findings)
  const balances = await checkSales(world, extent, { histories, expected, findings })
  const paidCents = await checkLines(world, extent, { balances, findings })
  const payouts = checkPayouts(world, extent, { expected, paidCents, findings })
  const statements = await checkStatements(world, extent, expected, findings)
  const { orders, cases, sales, entries } = extent
  const { differences, leftOut } = findings
  return {
    balanced: differences.length === 0,
    checked: { orders, cases, sales, entries, statements, payouts, undone: undoneIn(histories), undoneByPartner },
    differences,
    leftOut,
  }
}

/** By order or case. */
type Histories = Map<string, SaleHistory>

async function readHistories(world: World, extent: Extent, findings: Findings): Promise<Histories> {
  const histories: Histories = new Map()
  const asOrders = { lastEvent: extent.events, payableFrom: world.gaps['payable-from'] }
  for await (const stretch of stretches(world, extent.orders)) {
    for (const history of orderHistories(orderRows(world.db, stretch), asOrders, findings)) {
      histories.set(history.id, history)
    }
  }
  for await (const stretch of stretches(world, extent.cases)) {
    for (const row of dealRows(world.db, stretch)) {
      const history = dealHistory(row, extent.events, findings)
      if (history) histories.set(history.id, history)
    }
  }
  return histories
}

function undoneIn(histories: Histories): number {
  return [...histories.values()].filter(({ undoneAt }) => undoneAt !== null).length
}

/** A refund gives back the whole price of an order that is undone since, and that says which refund it was. */
async function checkRefunds(world: World, extent: Extent, histories: Histories, findings: Findings): Promise<number> {
  const missing = new Map<string, SaleHistory>()
  for (const history of histories.values()) if (history.refundId !== null) missing.set(history.refundId, history)
  let count = 0
  for await (const stretch of stretches(world, extent.refunds)) {
    for (const { refundId, publicId, amountCents } of refundRows(world.db, stretch)) {
      count++
      const history = histories.get(publicId)
      findings.cents('refund.amount', refundId, history?.priceCents ?? 0, amountCents)
      findings.facts('refund.undone_orders', refundId, 1, history && history.undoneAt !== null ? 1 : 0)
      if (missing.get(refundId)?.id === publicId) missing.delete(refundId)
    }
  }
  for (const [refundId, { priceCents }] of missing) findings.cents('refund.missing', refundId, priceCents, 0)
  return count
}

/**
 * Compares each sale's lines with its history.
 *
 * @returns what each partner must be owed.
 */
async function checkSales(
  world: World,
  extent: Extent,
  { histories, expected, findings }: { histories: Histories; expected: Expectations; findings: Findings },
): Promise<Map<string, number>> {
  const balances = new Map<string, number>()
  const missing = new Set(histories.keys())
  for await (const stretch of stretches(world, extent.sales)) {
    for (const row of bookedRows(world.db, { ...stretch, lastEntry: extent.entries })) {
      const history = histories.get(row.soldId)
      missing.delete(row.soldId)
      if (history) checkSale(row, history, expected, findings)
      else findings.cents('sale.without_history', row.soldId, 0, row.grossCents)
    }
  }
  for (const history of histories.values()) {
    if (missing.has(history.id)) findings.cents('sale.missing', history.id, history.priceCents, 0)
    const { dueCents } = expected.of(history)
    balances.set(history.partnerId, (balances.get(history.partnerId) ?? 0) + dueCents)
  }
  return balances
}

const SUMS = ['gross', 'commission', 'due', 'payable', 'unsettled'] as const

function checkSale(row: BookedRow, history: SaleHistory, expected: Expectations, findings: Findings): void {
  const wanted = expected.of(history)
  for (const sum of SUMS) findings.cents(`sale.${sum}`, row.soldId, wanted[`${sum}Cents`], row[`${sum}Cents`])
  findings.facts('sale.rate', row.soldId, history.rateBasisPoints ?? row.rateBasisPoints, row.rateBasisPoints)
  const atRateCents = commissionOf(row.rateBasisPoints, history.priceCents)
  findings.cents('sale.commission_at_rate', row.soldId, atRateCents, history.commissionCents)
  findings.cents('sale.kept_gross', row.soldId, row.linesGrossCents, row.keptGrossCents)
  findings.cents('sale.kept_commission', row.soldId, row.linesCommissionCents, row.keptCommissionCents)
  findings.facts('sale.entries', row.soldId, wanted.entries, row.entries)
  findings.facts('sale.partner', row.soldId, history.partnerId, row.partnerId)
  findings.facts('sale.entries_of_others', row.soldId, 0, row.strangers)
  findings.facts('sale.payment_model', row.soldId, history.paymentModel, row.paymentModel)
}

/**
 * Follows each partner's running balance line by line, to the balance that its history asks for.
 *
 * @returns what the lines of each payout come to.
 */
async function checkLines(
  world: World,
  extent: Extent,
  { balances, findings }: { balances: ReadonlyMap<string, number>; findings: Findings },
): Promise<Map<number, number>> {
  const running = new Map<string, number>()
  const paidCents = new Map<number, number>()
  for await (const stretch of stretches(world, extent.entries)) {
    for (const line of lineRows(world.db, stretch)) {
      const { entryId, partnerId, dueCents, balanceCents, payoutSeq } = line
      findings.cents('entry.balance', entryId, (running.get(partnerId) ?? 0) + dueCents, balanceCents)
      running.set(partnerId, balanceCents)
      if (payoutSeq !== null) paidCents.set(payoutSeq, (paidCents.get(payoutSeq) ?? 0) - dueCents)
    }
  }
  for (const partnerId of new Set([...balances.keys(), ...running.keys()])) {
    findings.cents('partner.balance', partnerId, balances.get(partnerId) ?? 0, running.get(partnerId) ?? 0)
  }
  return paidCents
}

function checkPayouts(
  world: World,
  extent: Extent,
  {
    expected,
    paidCents,
    findings,
  }: { expected: Expectations; paidCents: ReadonlyMap<number, number>; findings: Findings },
): number {
  const key = (payout: { runSeq: number; partnerId: string; kind: string }) =>
    `${payout.runSeq} ${payout.partnerId} ${payout.kind}`
  const wanted = new Map(expected.payouts.map((payout) => [key(payout), payout.amountCents]))
  const found = payoutRows(world.db, extent.payoutRuns)
  for (const payout of found) {
    findings.cents('payout.amount', payout.payoutId, wanted.get(key(payout)) ?? 0, payout.amountCents)
    findings.cents('payout.lines', payout.payoutId, payout.amountCents, paidCents.get(payout.seq) ?? 0)
    wanted.delete(key(payout))
  }
  for (const [name, amountCents] of wanted) findings.cents('payout.missing', name, amountCents, 0)
  return found.length
}

/** Compares each statement, as its partner reads it, with the orders that its run settled. */
async function checkStatements(
  world: World,
  extent: Extent,
  expected: Expectations,
  findings: Findings,
): Promise<number> {
  const missing = new Map(expected.statements)
  const partners = partnersOf(world.db)
  let count = 0
  for await (const { afterSeq, toSeq } of stretches(world, extent.settlementRuns, 1)) {
    for (let runSeq = afterSeq + 1; runSeq <= toSeq; runSeq++) {
      const left = new Set(partners)
      for (const statement of statementsOfRun(world, runSeq)) {
        left.delete(statement.partnerId)
        const key = statementKey(runSeq, statement.partnerId)
        checkStatement(statement, expected.statements.get(key), findings)
        missing.delete(key)
        count++
      }
      for (const partnerId of left) findings.facts('statement.of_partner', statementKey(runSeq, partnerId), 1, 0)
    }
  }
  for (const [key, { grossCents }] of missing) findings.cents('statement.missing', key, grossCents, 0)
  return count
}

function checkStatement(found: Statement, wanted: ExpectedStatement | undefined, findings: Findings): void {
  const { statementId: id, publicIds } = found
  const { grossCents = 0, commissionCents = 0, adjustmentCents = 0 } = wanted ?? {}
  findings.cents('statement.gross_sold', id, grossCents, found.grossSoldCents)
  findings.cents('statement.commission_retained', id, commissionCents, found.commissionRetainedCents)
  findings.cents('statement.amount_owed', id, grossCents - commissionCents, found.amountOwedCents)
  findings.cents('statement.adjustment', id, adjustmentCents, found.adjustmentCents)
  const orders = wanted?.publicIds ?? new Set()
  findings.facts('statement.orders', id, orders.size, publicIds.length)
  for (const publicId of publicIds) findings.facts(`statement.order ${publicId}`, id, orders.has(publicId) ? 1 : 0, 1)
}

/**
 * The rows up to the last one, in stretches, with a turn of the event loop before each.
 *
 * @throws ApiError conflict where the world is reset or deleted meanwhile.
 */
async function* stretches(world: World, lastSeq: number, size = ROWS_AT_ONCE): AsyncGenerator<Stretch> {
  const pageKey = world.pageKey()
  for (let afterSeq = 0; afterSeq < lastSeq; afterSeq += size) {
    await new Promise((resolve) => setImmediate(resolve))
    // A reset or a restore has a new key, and takes away what is being read; a world that rests only opens anew.
    if (!world.db.open || world.pageKey() !== pageKey) {
      throw new ApiError('conflict', 'the world was reset or deleted while it was being audited')
    }
    yield { afterSeq, toSeq: Math.min(afterSeq + size, lastSeq) }
  }
}
