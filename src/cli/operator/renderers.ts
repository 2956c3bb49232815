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
import { createdWorld, WORLDS, worldText } from './show/worlds.ts'

/** What stands around an answer. */
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
  events: (answer, { options }) => eventList(answer, options['latest'] === true),
  facts: factsText,
  faults: FAULTS,
  magic: (answer, { session }) => magicText(answer, session.outIsTerminal ? session.columns : null),
  'payout run': payoutText,
  requests: REQUESTS,
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
  return 'done' in view ? doneText(view, around) : listText(answer, view)
}

function doneText({ done }: DoneShow, { args, world }: Around): string {
  return `${done.replace('{world}', world).replace(/\{(\d)\}/g, (_mark, n: string) => args[Number(n)] ?? '')}\n`
}
