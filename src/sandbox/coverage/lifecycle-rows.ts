import { CASE_STATES, CASE_STEP_NAMES, CASE_STEPS } from '../../contract/case-states.ts'
import { EVENT_TYPES, type EventType } from '../../contract/event-types.ts'
import { ORDER_STATES, ORDER_STEPS, type OrderStepName, startsIn } from '../../contract/order-states.ts'
import { type DraftRow, type Evidence, section } from './row.ts'
import { edge, NEW } from './sightings.ts'
import { type Met, together } from './tally.ts'

/** A step that something can take: what it is called, from where to where. */
interface Step {
  readonly from: string
  readonly to: string
  readonly by: string
}

/** What goes through states. */
type Kind = 'order' | 'case'

/** How a client learns of them. */
const READ: Record<Kind, string> = {
  order: 'GET /orders/{public_id}, GET /events, or accept the webhook',
  case: 'GET /brokerage/{case_id}',
}

export function orderSection(evidence: Evidence) {
  const rows = lifecycleRows(evidence, 'order', ORDER_STATES, orderSteps(evidence))
  return section('orders', 'Order states and steps', rows)
}

export function caseSection(evidence: Evidence) {
  const rows = lifecycleRows(evidence, 'case', CASE_STATES, caseSteps(evidence))
  return section('cases', 'Brokerage case states and steps', rows)
}

function lifecycleRows(evidence: Evidence, kind: Kind, states: readonly string[], steps: readonly Step[]): DraftRow[] {
  return [
    ...states.map((state) => stateRow(evidence, kind, state, steps)),
    ...steps.map((step) => stepRow(evidence, kind, step)),
  ]
}

const ORDER_STEP_NAMES = Object.keys(ORDER_STEPS) as OrderStepName[]

function orderSteps(evidence: Evidence): Step[] {
  const { gaps } = evidence
  const recorded = { from: NEW, to: 'EXTERNALLY_PAID', by: 'POST /orders' }
  const paid = { from: NEW, to: gaps['hosted-order-state'], by: 'pay on the page of a checkout session' }
  const taken = ORDER_STEP_NAMES.flatMap((name) => {
    const { from: usual, to } = ORDER_STEPS[name]
    return startsIn(name, usual, gaps).map((from) => ({ from, to, by: takingOf(evidence, name) }))
  })
  return [recorded, ...(paid.to === recorded.to ? [] : [paid]), ...taken]
}

function caseSteps({ command }: Evidence): Step[] {
  const taken = CASE_STEP_NAMES.flatMap((name) => {
    const { from: starts, to } = CASE_STEPS[name]
    return starts.map((from) => ({ from, to, by: command(`brokerage ${name} last`) }))
  })
  return [{ from: NEW, to: 'OPEN', by: 'POST /brokerage' }, ...taken]
}

/** What a client has learned of, what happened, how it is made to happen and how a client learns of it. */
interface Known {
  readonly seen: Met
  readonly happened: Met
  readonly by: string
  readonly read: string
}

function knownOf({ seen }: Evidence, kind: Kind, { from, to, by }: Step): Known {
  const step = edge(from, to)
  return {
    seen: seen(`${kind}-edge`, step),
    happened: seen(`${kind}-edge-happened`, step),
    by,
    read: READ[kind],
  }
}

/** A state is known by the steps that lead there, and that of an order by the answer to a refund. */
function stateRow(evidence: Evidence, kind: Kind, state: string, steps: readonly Step[]): DraftRow {
  const known = steps.filter(({ to }) => to === state).map((step) => knownOf(evidence, kind, step))
  const refunded = kind === 'order' ? [evidence.seen('order-state', state)] : []
  return {
    id: state,
    title: `state ${state}`,
    ...shown({
      seen: together(...known.map(({ seen }) => seen), ...refunded),
      happened: together(...known.map(({ happened }) => happened)),
      by: [...new Set(known.map(({ by }) => by))].join(' or '),
      read: READ[kind],
    }),
  }
}

function stepRow(evidence: Evidence, kind: Kind, step: Step): DraftRow {
  const { from, to } = step
  const title = from === NEW ? `new, ${to}` : `${from} to ${to}`
  return { id: edge(from, to), title, ...shown(knownOf(evidence, kind, step)) }
}

/** What has happened already need only be learned of. */
function shown({ seen, happened, by, read }: Known): Omit<DraftRow, 'id' | 'title'> {
  if (happened.count === 0) return { seen, happened, hint: `${by}; then ${read}` }
  if (seen.count > 0) return { seen, happened, hint: read }
  const says = 'it happened, but the client has not read or received it yet'
  return { seen, happened, state: 'partly', says, hint: read }
}

export function eventSection(evidence: Evidence) {
  return section(
    'events',
    'Event types',
    EVENT_TYPES.map((type) => eventRow(evidence, type)),
  )
}

function eventRow(evidence: Evidence, type: EventType): DraftRow {
  const known = {
    seen: evidence.seen('event', type),
    happened: evidence.seen('event-happened', type),
    by: makingOf(evidence, type),
    read: 'GET /events, or accept the webhook',
  }
  return { id: type, title: type, ...shown(known) }
}

function makingOf(evidence: Evidence, type: EventType): string {
  if (type === 'order.recorded') return 'POST /orders'
  if (type === 'brokerage.case_completed') return evidence.command('brokerage close-deal last')
  const name = ORDER_STEP_NAMES.find((step) => ORDER_STEPS[step].event === type) as OrderStepName
  return takingOf(evidence, name)
}

function takingOf({ command }: Evidence, name: OrderStepName): string {
  return name === 'settle' ? command('settle run') : command(`order ${name} last`)
}
