import type { DoneShow, RendererName, Shows } from '../../operator-api/command-row.ts'
import { type ListView, listText } from '../output/table.ts'
import type { Session } from '../session.ts'
import { clockText } from './show/clock.ts'
import { DELIVERIES, deliveryText } from './show/deliveries.ts'
import { DOMAINS, domainText } from './show/domains.ts'
import { eventList } from './show/events.ts'
import { factsText, withTimeline } from './show/facts.ts'
import { FAULTS } from './show/fault.ts'
import { magicText } from './show/magic.ts'
import { payoutText, settlementText } from './show/money-runs.ts'
import { REQUESTS } from './show/request.ts'
import { summaryText } from './show/summary.ts'
import { createdWorld, resetText, WORLDS, worldText } from './show/worlds.ts'

/** What surrounds an answer. */
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
  events: (answer, around) => eventList(answer, around.options['latest'] === true, widthOf(around)),
  facts: factsText,
  faults: FAULTS,
  magic: (answer, around) => magicText(answer, widthOf(around)),
  'payout run': payoutText,
  requests: REQUESTS,
  'reset world': resetText,
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
  return 'done' in view ? doneText(view, around) : listText(answer, view, widthOf(around))
}

/** Whether an answer is shown as a table, which may be wider than the terminal. */
export function isTable(shows: Shows): boolean {
  const view = typeof shows === 'string' ? RENDERERS[shows] : shows
  return shows === 'events' || (typeof view === 'object' && 'list' in view)
}

function widthOf({ session, options }: Around): number | null {
  return session.outIsTerminal && options['wide'] !== true ? session.columns : null
}

function doneText({ done }: DoneShow, { args, world }: Around): string {
  return `${done.replace('{world}', world).replace(/\{(\d)\}/g, (_mark, n: string) => args[Number(n)] ?? '')}\n`
}
