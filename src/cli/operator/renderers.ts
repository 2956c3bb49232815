import type { DoneShow, RendererName, Shows } from '../../operator-api/command-row.ts'
import { membersOf, type OutputRow, rowsOf } from '../output/records.ts'
import { type Column, fields, type ListView, listText, moreLine, table } from '../output/table.ts'
import type { Session } from '../session.ts'
import { clockText } from './show/clock.ts'
import { DELIVERIES, deliveryText } from './show/deliveries.ts'
import { DOMAINS, domainText, magicText } from './show/domains.ts'
import { EVENTS } from './show/events.ts'
import { factsText, withTimeline } from './show/facts.ts'
import { FAULTS } from './show/fault.ts'
import { REQUESTS } from './show/requests.ts'
import { createdWorld, resetText, seededText, summaryText, WORLDS, worldText } from './show/worlds.ts'

interface Around {
  readonly session: Session
  readonly options: Readonly<Record<string, unknown>>
  readonly args: readonly string[]
  readonly world: string
}

type Renderer = (answer: unknown, around: Around) => string

/** What rows cannot say: lists with computed cells, and every answer that is not a list. */
const RENDERERS: Readonly<Record<RendererName, ListView | Renderer>> = {
  clock: clockText,
  'created world': createdWorld,
  delivery: deliveryText,
  deliveries: DELIVERIES,
  domain: domainText,
  domains: DOMAINS,
  events: EVENTS,
  facts: factsText,
  faults: FAULTS,
  magic: (answer, around) => magicText(answer, widthOf(around)),
  'payout run': payoutText,
  requests: REQUESTS,
  'reset world': resetText,
  'seeded world': seededText,
  'settlement run': settlementText,
  summary: summaryText,
  timeline: withTimeline,
  world: worldText,
  worlds: WORLDS,
}

/** An answer as its row says. */
export function render(shows: Shows, answer: unknown, around: Around): string {
  const view: ListView | Renderer | DoneShow = typeof shows === 'string' ? RENDERERS[shows] : shows
  if (typeof view === 'function') return view(answer, around)
  if ('list' in view) return listText(answer, view, around.options, widthOf(around))
  const { args, world } = around
  return `${view.done.replace('{world}', world).replace(/\{(\d)\}/g, (_mark, n: string) => args[Number(n)] ?? '')}\n`
}

/** Whether an answer is shown as a table, which may be wider than the terminal. */
export function isTable(shows: Shows): boolean {
  const view = typeof shows === 'string' ? RENDERERS[shows] : shows
  return typeof view === 'object' && 'list' in view
}

function widthOf({ session, options }: Around): number | null {
  return session.outIsTerminal && options['wide'] !== true ? session.columns : null
}

const SETTLED: readonly Column<OutputRow>[] = [
  ['ORDER', 'public_id'],
  ['DOMAIN', 'domain'],
  ['PRICE', 'sale_price_cents', 'money'],
  ['COMMISSION', 'commission_cents', 'money'],
  ['OWED', 'amount_owed_cents', 'money'],
  ['PARTNER', 'partner_id'],
]

const STATEMENTS: readonly Column<OutputRow>[] = [
  ['STATEMENT', 'statement_id'],
  ['PARTNER', 'partner_id'],
  ['SOLD', 'gross_sold_cents', 'money'],
  ['COMMISSION', 'commission_retained_cents', 'money'],
  ['OWED', 'amount_owed_cents', 'money'],
  ['ADJUSTMENT', 'adjustment_cents', 'money'],
  ['ORDERS', 'order_count', 'count'],
  ['FROM', 'period_start'],
  ['TO', 'period_end'],
]

/** What the run settled, and what each partner owes for the period. */
function settlementText(answer: unknown): string {
  const { run_id, ran_at, settled_count, settled_next_cursor } = membersOf(answer)
  const settled = rowsOf(answer, 'settled')
  const statements = rowsOf(answer, 'statements')
  const facts = fields([
    ['run', run_id],
    ['ran at', ran_at],
    ['settled', settled_count === 0 ? 'no orders' : settled_count],
    ['statements', statements.length],
  ])
  const orders = settled.length > 0 && table(settled, SETTLED) + moreLine(settled_next_cursor, `settle show ${run_id} `)
  const tables = [statements.length > 0 && table(statements, STATEMENTS), orders]
  return [facts, ...tables.filter((text) => text !== false)].join('\n')
}

const PAYOUTS: readonly Column<OutputRow>[] = [
  ['PAYOUT', 'payout_id'],
  ['PARTNER', 'partner_id'],
  ['KIND', 'kind'],
  ['AMOUNT', 'amount_cents', 'money'],
  ['PAID', 'paid_at'],
]

function payoutText(answer: unknown): string {
  const { run_id, ran_at } = membersOf(answer)
  const payouts = rowsOf(answer, 'payouts')
  const paid = payouts.length === 0 ? 'nothing was due' : payouts.length
  const facts = fields([
    ['run', run_id],
    ['ran at', ran_at],
    ['payouts', paid],
  ])
  return payouts.length === 0 ? facts : `${facts}\n${table(payouts, PAYOUTS)}`
}
