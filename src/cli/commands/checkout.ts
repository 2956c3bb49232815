import type { Command } from 'commander'
import { choiceOption } from '../choice-option.ts'
import { addSubcommand, queryOf } from '../operator/operator-command.ts'
import { takeStep } from '../operator/refused-step.ts'
import type { Session } from '../operator/session.ts'
import { pageLimit } from '../option-parsers.ts'
import { column, moneyColumn } from '../output/columns.ts'
import { facts } from '../output/facts.ts'
import { moreLine } from '../output/more-line.ts'
import { isRecord, rowsOf } from '../output/records.ts'
import { table } from '../output/table.ts'

interface ListOptions {
  status?: string
  domain?: string
  partner?: string
  limit?: number
  cursor?: string
}

interface BuyerOptions {
  email?: string
  name?: string
  country?: string
}

export function configure(command: Command, session: Session): void {
  addSubcommand<ListOptions>(command, session, {
    usage: 'list',
    summary: 'the hosted checkout sessions of all partners, newest first',
    options: listOptions,
    run: async (context, _args, { status, domain, partner, limit, cursor }) => {
      const query = queryOf({ status, domain, partner_id: partner, limit: limit?.toString(), cursor })
      context.show(await context.askWorld('GET', `/checkout-sessions${query}`), listText)
    },
  })
  addSubcommand(command, session, {
    usage: 'show <id>',
    summary: 'one session with what can be done with it now',
    run: async (context, [id = '']) => context.show(await context.askWorld('GET', sessionPath(id)), sessionText),
  })
  addActions(command, session)
}

const STATES = ['open', 'paying', 'paid', 'cancelled', 'expired']

function listOptions(list: Command): Command {
  return list
    .addOption(choiceOption('--status <state>', 'only those in this state', STATES))
    .option('--domain <name>', 'only those for this domain')
    .option('--partner <id>', 'only those of this partner')
    .option('--limit <n>', 'how many', pageLimit)
    .option('--cursor <id>', 'go on from here')
}

/** What the buyer and the bank do on the page. */
function addActions(command: Command, session: Session): void {
  addAction(command, session, 'pay', 'pay as the buyer; what is not said is as the partner has it, or made up', (pay) =>
    pay
      .option('--email <address>', 'who pays; a tag makes a buyer behave, see "magic"')
      .option('--name <text>', 'name of the buyer')
      .option('--country <code>', 'country of the buyer, e.g. SE'),
  )
  addAction(command, session, 'decline', 'decline a payment as the bank; the session stays open')
  addAction(command, session, 'cancel', 'cancel as the buyer; the session ends')
}

function addAction(
  command: Command,
  session: Session,
  action: 'pay' | 'decline' | 'cancel',
  summary: string,
  options: (command: Command) => Command = (same) => same,
): void {
  addSubcommand<BuyerOptions>(command, session, {
    usage: `${action} <id>`,
    summary,
    options,
    run: async (context, [id = ''], said) => {
      const step = { path: sessionPath(id), name: action, subject: `checkout session ${id}` }
      context.show(await takeStep(context, step, buyerBody(said)), sessionText)
    },
  })
}

function buyerBody({ email, name, country }: BuyerOptions): Readonly<Record<string, unknown>> {
  const buyer = Object.entries({ email, name, country }).filter(([, value]) => value !== undefined)
  return buyer.length === 0 ? {} : { buyer: Object.fromEntries(buyer) }
}

function sessionPath(id: string): string {
  return `/checkout-sessions/${encodeURIComponent(id)}`
}

function listText(answer: unknown): string {
  const sessions = rowsOf(answer, 'checkout_sessions')
  if (sessions.length === 0) return 'no checkout sessions\n'
  return (
    table(sessions, [
      column('SESSION', 'session_id'),
      column('STATUS', 'status'),
      column('DOMAIN', 'domain'),
      moneyColumn('PRICE', 'price_cents'),
      column('ORDER', 'public_id'),
      column('PARTNER', 'partner_id'),
      column('CREATED', 'created_at'),
      column('EXPIRES', 'expires_at'),
    ]) + moreLine(answer)
  )
}

function sessionText(answer: unknown): string {
  return facts(isRecord(answer) ? answer : {})
}
