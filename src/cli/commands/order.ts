import type { Command } from 'commander'
import { OPERATOR_STEPS, ORDER_STATES, ORDER_STEPS, type OrderStepName } from '../../contract/order-states.ts'
import { choiceOption } from '../choice-option.ts'
import { addSubcommand, queryOf } from '../operator/operator-command.ts'
import { takeStep } from '../operator/refused-step.ts'
import type { Session } from '../operator/session.ts'
import { integerBetween } from '../option-parsers.ts'
import { moreLine } from '../output/more-line.ts'
import { rowsOf } from '../output/records.ts'
import { money, table } from '../output/table.ts'
import { withTimeline } from '../output/timeline.ts'

interface ListOptions {
  status?: string
  domain?: string
  partner?: string
  limit?: number
  cursor?: string
}

export function configure(command: Command, session: Session): void {
  addSubcommand<ListOptions>(command, session, {
    usage: 'list',
    summary: 'the orders of all partners, newest first',
    options: (list) =>
      list
        .addOption(choiceOption('--status <state>', 'only those in this state', ORDER_STATES))
        .option('--domain <name>', 'only those for this domain')
        .option('--partner <id>', 'only those of this partner (ptr_...)')
        .option('--limit <n>', 'how many', integerBetween(1, 100))
        .option('--cursor <id>', 'go on from here'),
    run: async (context, _args, { status, domain, partner, limit, cursor }) => {
      context.show(
        await context.askWorld(
          'GET',
          `/orders${queryOf({ status, domain, partner_id: partner, limit: limit?.toString(), cursor })}`,
        ),
        listText,
      )
    },
  })
  addSubcommand(command, session, {
    usage: 'show <id>',
    summary: 'one order with its timeline and the steps it allows',
    run: async (context, [id = '']) => context.show(await context.askWorld('GET', orderPath(id)), withTimeline),
  })
  for (const step of OPERATOR_STEPS) addStep(command, session, step)
}

/** Every step of the contract's table that an operator takes is a subcommand. */
function addStep(command: Command, session: Session, step: OrderStepName): void {
  addSubcommand<{ reason?: string }>(command, session, {
    usage: `${step} <id>`,
    summary: `${ORDER_STEPS[step].from.join(' or ')} -> ${ORDER_STEPS[step].to}`,
    options: (taken) => taken.option('--reason <text>', 'kept in the timeline'),
    run: async (context, [id = ''], { reason }) => {
      const body = reason === undefined ? {} : { reason }
      context.show(
        await takeStep(context, { path: orderPath(id), name: step, subject: `order ${id}` }, body),
        withTimeline,
      )
    },
  })
}

function orderPath(id: string): string {
  return `/orders/${encodeURIComponent(id)}`
}

function listText(answer: unknown): string {
  const orders = rowsOf(answer, 'orders')
  if (orders.length === 0) return 'no orders\n'
  return (
    table(orders, [
      { heading: 'ORDER', cell: (row) => row['public_id'] },
      { heading: 'STATUS', cell: (row) => row['status'] },
      { heading: 'DOMAIN', cell: (row) => row['domain'] },
      { heading: 'PRICE', cell: (row) => money(row['sale_price_cents'], row['currency']), align: 'right' },
      { heading: 'PARTNER', cell: (row) => row['partner_id'] },
      { heading: 'CREATED', cell: (row) => row['created_at'] },
    ]) + moreLine(answer)
  )
}
