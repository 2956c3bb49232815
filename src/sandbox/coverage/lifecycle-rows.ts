import { CASE_STATES, CASE_STEP_NAMES, CASE_STEPS } from '../../contract/case-states.ts'
import { EVENT_TYPES, type EventType } from '../../contract/event-types.ts'
import { ORDER_STATES, ORDER_STEPS, type OrderStepName, startsIn } from '../../contract/order-states.ts'
import { both, factId, NOTHING } from './facts.ts'
import { type DraftRow, type Evidence, type Section, section, stateOf } from './row.ts'
import { type Edge, edge, NEW } from './seen-in-answer.ts'
import type { Met } from './tallies.ts'

/** A step that something can take: what it is called, from where to where. */
interface Step {
  readonly from: string
  readonly to: string
  readonly by: string
}

const READ_ORDER = 'GET /orders/{public_id}, GET /events, or accept the webhook'
const READ_CASE = 'GET /brokerage/{case_id}'

const HAPPENED = 'it happened, and no call or delivery has told the client so far'

export function orderSection(evidence: Evidence): Section {
  const steps = orderSteps(evidence)
  return section('orders', 'Order states and steps', [
    ...ORDER_STATES.map((state) => orderStateRow(evidence, steps, state)),
    ...steps.map((step) => stepRow(step, orderMet(evidence, step), `${step.by}; then ${READ_ORDER}`)),
  ])
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

/** What the client was told of, and what happened. */
interface Known {
  readonly seen: Met
  readonly happened: Met
}

function orderMet({ seen, fact }: Evidence, { from, to }: Pick<Step, 'from' | 'to'>): Known {
  const step = edge(from, to)
  const told = fact(factId('order-edges-delivered', step))
  return { seen: both(seen('order-edge', step), told), happened: fact(factId('order-edges-happened', step)) }
}

function orderStateRow(evidence: Evidence, steps: readonly Step[], state: string): DraftRow {
  const known = intoState(steps, state, (step) => orderMet(evidence, step))
  const seen = both(known.seen, evidence.seen('order-state', state))
  const ways = [...new Set(steps.filter(({ to }) => to === state).map(({ by }) => by))]
  return stateRow(state, { ...known, seen }, `${ways.join(' or ')}; then ${READ_ORDER}`)
}

export function caseSection(evidence: Evidence): Section {
  const steps = caseSteps(evidence)
  const states = CASE_STATES.map((state) => {
    const known = intoState(steps, state, (step) => caseMet(evidence, step))
    const by = steps.find(({ to }) => to === state)?.by ?? ''
    return stateRow(state, known, `${by}; then ${READ_CASE}`)
  })
  return section('cases', 'Brokerage case states and steps', [
    ...states,
    ...steps.map((step) => stepRow(step, caseMet(evidence, step), `${step.by}; then ${READ_CASE}`)),
  ])
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

function caseMet({ seen, fact }: Evidence, { from, to }: Pick<Step, 'from' | 'to'>): Known {
  const step = edge(from, to)
  const told = fact(factId('case-edges-delivered', step))
  return { seen: both(seen('case-edge', step), told), happened: fact(factId('case-edges-happened', step)) }
}

/** A state is known by the steps that lead there. */
function intoState(steps: readonly Step[], state: string, knownOf: (step: Step) => Known): Known {
  return steps
    .filter(({ to }) => to === state)
    .map(knownOf)
    .reduce((all, one) => ({ seen: both(all.seen, one.seen), happened: both(all.happened, one.happened) }), {
      seen: NOTHING,
      happened: NOTHING,
    })
}

function stateRow(state: string, known: Known, hint: string): DraftRow {
  return {
    id: state,
    title: `state ${state}`,
    ...shown(known),
    hint: known.happened.count > 0 ? whereToLook(hint) : hint,
  }
}

function stepRow({ from, to }: Step, known: Known, hint: string): DraftRow {
  const id: Edge = edge(from, to)
  return {
    id,
    title: from === NEW ? `new, ${to}` : `${from} to ${to}`,
    ...shown(known),
    hint: known.happened.count > 0 ? whereToLook(hint) : hint,
  }
}

/** What has happened already need only be learned of. */
function whereToLook(hint: string): string {
  return hint.slice(hint.indexOf('; then ') + '; then '.length)
}

function shown({ seen, happened }: Known): Pick<DraftRow, 'state' | 'seen' | 'happened' | 'says'> {
  const state = stateOf(seen, happened)
  return { state, seen, happened, says: state === 'partly' ? HAPPENED : null }
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
  const told = both(seen('event', type), fact(factId('events-delivered', type)))
  const hint = 'GET /events, or accept the webhook'
  const by = makingOf(evidence, type)
  const known = shown({ seen: told, happened })
  return { id: type, title: type, ...known, hint: happened.count > 0 ? hint : `${by}; then ${hint}` }
}

function makingOf({ command }: Evidence, type: EventType): string {
  if (type === 'order.recorded') return 'POST /orders'
  if (type === 'brokerage.case_completed') return command('brokerage close-deal brk_…')
  const step = (Object.keys(ORDER_STEPS) as OrderStepName[]).find((name) => ORDER_STEPS[name].event === type)
  return step === 'settle' ? command('settle run') : command(`order ${step} ord_…`)
}
