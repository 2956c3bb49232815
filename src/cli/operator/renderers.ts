import type { ColumnRow, DoneShow, RendererName, Shows } from '../../operator-api/command-row.ts'
import { clockText } from '../output/clock.ts'
import { column, countColumn, moneyColumn } from '../output/columns.ts'
import { deliveryList, deliveryText } from '../output/deliveries.ts'
import { domainList, domainText } from '../output/domains.ts'
import { eventList } from '../output/events.ts'
import { facts } from '../output/facts.ts'
import { faultList } from '../output/fault.ts'
import { magicText } from '../output/magic.ts'
import { payoutText, settlementText } from '../output/money-runs.ts'
import { moreLine } from '../output/more-line.ts'
import { isRecord, type Row, rowsOf } from '../output/records.ts'
import { requestList } from '../output/request.ts'
import { type Column, table } from '../output/table.ts'
import { withTimeline } from '../output/timeline.ts'
import { createdWorld, worldList, worldText } from '../output/worlds.ts'
import type { Session } from './session.ts'

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
