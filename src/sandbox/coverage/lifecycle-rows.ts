import { CASE_STATES, CASE_STEP_NAMES, CASE_STEPS } from '../../contract/case-states.ts'
import { EVENT_TYPES, type EventType } from '../../contract/event-types.ts'
import { ORDER_STATES, ORDER_STEPS, type OrderStepName, startsIn } from '../../contract/order-states.ts'
import { factId } from './facts.ts'
import { type DraftRow, type Evidence, type Section, section } from './row.ts'
import { edge, NEW } from './seen-in-answer.ts'
import { both, type Met, NOTHING } from './tally.ts'

/** A step that something can take: what it is called, from where to where. */
interface Step {
  readonly from: string
  readonly to: string
  readonly by: string
}

/** What goes through states: how a client learns of them, and by which tallies and facts it shows. */
interface Kind {
  readonly name: 'order' | 'case'
  readonly read: string
}

const ORDER: Kind = { name: 'order', read: 'GET /orders/{public_id}, GET /events, or accept the webhook' }
const CASE: Kind = { name: 'case', read: 'GET /brokerage/{case_id}' }

const HAPPENED = 'it happened, and no call or delivery has told the client so far'

export function orderSection(evidence: Evidence): Section {
  const rows = lifecycleRows(evidence, ORDER, ORDER_STATES, orderSteps(evidence))
  return section('orders', 'Order states and steps', rows)
}

export function caseSection(evidence: Evidence): Section {
  const rows = lifecycleRows(evidence, CASE, CASE_STATES, caseSteps(evidence))
  return section('cases', 'Brokerage case states and steps', rows)
}

function lifecycleRows(evidence: Evidence, kind: Kind, states: readonly string[], steps: readonly Step[]): DraftRow[] {
  return [
    ...states.map((state) => stateRow(evidence, kind, state, steps)),
    ...steps.map((step) => stepRow(step, knownOf(evidence, kind, step), `${step.by}; then ${kind.read}`)),
  ]
}

function orderSteps({ world, command }: Evidence): Step[] {
  const recorded = { from: NEW, to: 'EXTERNALLY_PAID', by: 'POST /orders' }
  const paid = { from: NEW, to: world.gaps['hosted-order-state'], by: 'pay on the page of a checkout session' }
  const taken = (Object.keys(ORDER_STEPS) as OrderStepName[]).flatMap((name) =>
    startsIn(name, ORDER_STEPS[name].from, world.gaps).map((from) => ({
      from,
      to: ORDER_STEPS[name].to,
      by: name === 'settle' ? command('settle run') : command(`order ${name} ord_…`),
    })),
  )
  return [recorded, ...(paid.to === recorded.to ? [] : [paid]), ...taken]
}

function caseSteps({ command }: Evidence): Step[] {
  const taken = CASE_STEP_NAMES.flatMap((name) =>
    CASE_STEPS[name].from.map((from) => ({
      from,
      to: CASE_STEPS[name].to,
      by: command(`brokerage ${name} brk_…`),
    })),
  )
  return [{ from: NEW, to: 'OPEN', by: 'POST /brokerage' }, ...taken]
}

/** What the client has learned of, and what happened. */
interface Known {
  readonly seen: Met
  readonly happened: Met
}

function knownOf({ seen, fact }: Evidence, { name }: Kind, { from, to }: Step): Known {
  const step = edge(from, to)
  const delivered = fact(factId(`${name}-edges-delivered`, step))
  return { seen: both(seen(`${name}-edge`, step), delivered), happened: fact(factId(`${name}-edges-happened`, step)) }
}

/** A state is known by the steps that lead there, and that of an order by the answer to a refund. */
function stateRow(evidence: Evidence, kind: Kind, state: string, steps: readonly Step[]): DraftRow {
  const into = steps.filter(({ to }) => to === state)
  const known = into.map((step) => knownOf(evidence, kind, step))
  const seen = known.map((one) => one.seen).reduce(both, NOTHING)
  const happened = known.map((one) => one.happened).reduce(both, NOTHING)
  const learned = kind === ORDER ? both(seen, evidence.seen('order-state', state)) : seen
  const ways = [...new Set(into.map(({ by }) => by))].join(' or ')
  return { id: state, title: `state ${state}`, ...shown({ seen: learned, happened }, `${ways}; then ${kind.read}`) }
}

function stepRow({ from, to }: Step, known: Known, hint: string): DraftRow {
  const title = from === NEW ? `new, ${to}` : `${from} to ${to}`
  return { id: edge(from, to), title, ...shown(known, hint) }
}

/** What has happened already need only be learned of. */
function shown({ seen, happened }: Known, hint: string): Omit<DraftRow, 'id' | 'title'> {
  const isUnseen = seen.count === 0 && happened.count > 0
  return {
    seen,
    happened,
    ...(isUnseen && { state: 'partly', says: HAPPENED }),
    hint: happened.count > 0 ? hint.slice(hint.indexOf('; then ') + '; then '.length) : hint,
  }
}

export function eventSection(evidence: Evidence): Section {
  return section(
    'events',
    'Event types',
    EVENT_TYPES.map((type) => eventRow(evidence, type)),
  )
}

function eventRow(evidence: Evidence, type: EventType): DraftRow {
  const { fact, seen } = evidence
  const happened = fact(factId('events-happened', type))
  const learned = both(seen('event', type), fact(factId('events-delivered', type)))
  const hint = `${makingOf(evidence, type)}; then GET /events, or accept the webhook`
  return { id: type, title: type, ...shown({ seen: learned, happened }, hint) }
}

function makingOf({ command }: Evidence, type: EventType): string {
  if (type === 'order.recorded') return 'POST /orders'
  if (type === 'brokerage.case_completed') return command('brokerage close-deal brk_…')
  const step = (Object.keys(ORDER_STEPS) as OrderStepName[]).find((name) => ORDER_STEPS[name].event === type)
  return step === 'settle' ? command('settle run') : command(`order ${step} ord_…`)
}
