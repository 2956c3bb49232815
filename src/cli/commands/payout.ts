import type { Command } from 'commander'
import { addSubcommand } from '../operator/operator-command.ts'
import type { Session } from '../operator/session.ts'
import { column, countColumn, moneyColumn } from '../output/columns.ts'
import { isRecord, rowsOf } from '../output/records.ts'
import { fields, table } from '../output/table.ts'
import { addRunList } from '../run-list.ts'

export function configure(command: Command, session: Session): void {
  addSubcommand(command, session, {
    usage: 'run',
    summary: 'pay every partner what is due, and show the payouts',
    run: async (context) => context.show(await context.askWorld('POST', '/payout-runs', {}), runText),
  })
  addRunList(command, session, {
    summary: 'the payout runs so far, newest first',
    path: '/payout-runs',
    name: 'payout_runs',
    none: 'no payout runs',
    columns: RUNS,
  })
  addSubcommand(command, session, {
    usage: 'show <run-id>',
    summary: 'what a run paid to whom',
    run: async (context, [id = '']) =>
      context.show(await context.askWorld('GET', `/payout-runs/${encodeURIComponent(id)}`), runText),
  })
}

const RUNS = [
  column('RUN', 'run_id'),
  column('RAN AT', 'ran_at'),
  countColumn('PAYOUTS', 'payout_count'),
  moneyColumn('PAID', 'paid_cents'),
]

const PAYOUTS = [
  column('PAYOUT', 'payout_id'),
  column('PARTNER', 'partner_id'),
  column('KIND', 'kind'),
  moneyColumn('AMOUNT', 'amount_cents'),
  column('PAID', 'paid_at'),
]

function runText(answer: unknown): string {
  const { run_id, ran_at } = isRecord(answer) ? answer : {}
  const payouts = rowsOf(answer, 'payouts')
  const paid = payouts.length === 0 ? 'nothing was due' : payouts.length
  const facts = fields([
    ['run', run_id],
    ['ran at', ran_at],
    ['payouts', paid],
  ])
  return payouts.length === 0 ? facts : `${facts}\n${table(payouts, PAYOUTS)}`
}
