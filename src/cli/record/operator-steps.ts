import { formatDuration } from '../../clock/duration.ts'
import type { OperatorStep, Template } from '../../conformance/format/scenario.ts'
import { OPERATOR_STEPS } from '../../contract/order-states.ts'
import { hasFailed, makesFail } from './call-step.ts'
import type { Draft } from './draft.ts'
import type { RecordedAct, RecordedSale } from './history.ts'
import { priceExpression } from './names.ts'

/** Has the operator do it again, or says that it is left out. */
export function addAct(draft: Draft, act: RecordedAct): void {
  if (makesFail(act) && draft.history.happened.some(hasFailed)) return
  const action = actionOf(act, draft)
  if (action) draft.operate(action)
  else if (!WITHOUT_TRACE.has(act.operation)) draft.leftOut.push(inWords(act))
}

/** What no answer shows. The calls that a fault affected show its end. */
const WITHOUT_TRACE = new Set([
  'DELETE /faults/{id}',
  'DELETE /faults',
  'DELETE /coverage',
  'POST /fork',
  'POST /credentials/{key_id}/signatures',
])

/** @example inWords({ operation: 'PATCH /domains/{name}', ... }) // "the operator's PATCH /domains/a.test" */
function inWords({ operation, params, body }: RecordedAct): string {
  const path = operation.replaceAll(/\{(\w+)\}/g, (whole, name: string) => params[name] ?? whole)
  const effect = body['effect'] === undefined ? '' : ` with the effect ${JSON.stringify(body['effect'])}`
  return `the operator's ${path.trim()}${effect}`
}

/** What a scenario has the operator do to the same end; null if it has no word for it. */
function actionOf(act: RecordedAct, draft: Draft): OperatorStep | null {
  const { operation, params, body, fromMs, toMs } = act
  const orderStep = OPERATOR_STEPS.find((name) => operation === `POST /orders/{public_id}/${name}`)
  if (orderStep) return aboutOne(orderStep.replaceAll('-', '_'), draft.names.reference(params['public_id']))
  switch (operation) {
    case 'POST /clock/advance':
      return toMs > fromMs ? { advance_clock: formatDuration(wholeSeconds(body['by'], toMs - fromMs)) } : null
    case 'PUT /clock':
      if (typeof body['auth_skew_seconds'] === 'number') return { skew_clock: `${body['auth_skew_seconds']}s` }
      if (body['now'] === undefined || toMs - fromMs < 1_000) return null
      return { advance_clock: formatDuration(wholeSeconds(undefined, toMs - fromMs)) }
    case 'POST /settlement-runs':
      return aboutOne('settle', settledBy(draft, act))
    case 'POST /payout-runs':
      return { payout: 'all' }
    case 'PUT /rate-limit':
      return { rate_limit: { requests: Number(body['requests']), per_seconds: Number(body['seconds']) } }
    case 'PATCH /domains/{name}':
      return priceAction(draft, params['name'], body['price_cents'])
    case 'POST /brokerage/{case_id}/close-deal': {
      const caseId = draft.names.reference(params['case_id'])
      return caseId === null ? null : { close_deal: { case_id: caseId, price: dealPrice(draft, act) } }
    }
    case 'POST /brokerage/{case_id}/close-no-deal':
      return aboutOne('close_no_deal', draft.names.reference(params['case_id']))
    default:
      return null
  }
}

/** An action that takes an id alone; null if no step made what has the id. */
function aboutOne(action: string, id: Template): OperatorStep | null {
  return id === null ? null : { [action]: id }
}

/** A clock that ticks has gone on a little besides. */
function wholeSeconds(asked: unknown, movedMs: number): number {
  return asked === undefined ? Math.ceil(movedMs / 1_000) * 1_000 : Math.max(1_000, Math.floor(movedMs / 1_000) * 1_000)
}

/** An order that a settlement run did settle, else the latest that there was. */
function settledBy({ history, names, latestOrder }: Draft, { fromMs, toMs }: RecordedAct): Template {
  const settled = history.events.findLast(
    ({ type, subject, atMs }) =>
      type === 'order.settled' && names.reference(subject) !== null && fromMs <= atMs && atMs <= toMs,
  )
  return names.rename(settled?.subject ?? latestOrder)
}

/** An operator may close a deal without naming a price; a scenario has to name the one that it came to. */
function dealPrice({ history }: Draft, { params, body }: RecordedAct): number {
  const closed = history.events.find(
    ({ subject, dealPriceCents }) => subject === params['case_id'] && dealPriceCents !== null,
  )
  return Number(body['price_cents'] ?? closed?.dealPriceCents)
}

function priceAction({ domains }: Draft, name: string | undefined, price: unknown): OperatorStep | null {
  const domain = domains.get(name ?? '')
  if (!domain?.fixture || domain.priceCents === null || typeof price !== 'number') return null
  return { set_price: { domain: `\${${domain.fixture}.domain}`, price: priceExpression(domain, price) } }
}

/** A hosted sale: it is paid, and the list is asked for the order, which from then on is known by what that step found. */
export function addSale(draft: Draft, { sessionId, publicId, domain: name }: RecordedSale): void {
  const { names } = draft
  const opener = draft.openers.get(sessionId)
  if (opener === undefined) {
    draft.leftOut.push(`the hosted sale of ${name}: no recorded call opened its session`)
    return
  }
  if (draft.sellsAgain(opener, name)) {
    draft.leftOut.push(`the hosted sale of ${name}: it was sold before, so its order would be ambiguous`)
    return
  }
  const id = draft.nextId('sold')
  const domain = names.rename(name)
  const isForeign = opener === 'other_partner'
  draft.operate({ pay_checkout: names.rename(sessionId) })
  draft.steps.push({
    id,
    ...(isForeign && { as: opener }),
    until: { call: { op: 'orders.list', query: { domain } }, within: '5s' },
    expect: { items: 'orders.items', includes: { 'order.domain': domain } },
  })
  names.learn(publicId, `${id}.found.order.public_id`)
  draft.effects.orders = (draft.effects.orders ?? 0) + 1
  draft.hosted.add(publicId)
  draft.latestOrder = publicId
  if (!isForeign) draft.subjects.push(publicId)
}
