import type { ColumnRow, DoneShow, RendererName, Shows } from '../../operator-api/command-row.ts'
import { column, countColumn, moneyColumn, moreLine } from '../output/columns.ts'
import { isRecord, type Row, rowsOf } from '../output/records.ts'
import { type Column, table } from '../output/table.ts'
import type { Session } from '../session.ts'
import { clockText } from './show/clock.ts'
import { deliveryList, deliveryText } from './show/deliveries.ts'
import { domainList, domainText } from './show/domains.ts'
import { eventList } from './show/events.ts'
import { facts, withTimeline } from './show/facts.ts'
import { faultList } from './show/fault.ts'
import { magicText } from './show/magic.ts'
import { payoutText, settlementText } from './show/money-runs.ts'
import { requestList } from './show/request.ts'
import { createdWorld, worldList, worldText } from './show/worlds.ts'

/** What stands around an answer. */
interface Around {
  readonly session: Session
  readonly options: Readonly<Record<string, unknown>>
  readonly args: readonly string[]
  readonly world: string
}

/** What columns alone cannot show. */
const RENDERERS: Readonly<Record<RendererName, (answer: unknown, around: Around) => string>> = {
  clock: clockText,
  'created world': createdWorld,
  delivery: deliveryText,
  deliveries: deliveryList,
  domain: domainText,
  domains: domainList,
  events: (answer, { options }) => eventList(answer, options['latest'] === true),
  facts: factsText,
  faults: faultList,
  magic: (answer, { session }) => magicText(answer, session.outIsTerminal ? session.columns : null),
  'payout run': payoutText,
  requests: requestList,
  'settlement run': settlementText,
  timeline: withTimeline,
  world: worldText,
  worlds: worldList,
}

/** An answer as its row says. */
export function render(shows: Shows, answer: unknown, around: Around): string {
  if (typeof shows === 'string') return RENDERERS[shows](answer, around)
  if ('done' in shows) return doneText(shows, around)
  const { list, none, columns } = shows as { list: string; none?: string; columns: readonly ColumnRow[] }
  const rows = rowsOf(answer, list)
  if (rows.length === 0 && none !== undefined) return `${none}\n`
  return table(rows, columns.map(columnOf)) + moreLine(answer)
}

const COLUMNS = { money: moneyColumn, count: countColumn } as const

function columnOf([heading, member, as]: ColumnRow): Column<Row> {
  return (as ? COLUMNS[as] : column)(heading, member)
}

function doneText({ done }: DoneShow, { args, world }: Around): string {
  return `${done.replace('{world}', world).replace(/\{(\d)\}/g, (_mark, n: string) => args[Number(n)] ?? '')}\n`
}

export function factsText(answer: unknown): string {
  return facts(isRecord(answer) ? answer : {})
}
