import type { CaseStepName } from '../../contract/case-states.ts'
import { ORDER_STEPS, type OrderState, type OrderStepName } from '../../contract/order-states.ts'
import { camelCase } from '../../operator-api/camel-case.ts'
import type { OperationId } from '../../operator-api/operations.ts'
import { StateBadge, stateWords, toneOf } from '../kit/state-badge.tsx'
import { numberText } from '../kit/words.ts'
import { Link, useAddress } from '../router/link.tsx'

/** @example stepWords('start-transfer') // 'Start transfer' */
export function stepWords(step: OrderStepName | CaseStepName): string {
  return stateWords(step.replaceAll('-', '_'))
}

/** What a step did to an order or a case. */
export const DONE: Readonly<Record<OrderStepName | CaseStepName, string>> = {
  hold: 'held for review',
  clear: 'cleared',
  'start-transfer': 'transfer started',
  'complete-transfer': 'transfer completed',
  settle: 'settled',
  refund: 'refunded',
  cancel: 'canceled',
  negotiate: 'negotiation started',
  'close-deal': 'closed with a deal',
  'close-no-deal': 'closed without a deal',
}

/** The operation that takes the step. */
export function operationOfStep(step: OrderStepName): Extract<OperationId, 'orders.hold'> {
  return `orders.${camelCase(step)}` as 'orders.hold'
}

/** Why an order or a case does not allow a step now; undefined if it does. */
export function whyNot<Step>(
  step: Step,
  { status, steps }: { status: string; steps: readonly Step[] },
  from: readonly string[],
  what: 'order' | 'case',
): string | undefined {
  if (steps.includes(step)) return undefined
  return `Only from ${from.map(stateWords).join(' or ')}. This ${what} is in the state ${stateWords(status)}.`
}

const NODE = { width: 152, height: 52 }
const COLUMN = 216
const ROW = 116

/** Where each state is: the way of a sale from left to right, and below it the two ways out. */
const PLACES: Readonly<Record<OrderState, readonly [column: number, row: number]>> = {
  MANUAL_REVIEW: [0, 0],
  EXTERNALLY_PAID: [1, 0],
  TRANSFER_IN_PROGRESS: [2, 0],
  TRANSFER_COMPLETED: [3, 0],
  SETTLED: [4, 0],
  CANCELLED: [1, 1],
  REFUNDED: [3, 1],
}
const STATES = Object.keys(PLACES) as OrderState[]
const STEPS = Object.keys(ORDER_STEPS) as OrderStepName[]
const WIDTH = 4 * COLUMN + NODE.width + 4
const HEIGHT = ROW + NODE.height + 4

interface StateMachineProps {
  /** How many orders are in each state: then each state is a link to them. */
  counts?: Readonly<Record<string, number>> | undefined
  /** Of one order: its state, its earlier states, and what it allows. */
  now?: OrderState | undefined
  visited?: readonly OrderState[]
  allowed?: readonly OrderStepName[]
}

/** The states of orders and the steps between them, drawn from the table of the contract. */
export function StateMachine({ counts, now, visited = [], allowed = [] }: StateMachineProps) {
  const lookOf = (state: OrderState): Look =>
    state === now ? 'now' : visited.includes(state) || counts?.[state] ? 'seen' : 'apart'
  return (
    <>
      <Drawing counts={counts} now={now} allowed={allowed} lookOf={lookOf} />
      <StateList counts={counts} lookOf={lookOf} />
    </>
  )
}

/** The order is there, has been there (or some orders are), or neither. */
type Look = 'now' | 'seen' | 'apart'

interface DrawingProps extends Pick<StateMachineProps, 'counts' | 'now'> {
  allowed: readonly OrderStepName[]
  lookOf: (state: OrderState) => Look
}

