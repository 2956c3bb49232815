import type { Steps } from '../../contract/steps.ts'
import { nextSequence } from '../../storage/database.ts'
import { lastEventSeq } from '../events/events.ts'
import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { type DateWindow, type Page, type Paging, readPage } from '../kernel/paging.ts'
import type { Credential, World } from '../kernel/world.ts'
import { book } from '../ledger/ledger.ts'
import {
  PAYOUT_RUNS,
  PAYOUTS,
  type Payable,
  type PayoutRunRow,
  payables,
  payoutById,
  payoutRunsBefore,
  payoutsOfRun,
  payoutsWhere,
  type Run,
  runById,
  totalPaid,
} from './store.ts'
import type { Payout, PayoutKind } from './types.ts'

/** One paying of all partners. */
export interface PayoutRun extends Omit<Run, 'eventSeq'> {
  payouts: Payout[]
}

/**
 * Pays each partner what is payable: one payout of commission and one of brokerage cuts (PAY-01). What was paid for sales that
 * were undone since is taken off; if that is more than there is to pay, the rest is left to the next run.
 */
export function* runPayouts(world: World): Steps<PayoutRun> {
  const seq = nextSequence(world.db, 'payout_runs')
  const run = { seq, runId: world.chance.id('payoutRun', seq), ranAtMs: world.clock.nowMs() }
  PAYOUT_RUNS.insert(world.db, { ...run, eventSeq: lastEventSeq(world) })
  const groups = new Map<string, Payable[]>()
  for (const payable of payables(world.db)) {
    const name = `${payable.partnerId} ${kindOf(payable)}`
    const group = groups.get(name)
    if (group) group.push(payable)
    else groups.set(name, [payable])
    yield
  }
  const payouts: Payout[] = []
  for (const group of groups.values()) payouts.push(...(yield* pay(world, run, group)))
  return { ...run, payouts }
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
  const found = runById(db, 'payout_runs', runId)
  const [row] = found ? payoutRunsBefore(db, { beforeSeq: found.seq + 1, limit: 1 }) : []
  return row ? { seq: row.seq, runId: row.runId, ranAtMs: row.ranAtMs, payouts: payoutsOfRun(db, row.seq) } : null
}

function kindOf({ paymentModel }: Payable): PayoutKind {
  return paymentModel === 'brokerage' ? 'brokerage' : 'commission'
}

/** Pays a group of sales of one partner and kind, if they come to anything. */
function* pay(world: World, run: { seq: number; ranAtMs: number }, group: readonly Payable[]): Steps<Payout[]> {
  const [first] = group
  const amountCents = group.reduce((sum, { cents }) => sum + cents, 0)
  if (!first || amountCents <= 0) return []
  const seq = nextSequence(world.db, 'payouts')
  const payout: Payout = {
    seq,
    payoutId: world.chance.id('payout', seq),
    partnerId: first.partnerId,
    kind: kindOf(first),
    amountCents,
    currency: LISTING_CURRENCY,
    paidAtMs: run.ranAtMs,
  }
  PAYOUTS.insert(world.db, { ...payout, runSeq: run.seq })
  for (const { saleSeq, partnerId, cents } of group) {
    // Negative if it takes back what had been paid for an undone sale.
    const line = { kind: 'paid_out', dueCents: -cents, payableCents: -cents, payoutSeq: seq } as const
    book(world, { seq: saleSeq, partnerId }, line)
    yield
  }
  return [payout]
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
