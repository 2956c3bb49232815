import { CASE_STATES, CASE_STEP_NAMES, CASE_STEPS } from '../../contract/case-states.ts'
import { EVENT_TYPES, type EventType } from '../../contract/event-types.ts'
import { ORDER_STATES, ORDER_STEPS, type OrderStepName, startsIn } from '../../contract/order-states.ts'
import { edge, type Met, NEW, together } from './facts.ts'
import { type DraftRow, type Evidence, section } from './row.ts'

/** A step that something can take: from where to where, and how it is made to happen. */
interface LifecycleStep {
  readonly from: string
  readonly to: string
  readonly by: string
}

/** What goes through states, and how a client learns of them. */
const READ = {
  order: 'GET /orders/{public_id}, GET /events, or accept the webhook',
  case: 'GET /brokerage/{case_id}',
}

const ORDER_STEP_NAMES = Object.keys(ORDER_STEPS) as OrderStepName[]

export function orderSection(evidence: Evidence) {
  const { gaps } = evidence
  const recorded = { from: NEW, to: 'EXTERNALLY_PAID', by: 'POST /orders' }
  const paid = { from: NEW, to: gaps['hosted-order-state'], by: 'pay on the page of a checkout session' }
  const taken = ORDER_STEP_NAMES.flatMap((name) => {
    const { from: usual, to } = ORDER_STEPS[name]
    return startsIn(name, usual, gaps).map((from) => ({ from, to, by: takingOf(evidence, name) }))
  })
  const steps = [recorded, ...(paid.to === recorded.to ? [] : [paid]), ...taken]
  return section('orders', 'Order states and steps', lifecycleRows(evidence, 'order', ORDER_STATES, steps))
}

export function caseSection(evidence: Evidence) {
  const taken = CASE_STEP_NAMES.flatMap((name) => {
    const { from: starts, to } = CASE_STEPS[name]
    return starts.map((from) => ({ from, to, by: evidence.command(`brokerage ${name} last`) }))
  })
  const steps = [{ from: NEW, to: 'OPEN', by: 'POST /brokerage' }, ...taken]
  return section('cases', 'Brokerage case states and steps', lifecycleRows(evidence, 'case', CASE_STATES, steps))
}

/** A state is known by the steps that lead there, and that of an order by the answer to a refund. */
function lifecycleRows(
  { seen }: Evidence,
  kind: keyof typeof READ,
  states: readonly string[],
  steps: readonly LifecycleStep[],
): DraftRow[] {
  const read = READ[kind]
  const known = steps.map(({ from, to, by }) => {
    const id = edge(from, to)
    return { id, from, to, by, seen: seen(`${kind}-edge`, id), happened: seen(`${kind}-edge-happened`, id), read }
  })
  const stateRows = states.map((state) => {
    const leading = known.filter(({ to }) => to === state)
    const refunded = kind === 'order' ? [seen('order-state', state)] : []
    return {
      id: state,
      title: `state ${state}`,
      ...shown({
        seen: together(...leading.map((step) => step.seen), ...refunded),
        happened: together(...leading.map(({ happened }) => happened)),
        by: [...new Set(leading.map(({ by }) => by))].join(' or '),
        read,
      }),
    }
  })
  const stepRows = known.map((step) => {
    const { id, from, to } = step
    return { id, title: from === NEW ? `new, ${to}` : `${from} to ${to}`, ...shown(step) }
  })
  return [...stateRows, ...stepRows]
}

export function eventSection(evidence: Evidence) {
  const rows = EVENT_TYPES.map((type) => ({
    id: type,
    title: type,
    ...shown({
      seen: evidence.seen('event', type),
      happened: evidence.seen('event-happened', type),
      by: makingOf(evidence, type),
      read: 'GET /events, or accept the webhook',
    }),
  }))
  return section('events', 'Event types', rows)
}

/** What has happened already need only be learned of. */
function shown(known: { seen: Met; happened: Met; by: string; read: string }): Omit<DraftRow, 'id' | 'title'> {
  const { seen, happened, by, read } = known
  if (happened.count === 0) return { seen, happened, hint: `${by}; then ${read}` }
  if (seen.count > 0) return { seen, happened, hint: read }
  const says = 'it happened, but the client has not read or received it yet'
  return { seen, happened, state: 'partly', says, hint: read }
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
