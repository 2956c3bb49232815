import { nextSequence } from '../../storage/database.ts'
import { lastEventSeq } from '../events/events.ts'
import { LISTING_CURRENCY } from '../inventory/draw-listing.ts'
import { type Page, type Paging, pageOf, startOf } from '../kernel/paging.ts'
import type { World } from '../kernel/world.ts'
import { bookPaidOut } from '../ledger/book-closings.ts'
import {
  insertPayout,
  insertPayoutRun,
  type Payable,
  type PayoutRunRow,
  payables,
  payoutRunSeq,
  payoutRunsBefore,
  payoutsOfRun,
} from './store.ts'
import type { Payout, PayoutKind } from './types.ts'

/** One paying of all partners. */
export interface PayoutRun {
  seq: number
  runId: string
  ranAtMs: number
  payouts: Payout[]
}

/**
 * Pays what is payable: for each partner one payout of commission and one of brokerage cuts, where there is something to
 * pay (PAY-01). What was paid for sales that were undone since is taken off; where that is more than there is to pay,
 * nothing is paid and the rest is left to the next run.
 *
 * @example world.commits.commitNow(() => runPayouts(world)).payouts.map((payout) => payout.amountCents)
 */
export function runPayouts(world: World): PayoutRun {
  const seq = nextSequence(world.db, 'payout_runs')
  const run = { seq, runId: world.chance.id('payoutRun', seq), ranAtMs: world.clock.nowMs() }
  insertPayoutRun(world.db, { ...run, eventSeq: lastEventSeq(world) })
  const payouts = [...byPartnerAndKind(payables(world.db, world.rules.payouts)).values()].flatMap((group) =>
    pay(world, run, group),
  )
  return { ...run, payouts }
}

/**
 * A page of the runs that have been made, newest first.
 *
 * @throws ApiError validation_error for a cursor that is no run of this world.
 */
export function listPayoutRuns({ db }: World, { cursor, limit }: Paging): Page<PayoutRunRow> {
  const beforeSeq = startOf(cursor, (runId) => payoutRunSeq(db, runId))
  return pageOf(payoutRunsBefore(db, beforeSeq, limit + 1), limit)
}

/** A run that has been made; null where there is none of that id. */
export function findPayoutRun({ db }: World, runId: string): PayoutRun | null {
  const seq = payoutRunSeq(db, runId)
  const row = seq === null ? undefined : payoutRunsBefore(db, seq + 1, 1)[0]
  return row ? { seq: row.seq, runId: row.runId, ranAtMs: row.ranAtMs, payouts: payoutsOfRun(db, row.seq) } : null
}

function byPartnerAndKind(found: readonly Payable[]): Map<string, Payable[]> {
  const groups = new Map<string, Payable[]>()
  for (const payable of found) {
    const name = `${payable.partnerId} ${kindOf(payable)}`
    const group = groups.get(name)
    if (group) group.push(payable)
    else groups.set(name, [payable])
  }
  return groups
}

function kindOf({ paymentModel }: Payable): PayoutKind {
  return paymentModel === 'brokerage' ? 'brokerage' : 'commission'
}

/** Pays a group of sales of one partner and kind, if they come to anything. */
function pay(world: World, run: { seq: number; ranAtMs: number }, group: readonly Payable[]): Payout[] {
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
  insertPayout(world.db, payout, run.seq)
  for (const { saleSeq, partnerId, cents } of group) bookPaidOut(world, { seq: saleSeq, partnerId }, cents, seq)
  return [payout]
}
