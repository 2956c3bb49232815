import { ApiError } from '../../../contract/errors.ts'
import type { World } from '../../kernel/world.ts'
import { commissionOf } from '../../ledger/ledger.ts'
import { type Statement, statementsOfRun } from '../../settlement/statements.ts'
import {
  type Expectations,
  type ExpectedStatement,
  expectationsOf,
  noStatement,
  payoutKey,
  statementKey,
} from './expectations.ts'
import { checkSoldOnce, type Difference, dealHistory, Findings, orderHistories, type SaleHistory } from './histories.ts'
import {
  AMOUNTS,
  dealRows,
  type Extent,
  extentOf,
  lineRows,
  orderRows,
  partnersOf,
  payoutRows,
  type ReadRows,
  refundRows,
  runRows,
  type SaleRow,
  saleRows,
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

/**
 * Recomputes, from what happened (orders, cases, their timelines and events, refunds, the moments of runs), what each
 * sale, statement, payout and balance must be, and compares that with what the ledger and the reports say. It looks at what
 * had happened when it began, and calls are served meanwhile.
 */
export async function audit(world: World): Promise<AuditReport> {
  return new Audit(world).report()
}

/** Rows in one turn of the event loop. */
const ROWS_AT_ONCE = 1_000

class Audit {
  readonly #world: World
  readonly #pageKey: ReturnType<World['pageKey']>
  readonly #extent: Extent
  readonly #findings = new Findings()
  /** By order or case. */
  readonly #histories = new Map<string, SaleHistory>()

  constructor(world: World) {
    this.#world = world
    this.#pageKey = world.pageKey()
    this.#extent = world.commits.commitNow(() => extentOf(world.db))
  }

  async report(): Promise<AuditReport> {
    await this.#readHistories()
    checkSoldOnce(this.#histories.values(), this.#findings)
    const { db } = this.#world
    const { orders, cases, sales, entries, settlementRuns, payoutRuns } = this.#extent
    const expected = expectationsOf(this.#histories.values(), {
      settlement: runRows(db, 'settlement_runs', settlementRuns),
      payout: runRows(db, 'payout_runs', payoutRuns),
    })
    const undoneByPartner = await this.#checkRefunds()
    const undone = [...this.#histories.values()].filter(({ undoneAt }) => undoneAt !== null).length
    await this.#checkSales(expected)
    const paidCents = await this.#checkLines(expected)
    const payouts = this.#checkPayouts(expected, paidCents)
    const statements = await this.#checkStatements(expected)
    const { differences, leftOut } = this.#findings
    return {
      balanced: differences.length === 0,
      checked: { orders, cases, sales, entries, statements, payouts, undone, undoneByPartner },
      differences,
      leftOut,
    }
  }

  async #readHistories(): Promise<void> {
    const { events: lastEvent, orders, cases } = this.#extent
    const asOrders = { lastEvent, payableFrom: this.#world.gaps['payable-from'] }
    for await (const rows of this.#stretches(orders, orderRows)) {
      for (const history of orderHistories(rows, asOrders, this.#findings)) this.#histories.set(history.id, history)
    }
    for await (const rows of this.#stretches(cases, dealRows)) {
      for (const row of rows) {
        const history = dealHistory(row, lastEvent, this.#findings)
        if (history) this.#histories.set(history.id, history)
      }
    }
  }

  /** A refund gives back the whole price of an order that is undone since. Returns how many there are. */
  async #checkRefunds(): Promise<number> {
    const missing = new Map<string, SaleHistory>()
    for (const history of this.#histories.values()) {
      if (history.refundId !== null) missing.set(history.refundId, history)
    }
    let count = 0
    for await (const rows of this.#stretches(this.#extent.refunds, refundRows)) {
      count += rows.length
      for (const { refundId, publicId, amountCents } of rows) {
        const history = this.#histories.get(publicId)
        this.#findings.cents('refund.amount', refundId, history?.priceCents ?? 0, amountCents)
        this.#findings.facts('refund.undone_orders', refundId, 1, history && history.undoneAt !== null ? 1 : 0)
        if (missing.get(refundId)?.id === publicId) missing.delete(refundId)
      }
    }
    for (const [refundId, { priceCents }] of missing) this.#findings.cents('refund.missing', refundId, priceCents, 0)
    return count
  }

  /** Compares each sale's lines with its history. */
  async #checkSales(expected: Expectations): Promise<void> {
    const missing = new Set(this.#histories.keys())
    for await (const rows of this.#stretches(this.#extent.sales, saleRows)) {
      for (const row of rows) {
        const history = this.#histories.get(row.soldId)
        missing.delete(row.soldId)
        if (history) this.#checkSale(row, history, expected)
        else this.#findings.cents('sale.without_history', row.soldId, 0, row.grossCents)
      }
    }
    for (const id of missing) this.#findings.cents('sale.missing', id, this.#histories.get(id)?.priceCents ?? 0, 0)
  }

  #checkSale(row: SaleRow, history: SaleHistory, expected: Expectations): void {
    const findings = this.#findings
    const id = row.soldId
    const wanted = expected.of(history)
    for (const sum of AMOUNTS) findings.cents(`sale.${sum}`, id, wanted[`${sum}Cents`], row[`${sum}Cents`])
    findings.facts('sale.rate', id, history.rateBasisPoints ?? row.rateBasisPoints, row.rateBasisPoints)
    const atRateCents = commissionOf(row.rateBasisPoints, history.priceCents)
    findings.cents('sale.commission_at_rate', id, atRateCents, history.commissionCents)
    findings.cents('sale.kept_gross', id, row.linesGrossCents, row.keptGrossCents)
    findings.cents('sale.kept_commission', id, row.linesCommissionCents, row.keptCommissionCents)
    findings.facts('sale.entries', id, wanted.entries, row.entries)
    findings.facts('sale.partner', id, history.partnerId, row.partnerId)
    findings.facts('sale.entries_of_others', id, 0, row.strangers)
    findings.facts('sale.payment_model', id, history.paymentModel, row.paymentModel)
  }

  /** Follows each partner's running balance line by line. Returns what the lines of each payout come to. */
  async #checkLines(expected: Expectations): Promise<Map<number, number>> {
    const running = new Map<string, number>()
    const paidCents = new Map<number, number>()
    for await (const rows of this.#stretches(this.#extent.entries, lineRows)) {
      for (const { seq, partnerId, dueCents, balanceCents, payoutSeq } of rows) {
        const entryId = this.#world.chance.id('ledgerEntry', seq)
        this.#findings.cents('entry.balance', entryId, (running.get(partnerId) ?? 0) + dueCents, balanceCents)
        running.set(partnerId, balanceCents)
        if (payoutSeq !== null) paidCents.set(payoutSeq, (paidCents.get(payoutSeq) ?? 0) - dueCents)
      }
    }
    const owed = this.#owedTo(expected)
    for (const partnerId of new Set([...owed.keys(), ...running.keys()])) {
      this.#findings.cents('partner.balance', partnerId, owed.get(partnerId) ?? 0, running.get(partnerId) ?? 0)
    }
    return paidCents
  }

  /** What each partner must be owed. */
  #owedTo(expected: Expectations): Map<string, number> {
    const owed = new Map<string, number>()
    for (const history of this.#histories.values()) {
      const { dueCents } = expected.of(history)
      owed.set(history.partnerId, (owed.get(history.partnerId) ?? 0) + dueCents)
    }
    return owed
  }

  /** @returns how many payouts there are. */
  #checkPayouts(expected: Expectations, paidCents: ReadonlyMap<number, number>): number {
    const missing = new Map(expected.payouts)
    const found = payoutRows(this.#world.db, this.#extent.payoutRuns)
    for (const { seq, payoutId, runSeq, partnerId, kind, amountCents } of found) {
      const key = payoutKey(runSeq, `${partnerId} ${kind}`)
      this.#findings.cents('payout.amount', payoutId, missing.get(key) ?? 0, amountCents)
      this.#findings.cents('payout.lines', payoutId, amountCents, paidCents.get(seq) ?? 0)
      missing.delete(key)
    }
    for (const [key, amountCents] of missing) this.#findings.cents('payout.missing', key, amountCents, 0)
    return found.length
  }

  /** Compares each statement with the orders that its run settled. Returns how many there are. */
  async #checkStatements(expected: Expectations): Promise<number> {
    const missing = new Map(expected.statements)
    const partners = partnersOf(this.#world.db)
    let count = 0
    for (let runSeq = 1; runSeq <= this.#extent.settlementRuns; runSeq++) {
      await this.#turn()
      const left = new Set(partners)
      for (const statement of await statementsOfRun(this.#world, runSeq)) {
        left.delete(statement.partnerId)
        const key = statementKey(runSeq, statement.partnerId)
        this.#checkStatement(statement, expected.statements.get(key))
        missing.delete(key)
        count++
      }
      for (const partnerId of left) {
        this.#findings.facts('statement.of_partner', statementKey(runSeq, partnerId), 1, 0)
      }
    }
    for (const [key, { grossCents }] of missing) this.#findings.cents('statement.missing', key, grossCents, 0)
    return count
  }
  #checkStatement(found: Statement, wanted: ExpectedStatement = noStatement()): void {
    const findings = this.#findings
    const { statementId: id, publicIds } = found
    const { grossCents, commissionCents, adjustmentCents, publicIds: orders } = wanted
    findings.cents('statement.gross_sold', id, grossCents, found.grossSoldCents)
    findings.cents('statement.commission_retained', id, commissionCents, found.commissionRetainedCents)
    findings.cents('statement.amount_owed', id, grossCents - commissionCents, found.amountOwedCents)
    findings.cents('statement.adjustment', id, adjustmentCents, found.adjustmentCents)
    findings.facts('statement.orders', id, orders.size, publicIds.length)
    for (const publicId of publicIds) findings.facts(`statement.order ${publicId}`, id, orders.has(publicId) ? 1 : 0, 1)
  }

  /** The rows up to the last one, some in each turn of the event loop. */
  async *#stretches<Row>(lastSeq: number, read: ReadRows<Row>): AsyncGenerator<Row[]> {
    for (let afterSeq = 0; afterSeq < lastSeq; afterSeq += ROWS_AT_ONCE) {
      await this.#turn()
      const toSeq = Math.min(afterSeq + ROWS_AT_ONCE, lastSeq)
      yield read(this.#world.db, { afterSeq, toSeq, lastEntry: this.#extent.entries })
    }
  }

  /** Lets calls be served. */
  async #turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    // A reset or a restore has a new key, and takes away what is being read; a world that rests only opens again.
    if (!this.#world.db.open || this.#world.pageKey() !== this.#pageKey) {
      throw new ApiError('conflict', 'the world was reset or deleted while it was being audited')
    }
  }
}
