import { DOCUMENT_STATES } from '../../contract/order-states.ts'
import { type CallExchange, exchangesOf, type ScenarioRun } from '../context/run.ts'
import { converse } from '../context/send-call.ts'
import type { Expectation } from '../format/expectations/expectation.ts'
import type { NamedStep, Step } from '../format/scenario.ts'
import { RECORD_ORDER } from '../format/step-facts.ts'
import { type Answer, isAccepted } from '../http/exchange.ts'
import type { Call } from '../signing/sign-call.ts'
import type { TargetCredential } from '../target/target.ts'
import { filledCall } from './call-plan.ts'

/**
 * Why a failed check says nothing: a target may start and complete transfers on its own, so an order of this scenario may have
 * left its state before the call that depends on it. Null if no order has.
 */
export async function movedAlone(
  scenarioRun: ScenarioRun,
  step: NamedStep,
  { call, answer: judged }: CallExchange,
): Promise<string | null> {
  // A refund that was accepted has moved its order itself.
  if (call.op === 'refunds.create' && isAccepted(judged)) return null
  const { dialect } = scenarioRun.run
  for (const [name, record] of scenarioRun.records) {
    if (record.kind !== 'calls' || isNamedBefore(scenarioRun, step, name, isOfOperator)) continue
    for (const { call: made, answer } of record.exchanges) {
      if (made.op !== RECORD_ORDER || !isAccepted(answer)) continue
      const [id, first] = [dialect.find('order.public_id', answer), dialect.find('order.status', answer)]
      if (!id.found || !first.found || isRefunded(scenarioRun, id.value)) continue
      const now = await readOrder(scenarioRun, id.value, scenarioRun.run.credentials.called(made.credential.name))
      const status = isAccepted(now) ? dialect.find('order.status', now) : null
      if (!status?.found || status.value === first.value) continue
      // States go forward: what is in transfer now can be refunded still (REF-01).
      if (call.op === 'refunds.create' && status.value === IN_TRANSFER) continue
      const goesOn = DELIVERS.has(status.value)
      if (goesOn || (call.op !== 'orders.detail' && !isNamedBefore(scenarioRun, step, name, isOfRefund)))
        return `the target moved order ${id.value} from ${first.value} to ${status.value} on its own in the meantime`
    }
  }
  return null
}

/** States that a target moves an order to on its own. None of a partner's calls does, so that one in them hides nothing that a call did. */
const DELIVERS: ReadonlySet<unknown> = new Set(DOCUMENT_STATES.slice(1))
const IN_TRANSFER: (typeof DOCUMENT_STATES)[number] = 'TRANSFER_IN_PROGRESS'

const STATE_ROLES: ReadonlySet<string> = new Set(['order.status', 'order.timeline'])

/**
 * Whether an expectation of this call fails where an order has gone on. Of what an order is read as, only its state and what is compared
 * as a whole; a sale that the target completes on its own may be part of the next payout.
 */
export function restsOnState({ op, query }: Call, { roles, items, same_as: same }: Expectation): boolean {
  if (op === 'orders.detail') {
    const named = [
      ...Object.keys(roles ?? {}),
      ...(typeof same === 'object' ? (same.roles ?? []) : []),
      items ?? [],
    ].flat()
    const isWhole = typeof same === 'string' || (same !== undefined && same.roles === undefined)
    return (isWhole || named.length > 0) && named.every((role) => STATE_ROLES.has(role))
  }
  if (op === 'refunds.create' || op === 'payouts.list') return true
  return (op === 'orders.list' || op === 'transactions.list') && query.some(([name]) => name === 'status')
}

const isOfOperator = ({ operator }: Step): boolean => operator !== undefined
/** One that is refused may have undone its order all the same. */
const isOfRefund = ({ call }: Step): boolean => call?.op === 'refunds.create'

/** A target that has accepted a refund does not deliver its order. */
function isRefunded(scenarioRun: ScenarioRun, id: unknown): boolean {
  return exchangesOf(scenarioRun).some(
    ({ call, answer }) =>
      call.op === 'refunds.create' && isAccepted(answer) && Buffer.from(call.body ?? '').includes(JSON.stringify(id)),
  )
}

/** Whether an earlier step of this sort names what the step with this name has made. */
function isNamedBefore(
  { scenario: { steps } }: ScenarioRun,
  step: NamedStep,
  name: string,
  isOfSort: (step: Step) => boolean,
): boolean {
  const earlier = steps.slice(0, steps.indexOf(step)).filter(isOfSort)
  return earlier.some(({ operator, call }) => JSON.stringify([operator, call]).includes(`\${${name}.`))
}

/** What the target answers to who reads an order. */
export async function readOrder(
  scenarioRun: ScenarioRun,
  publicId: unknown,
  credential: TargetCredential,
): Promise<Answer | null> {
  const read = { op: 'orders.detail', path: { public_id: String(publicId) } } as const
  return (await converse(scenarioRun, await filledCall(scenarioRun, read, credential))).answer
}

/** Where an order is that an operator could not move; empty if no order was meant, or it cannot be read. */
export async function whereOrderIs(scenarioRun: ScenarioRun, publicId: unknown): Promise<string> {
  if (publicId === undefined) return ''
  const answer = await readOrder(scenarioRun, publicId, scenarioRun.run.credentials.main)
  const status = isAccepted(answer) ? scenarioRun.run.dialect.find('order.status', answer) : null
  if (!status?.found) return ''
  return `; order ${publicId} was ${status.value} then: if the step is not allowed from there, the target or another person has moved the order, or its steps have another order`
}
