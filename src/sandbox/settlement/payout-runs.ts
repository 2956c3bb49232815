import type { PaymentModel } from '../../contract/payment-models.ts'
import { nextSequence } from '../../storage/db.ts'
import { lastEventSeq } from '../events/events.ts'
import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { type DateWindow, type Page, type Paging, readPage } from '../kernel/paging.ts'
import type { TaskSource } from '../kernel/scheduled-task.ts'
import type { Credential, World } from '../kernel/world.ts'
import { book } from '../ledger/ledger.ts'
import {
  endBatch,
  openRun,
  PAYOUT_RUNS,
  PAYOUTS,
  type PayoutRunRow,
  payableSums,
  payables,
  payoutById,
  payoutRunsBefore,
  payoutsOfRun,
  payoutsWhere,
  type RunFacts,
  runById,
  totalPaid,
} from './store.ts'
import type { Payout, PayoutKind } from './types.ts'

/** One paying of all partners. */
export interface PayoutRun extends RunFacts {
  payouts: Payout[]
}

/** Few milliseconds' worth. */
const SALES_A_BATCH = 100

/**
 * Begins to pay each partner what is payable: one payout of commission and one of brokerage cuts (PAY-01). What was paid for sales
 * that were undone since is taken off; if that is more than there is to pay, the rest is left to the next run. Its first batch is
 * paid at once; those that follow are overdue tasks (see {@link payoutBatches}).
 *
 * @returns the id of the run.
 */
export function startPayouts(world: World): string {
  const seq = nextSequence(world.db, 'payout_runs')
  const run = { seq, runId: world.chance.id('payoutRun', seq), ranAtMs: world.clock.nowMs(), doneTo: 0 }
  PAYOUT_RUNS.insert(world.db, { ...run, eventSeq: lastEventSeq(world) })
  const sums = new Map<string, Pick<Payout, 'partnerId' | 'kind' | 'amountCents'>>()
  for (const { partnerId, paymentModel, cents } of payableSums(world.db)) {
    const kind = kindOf(paymentModel)
    const before = sums.get(`${partnerId} ${kind}`)?.amountCents ?? 0
    sums.set(`${partnerId} ${kind}`, { partnerId, kind, amountCents: before + cents })
  }
  for (const sum of sums.values()) if (sum.amountCents > 0) insertPayout(world, run, sum)
  payBatch(world, run)
  return run.runId
}

/** The batches of a run that follow its first one. They are due until the run is complete, so no call sees a part of it. */
export const payoutBatches: TaskSource = {
  kind: 'payout.run',
  peek({ db }) {
    const run = openRun(db, 'payout_runs')
    return run && { atMs: run.ranAtMs, id: run.runId }
  },
  run(world) {
    const run = openRun(world.db, 'payout_runs')
    if (run) payBatch(world, run)
    return []
  },
  count: ({ db }) => (openRun(db, 'payout_runs') ? 1 : 0),
}

function payBatch(world: World, run: RunFacts & { doneTo: number }): void {
  const { db } = world
  const payouts = new Map(payoutsOfRun(db, run.seq).map(({ seq, partnerId, kind }) => [`${partnerId} ${kind}`, seq]))
  const sales = payables(db, { afterSeq: run.doneTo, limit: SALES_A_BATCH })
  for (const { saleSeq, partnerId, paymentModel, cents } of sales) {
    const payoutSeq = payouts.get(`${partnerId} ${kindOf(paymentModel)}`)
    if (payoutSeq === undefined) continue
    // Negative if it takes back what had been paid for an undone sale.
    book(world, { seq: saleSeq, partnerId }, { kind: 'paid_out', dueCents: -cents, payableCents: -cents, payoutSeq })
  }
  endBatch(db, 'payout_runs', run, sales.length < SALES_A_BATCH ? null : (sales.at(-1)?.saleSeq ?? null))
}

function insertPayout(world: World, run: RunFacts, sum: Pick<Payout, 'partnerId' | 'kind' | 'amountCents'>): void {
  const seq = nextSequence(world.db, 'payouts')
  PAYOUTS.insert(world.db, {
    ...sum,
    seq,
    payoutId: world.chance.id('payout', seq),
    currency: LISTING_CURRENCY,
    paidAtMs: run.ranAtMs,
    runSeq: run.seq,
  })
}

function kindOf(paymentModel: PaymentModel): PayoutKind {
  return paymentModel === 'brokerage' ? 'brokerage' : 'commission'
}

/** A page of the runs that have been made, newest first. */
export function listPayoutRuns({ db }: World, paging: Paging): Page<PayoutRunRow> {
  return readPage(
    paging,
    (runId) => runById(db, 'payout_runs', runId),
    (page) => payoutRunsBefore(db, page),
  )
}

/** A run that has been made; null if there is none of that id. */
export function findPayoutRun({ db }: World, runId: string): PayoutRun | null {
  const run = runById(db, 'payout_runs', runId)
  return run && { ...run, payouts: payoutsOfRun(db, run.seq) }
}

/** A page of payouts, with what all of them come to that fit the filter, on this page or not (PAY-01, RPT-04). */
interface PayoutPage extends Page<Payout> {
  totalPaidCents: number
}

/** A page of what was paid to a partner, newest first. */
export function listPayouts(world: World, caller: Credential, filter: DateWindow & Paging): PayoutPage {
  const { partnerId } = caller
  const page = readPage(
    { ...filter, partnerId },
    (payoutId) => payoutById(world.db, payoutId),
    (part) => payoutsWhere(world.db, { ...filter, partnerId, ...part }),
  )
  return { ...page, totalPaidCents: totalPaid(world.db, { ...filter, partnerId }) }
}