function Drawing({ counts, now, allowed, lookOf }: DrawingProps) {
  return (
    <div class="drawing">
      <svg class="machine" viewBox={`-2 -2 ${WIDTH} ${HEIGHT}`}>
        <title>Order states</title>
        {STEPS.flatMap((step) =>
          ORDER_STEPS[step].from.map((from) => (
            <Edge key={`${step} ${from}`} step={step} from={from} isOpen={from === now && allowed.includes(step)} />
          )),
        )}
        {STATES.map((state) => (
          <Node key={state} state={state} count={counts && (counts[state] ?? 0)} look={lookOf(state)} />
        ))}
      </svg>
    </div>
  )
}

/** The same where there is no room for the drawing. */
function StateList({ counts, lookOf }: Pick<DrawingProps, 'counts' | 'lookOf'>) {
  const address = useAddress()
  return (
    <ul class="state-list">
      {STATES.filter((state) => counts || lookOf(state) !== 'apart').map((state) => (
        <li key={state} class={lookOf(state)}>
          {counts ? (
            <Link to={`${address('orders')}?status=${state}`}>
              <StateBadge state={state} /> <span>{numberText(counts[state] ?? 0)}</span>
            </Link>
          ) : (
            <StateBadge state={state} />
          )}
        </li>
      ))}
    </ul>
  )
}

function cornerOf(state: OrderState): { x: number; y: number } {
  const [column, row] = PLACES[state]
  return { x: column * COLUMN, y: row * ROW }
}

function Node({ state, count, look }: { state: OrderState; count: number | undefined; look: Look }) {
  const address = useAddress()
  const { x, y } = cornerOf(state)
  const box = (
    <g class={`node ${toneOf(state)} ${look}`} transform={`translate(${x} ${y})`}>
      <rect width={NODE.width} height={NODE.height} rx="8" />
      <text x={NODE.width / 2} y={count === undefined ? 31 : 20}>
        {stateWords(state)}
      </text>{' '}
      {count !== undefined && (
        <text x={NODE.width / 2} y="42" class="count">
          {numberText(count)}
        </text>
      )}
      {look === 'now' && <title>The order is here</title>}
    </g>
  )
  if (count === undefined) return box
  return <Link to={`${address('orders')}?status=${state}`}>{box}</Link>
}

function Edge({ step, from, isOpen }: { step: OrderStepName; from: OrderState; isOpen: boolean }) {
  const { to } = ORDER_STEPS[step]
  const isAlong = PLACES[from][1] === PLACES[to][1]
  return (
    <g class={`edge ${isAlong ? 'along' : 'out'} ${isOpen ? 'open' : ''}`}>
      {isAlong ? <Along step={step} from={from} to={to} /> : <path d={wayOut(from, to)} />}
    </g>
  )
}

/** A step along the way of a sale, with its name; back and forth lie side by side. */
function Along({ step, from, to }: { step: OrderStepName; from: OrderState; to: OrderState }) {
  const isForth = PLACES[to][0] > PLACES[from][0]
  const y = NODE.height / 2 + (step === 'hold' ? -9 : step === 'clear' ? 9 : 0)
  const start = cornerOf(from).x + (isForth ? NODE.width : 0)
  const end = cornerOf(to).x + (isForth ? 0 : NODE.width)
  const head = isForth ? -6 : 6
  const words = stepWords(step).toLowerCase().split(' ')
  return (
    <>
      <path d={`M${start} ${y}H${end}m${head} -4l${-head} 4l${head} 4`} />
      {words.map((word, at) => (
        <text key={word} x={(start + end) / 2} y={labelTop(step, y) + at * (y > NODE.height / 2 ? 12 : 20)}>
          {word}
        </text>
      ))}
    </>
  )
}

function labelTop(step: OrderStepName, y: number): number {
  return step === 'clear' ? y + 13 : y - 6
}

/** From the bottom of a state to the top of one below. */
function wayOut(from: OrderState, to: OrderState): string {
  const start = cornerOf(from)
  const end = cornerOf(to)
  const shift = to === 'CANCELLED' ? -14 : 14
  const [x1, y1] = [start.x + NODE.width / 2 + shift, start.y + NODE.height]
  const [x2, y2] = [end.x + NODE.width / 2, end.y]
  const middle = (y1 + y2) / 2
  return `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}m-4 -6l4 6l4 -6`
}
