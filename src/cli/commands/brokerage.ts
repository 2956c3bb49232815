import type { Command } from 'commander'
import { CASE_STATES, CASE_STEP_NAMES, CASE_STEPS, type CaseStepName } from '../../contract/case-states.ts'
import { choiceOption } from '../choice-option.ts'
import { addSubcommand, queryOf } from '../operator/operator-command.ts'
import { takeStep } from '../operator/refused-step.ts'
import type { Session } from '../operator/session.ts'
import { cents, instantText, pageLimit } from '../option-parsers.ts'
import { column, moneyColumn } from '../output/columns.ts'
import { moreLine } from '../output/more-line.ts'
import { rowsOf } from '../output/records.ts'
import { table } from '../output/table.ts'
import { withTimeline } from '../output/timeline.ts'

interface ListOptions {
  status?: string
  domain?: string
  partner?: string
  from?: string
  to?: string
  limit?: number
  cursor?: string
}

export function configure(command: Command, session: Session): void {
  addSubcommand<ListOptions>(command, session, {
    usage: 'list',
    summary: 'the brokerage cases of all partners, newest first',
    options: listOptions,
    run: async (context, _args, { status, domain, partner, from, to, limit, cursor }) => {
      const query = queryOf({ status, domain, partner_id: partner, from, to, limit: limit?.toString(), cursor })
      context.show(await context.askWorld('GET', `/brokerage${query}`), listText)
    },
  })
  addSubcommand(command, session, {
    usage: 'show <id>',
    summary: 'one case with its timeline and the steps it allows',
    run: async (context, [id = '']) => context.show(await context.askWorld('GET', casePath(id)), withTimeline),
  })
  for (const step of CASE_STEP_NAMES) addStep(command, session, step)
}

function listOptions(list: Command): Command {
  return list
    .addOption(choiceOption('--status <state>', 'only those in this state', CASE_STATES))
    .option('--domain <name>', 'only those for this domain')
    .option('--partner <id>', 'only those of this partner')
    .option('--from <iso>', 'only those opened then or later', instantText)
    .option('--to <iso>', 'only those opened then or earlier', instantText)
    .option('--limit <n>', 'how many', pageLimit)
    .option('--cursor <id>', 'go on from here')
}

/** Every step of the contract's table is a subcommand. */
function addStep(command: Command, session: Session, step: CaseStepName): void {
  addSubcommand<{ priceCents?: number; reason?: string }>(command, session, {
    usage: `${step} <id>`,
    summary: `${CASE_STEPS[step].from.join(' or ')} -> ${CASE_STEPS[step].to}`,
    options: (taken) => stepOptions(taken, step),
    run: async (context, [id = ''], { priceCents, reason }) => {
      const body = {
        ...(priceCents === undefined ? {} : { price_cents: priceCents }),
        ...(reason === undefined ? {} : { reason }),
      }
      context.show(
        await takeStep(context, { path: casePath(id), name: step, subject: `case ${id}` }, body),
        withTimeline,
      )
    },
  })
}

/** Only a deal has a price. */
function stepOptions(command: Command, step: CaseStepName): Command {
  if (step === 'close-deal')
    command.option('--price-cents <n>', 'price of the deal in cents (default: the budget)', cents)
  return command.option('--reason <text>', 'kept in the timeline')
}

function casePath(id: string): string {
  return `/brokerage/${encodeURIComponent(id)}`
}

function listText(answer: unknown): string {
  const cases = rowsOf(answer, 'cases')
  if (cases.length === 0) return 'no cases\n'
  return (
    table(cases, [
      column('CASE', 'case_id'),
      column('STATUS', 'status'),
      column('TIER', 'tier'),
      column('DOMAIN', 'domain'),
      moneyColumn('BUDGET', 'budget'),
      moneyColumn('DEAL', 'deal_price_cents'),
      moneyColumn('CUT', 'partner_cut_cents'),
      column('PARTNER', 'partner_id'),
      column('CREATED', 'created_at'),
    ]) + moreLine(answer)
  )
}
