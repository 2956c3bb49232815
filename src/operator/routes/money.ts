import { formatInstant } from '../../clock/instant.ts'
import type { Environment } from '../../sandbox/app/environment.ts'
import { LISTING_CURRENCY } from '../../sandbox/inventory/draw-listing.ts'
import { type AuditResult, audit, type Difference } from '../../sandbox/reports/audit.ts'
import { type CommissionLine, listCommissions, presentCommissionLine } from '../../sandbox/reports/reports.ts'
import { orderFacts } from '../../sandbox/sales/order-steps.ts'
import type { Order } from '../../sandbox/sales/types.ts'
import { findPayoutRun, listPayoutRuns, type PayoutRun, startPayouts } from '../../sandbox/settlement/payout-runs.ts'
import { presentPayout, presentStatement } from '../../sandbox/settlement/present.ts'
import {
  findSettlementRun,
  listSettlementRuns,
  type SettlementRun,
  startSettlement,
} from '../../sandbox/settlement/settlement-runs.ts'
import type { Statement } from '../../sandbox/settlement/statements.ts'
import { nextCursor, pagingOf } from '../../sandbox/wire/list-query.ts'
import { partnersOf } from '../../sandbox/worlds/manage-credentials.ts'
import { storageFailure } from '../../sandbox/worlds/worlds.ts'
import { problem, required } from '../problems.ts'
import { created, type HandlersOf, ok, okPage } from '../route.ts'

export const moneyHandlers: HandlersOf<'settlementRuns' | 'payoutRuns' | 'ledger' | 'audit'> = {
  'settlementRuns.list'({ world, query }) {
    const page = listSettlementRuns(world, pagingOf(query))
    const present = (row: (typeof page.rows)[number]) => ({
      run_id: row.runId,
      ran_at: formatInstant(row.ranAtMs),
      settled_count: row.orders,
      statement_count: row.statements,
      amount_owed_cents: row.owedCents,
      adjustment_cents: row.adjustmentCents,
      currency: LISTING_CURRENCY,
    })
    return okPage('settlement_runs', page, present, ({ runId }) => runId)
  },
  async 'settlementRuns.create'({ world }) {
    // A run of one batch is read in its own transaction, so that an error means that nothing was settled.
    const { runId, shown } = world.commits.commitNow(() => {
      const begun = startSettlement(world)
      return { runId: begun, shown: completeRun(world, begun) }
    })
    try {
      // The work of a longer one comes right after its other batches, in the transaction of the last.
      return created(shown ?? (await world.commits.perform(AFTER_THE_RUN, () => requiredRun(world, runId))))
    } catch (error) {
      const [why] = storageFailure(error)?.split(';') ?? []
      // Its first batch is committed, so who tried again would make another run.
      throw why === undefined ? error : problem('run-interrupted', { run: runId, why }, { members: { run_id: runId } })
    }
  },
  'settlementRuns.show': ({ world, params, query }) =>
    ok(presentSettlement(required(findSettlementRun(world, params.run_id, pagingOf(query)), 'no-settlement-run'))),
  'payoutRuns.list'({ world, query }) {
    const page = listPayoutRuns(world, pagingOf(query))
    const present = (row: (typeof page.rows)[number]) => ({
      run_id: row.runId,
      ran_at: formatInstant(row.ranAtMs),
      payout_count: row.payouts,
      paid_cents: row.paidCents,
      currency: LISTING_CURRENCY,
    })
    return okPage('payout_runs', page, present, ({ runId }) => runId)
  },
  'payoutRuns.create': ({ world }) =>
    // The first transaction of a run makes its payouts; those that follow only book sales.
    created(
      world.commits.commitNow(() =>
        presentPayouts(required(findPayoutRun(world, startPayouts(world)), 'no-payout-run')),
      ),
    ),
  'payoutRuns.show': ({ world, params }) =>
    ok(presentPayouts(required(findPayoutRun(world, params.run_id), 'no-payout-run'))),
  'ledger.list'({ world, query }) {
    const page = listCommissions(world, { partnerId: query.partner_id }, pagingOf(query))
    const partners = partnersOf(world)
    // The lines of a partner without credentials are still there to read.
    if (page.rows.length === 0 && !partners.includes(query.partner_id))
      throw problem('unknown-partner', { partner: query.partner_id, partners: partners.join(', ') })
    const { status, body } = okPage(
      'entries',
      page,
      (line: CommissionLine) => presentCommissionLine(world, line),
      ({ seq }) => world.chance.id('ledgerEntry', seq),
    )
    return { status, body: { ...body, balance_cents: page.balanceCents, currency: page.currency } }
  },
  'audit.show': async ({ world }) => ok(presentAudit(await audit(world))),
}

const FIRST_PAGE = pagingOf({})
/** The sync of the last batch is that of all before it. */
const AFTER_THE_RUN = { durability: 'power-loss', isRead: true } as const

/** What a run came to; null while batches of it are still to come. */
function completeRun(world: Environment, runId: string) {
  const run = findSettlementRun(world, runId, FIRST_PAGE)
  return run?.isComplete ? presentSettlement(run) : null
}

/** @throws Problem where the world was reset, restored or deleted before the run was complete. */
function requiredRun(world: Environment, runId: string) {
  const shown = completeRun(world, runId)
  if (!shown) throw problem('world-replaced-meanwhile')
  return shown
}

function presentSettlement(run: SettlementRun) {
  return {
    run_id: run.runId,
    ran_at: formatInstant(run.ranAtMs),
    settled_count: run.settledCount,
    settled: run.settled.rows.map(presentSettled),
    settled_next_cursor: nextCursor(run.settled, ({ publicId }) => publicId),
    statements: run.statements.map(presentStatementForOperator),
  }
}

function presentSettled(order: Order) {
  return {
    ...orderFacts(order),
    partner_id: order.partnerId,
    commission_cents: order.commissionCents,
    amount_owed_cents: order.salePriceCents - order.commissionCents,
  }
}

/** A statement as its partner sees it, and whose it is; its orders are counted. */
function presentStatementForOperator(statement: Statement) {
  const { statement_id, ...facts } = presentStatement(statement)
  return { statement_id, partner_id: statement.partnerId, ...facts, order_count: statement.orderCount }
}

function presentPayouts({ runId, ranAtMs, payouts }: PayoutRun) {
  const presented = payouts.map((payout) => {
    const { payout_id, ...facts } = presentPayout(payout)
    return { payout_id, partner_id: payout.partnerId, ...facts }
  })
  return { run_id: runId, ran_at: formatInstant(ranAtMs), payouts: presented }
}

function presentAudit({ balanced, checked, differences, leftOut }: AuditResult) {
  const { undoneByPartner, ...rest } = checked
  return {
    balanced,
    checked: { ...rest, undone_by_partner: undoneByPartner },
    differences: differences.map(presentDifference),
    differences_left_out: leftOut,
  }
}

function presentDifference(difference: Difference) {
  const { what, id } = difference
  return 'expectedCents' in difference
    ? { what, id, expected_cents: difference.expectedCents, found_cents: difference.foundCents }
    : { what, id, expected: difference.expected, found: difference.found }
}
