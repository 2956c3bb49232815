import type { PaymentModel } from '../../contract/payment-models.ts'
import { type Db, nextSequence } from '../../storage/db.ts'
import { conditionsOf, storedRows, windowOn } from '../../storage/rows.ts'
import { lastEventSeq } from '../events/events.ts'
import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { type DateWindow, type Page, type Paging, readPage } from '../kernel/paging.ts'
import { type TaskSource, waitingRows } from '../kernel/scheduler.ts'
import type { Credential, World } from '../kernel/world.ts'
import { book } from '../ledger/ledger.ts'
import { endBatch, type OpenRun, openRun, type Run, type RunFacts, runById } from './store.ts'

export type PayoutKind = 'commission' | 'brokerage'

export interface Payout {
  seq: number
  payoutId: string
  partnerId: string
  kind: PayoutKind
  amountCents: number
  currency: string
  paidAtMs: number
}

export interface PayoutRun extends RunFacts {
  payouts: Payout[]
}

const RUNS = storedRows<Run>()('payout_runs', ['seq', 'runId', 'ranAtMs', 'eventSeq', 'doneTo'])

const PAYOUTS = storedRows<Payout & { runSeq: number }>()('payouts', [
  'seq',
  'payoutId',
  'runSeq',
  'partnerId',
  'kind',
  'amountCents',
  'currency',
  'paidAtMs',
])

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
  RUNS.insert(world.db, { ...run, eventSeq: lastEventSeq(world) })
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
  ...waitingRows({
    kind: 'payout.run',
    from: 'FROM payout_runs WHERE seq = (SELECT max(seq) FROM payout_runs) AND done_to IS NOT NULL',
    id: 'run_id',
    at: 'ran_at',
    order: 'seq',
  }),
  run(world) {
    const run = openRun(world.db, 'payout_runs')
    if (run) payBatch(world, run)
    return []
  },
}

function payBatch(world: World, run: OpenRun): void {
  const { db } = world
  const payouts = new Map(payoutsOfRun(db, run.seq).map(({ seq, partnerId, kind }) => [`${partnerId} ${kind}`, seq]))
  const sales = db.statement<Payable>(`${PAYABLE} ORDER BY saleSeq LIMIT ?`).all(run.doneTo, SALES_A_BATCH)
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

/** What may be paid for a sale now; negative where more was paid than it turned out to be worth. */
interface Payable {
  saleSeq: number
  partnerId: string
  paymentModel: PaymentModel
  cents: number
}

const PAYABLE = `SELECT sale_seq AS saleSeq, sales.partner_id AS partnerId, payment_model AS paymentModel,
    sum(payable_cents) AS cents
  FROM ledger_entries JOIN sales ON sales.seq = sale_seq
  WHERE payable_cents <> 0 AND sale_seq > ?
  GROUP BY sale_seq HAVING sum(payable_cents) <> 0`

/** What may be paid to each partner for its sales of each model, in the order of the first of these sales. */
function payableSums(db: Db): Omit<Payable, 'saleSeq'>[] {
  const sql = `SELECT partnerId, paymentModel, sum(cents) AS cents FROM (${PAYABLE})
    GROUP BY partnerId, paymentModel ORDER BY min(saleSeq)`
  return db.statement<Omit<Payable, 'saleSeq'>>(sql).all(0)
}

/** A payout run of the past, with what its payouts came to. */
interface PayoutRunRow extends RunFacts {
  payouts: number
  paidCents: number
}

const PAGE_OF_RUNS = `SELECT seq, run_id AS runId, ran_at AS ranAtMs,
    (SELECT count(*) FROM payouts WHERE run_seq = payout_runs.seq) AS payouts,
    (SELECT coalesce(sum(amount_cents), 0) FROM payouts WHERE run_seq = payout_runs.seq) AS paidCents
  FROM payout_runs WHERE seq < @beforeSeq ORDER BY seq DESC LIMIT @limit`

/** A page of the runs that have been made, newest first. */
export function listPayoutRuns({ db }: World, paging: Paging): Page<PayoutRunRow> {
  return readPage(
    paging,
    (runId) => runById(db, 'payout_runs', runId),
    (page) => db.statement<PayoutRunRow>(PAGE_OF_RUNS).all(page),
  )
}

export function findPayoutRun({ db }: World, runId: string): PayoutRun | null {
  const run = runById(db, 'payout_runs', runId)
  return run && { ...run, payouts: payoutsOfRun(db, run.seq) }
}

function payoutsOfRun(db: Db, runSeq: number): Payout[] {
  return PAYOUTS.where(db, 'run_seq = ? ORDER BY seq').all(runSeq)
}

const paid = conditionsOf<DateWindow & { partnerId: string; beforeSeq?: number }>(
  'seq < @beforeSeq',
  'partner_id = @partnerId',
  ...windowOn('paid_at'),
)

/** A page of payouts to a partner, newest first, with what all come to that fit the filter, on this page or not (PAY-01, RPT-04). */
export function listPayouts({ db }: World, { partnerId }: Credential, window: DateWindow & Paging) {
  const all = { ...window, partnerId }
  const page = readPage(
    all,
    (payoutId) => PAYOUTS.where(db, 'payout_id = ?').get(payoutId) ?? null,
    (part) => {
      const filter = { ...all, ...part }
      return PAYOUTS.where(db, `${paid(filter)} ORDER BY seq DESC LIMIT @limit`).all(filter)
    },
  )
  const sum = `SELECT coalesce(sum(amount_cents), 0) FROM payouts WHERE ${paid(all)}`
  return { ...page, totalPaidCents: db.statement<number>(sum).pluck().get(all) as number }
}
