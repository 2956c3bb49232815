import type { Command } from 'commander'
import {
  isOrderState,
  OPERATOR_STEPS,
  ORDER_STATES,
  ORDER_STEPS,
  type OrderStepName,
  stepsFrom,
} from '../../contract/order-states.ts'
import { isRecord, OperatorRefusal } from '../operator-client.ts'
import { addSubcommand, type OperatorContext, queryOf, rowsOf } from '../operator-command.ts'
import { fields, money, table } from '../output/table.ts'
import { CliError, type Session } from '../session.ts'

export function configure(command: Command, session: Session): void {
  addSubcommand<{ status?: string }>(command, session, {
    usage: 'list',
    summary: 'the orders of all partners, newest first',
    options: (list) => list.option('--status <state>', `only those that are ${ORDER_STATES.join(', ')}`),
    run: async (context, _args, { status }) => {
      if (status !== undefined && !isOrderState(status)) {
        throw new CliError(`--status: there is no ${JSON.stringify(status)}; there are ${ORDER_STATES.join(', ')}`)
      }
      context.show(await context.askWorld('GET', `/orders${queryOf({ status })}`), listText)
    },
  })
  addSubcommand(command, session, {
    usage: 'show <id>',
    summary: 'one order with its timeline and the steps it allows',
    run: async (context, [id = '']) => context.show(await context.askWorld('GET', orderPath(id)), orderText),
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
      context.show(await takeStep(context, id, step, body), orderText)
    },
  })
}

async function takeStep(context: OperatorContext, id: string, step: OrderStepName, body: object): Promise<unknown> {
  try {
    return await context.askWorld('POST', `${orderPath(id)}/${step}`, body)
  } catch (error) {
    if (error instanceof OperatorRefusal && error.status === 409) throw await refusedStep(context, id, step, error)
    throw error
  }
}

/** Says where the order stands and what it allows, asked anew where the refusal itself does not say so. */
async function refusedStep(
  context: OperatorContext,
  id: string,
  step: OrderStepName,
  refusal: OperatorRefusal,
): Promise<CliError> {
  const order = await context.askWorld('GET', orderPath(id))
  const status = isRecord(order) ? String(order['status']) : 'unknown'
  const steps = isOrderState(status) ? stepsFrom(status).join(', ') : ''
  return new CliError(
    `${step} is refused: order ${id} is ${status}; it allows ${steps || 'no step at all'}`,
    refusal.exitCode,
  )
}

function orderPath(id: string): string {
  return `/orders/${encodeURIComponent(id)}`
}

function listText(answer: unknown): string {
  const orders = rowsOf(answer, 'orders')
  if (orders.length === 0) return 'no orders\n'
  const more = isRecord(answer) && typeof answer['next_cursor'] === 'string' ? '(there are more)\n' : ''
  return (
    table(orders, [
      { heading: 'ORDER', cell: (row) => row['public_id'] },
      { heading: 'STATUS', cell: (row) => row['status'] },
      { heading: 'DOMAIN', cell: (row) => row['domain'] },
      { heading: 'PRICE', cell: (row) => money(row['sale_price_cents'], row['currency']), align: 'right' },
      { heading: 'PARTNER', cell: (row) => row['partner_id'] },
      { heading: 'CREATED', cell: (row) => row['created_at'] },
    ]) + more
  )
}

const TIMELINE = ['at', 'status', 'event_id', 'note'] as const

function orderText(answer: unknown): string {
  const order = isRecord(answer) && isRecord(answer['order']) ? answer['order'] : isRecord(answer) ? answer : {}
  const { timeline: _timeline, ...facts } = order
  const status = String(order['status'])
  const steps = isOrderState(status) ? stepsFrom(status) : []
  const columns = TIMELINE.map((name) => ({
    heading: name.toUpperCase().replace('_ID', ''),
    cell: (row: Record<string, unknown>) => row[name],
  }))
  return `${fields([...Object.entries(facts).filter(([name]) => name !== 'steps'), ['steps', steps.length > 0 ? steps : 'none']])}\n${table(rowsOf(order, 'timeline'), columns)}`
}
