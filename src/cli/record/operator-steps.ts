import { formatDuration } from '../../clock/duration.ts'
import type { CredentialChoice, Template } from '../../conformance/scenario.ts'
import { OPERATOR_STEPS } from '../../contract/order-states.ts'
import { hasFailed, makesFail } from './call-step.ts'
import { countOrder, type Draft, nextId } from './draft.ts'
import type { Recorded, RecordedAct, RecordedSale } from './history.ts'
import { priceExpression } from './names.ts'

type Action = Readonly<Record<string, Template>>

/** Has the operator do it again, or says that it is left out. */
export function addAct(draft: Draft, act: RecordedAct, happened: readonly Recorded[]): void {
  if (makesFail(act) && happened.some(hasFailed)) return
  const action = actionOf(act, draft)
  if (!action) {
    if (!WITHOUT_TRACE.has(act.operation)) draft.leftOut.push(inWords(act))
    return
  }
  draft.steps.push({ operator: action })
  if ('advance_clock' in action || 'skew_clock' in action) draft.effects.clock = true
  if ('settle' in action || 'payout' in action) draft.effects.settlement = true
  if ('rate_limit' in action) draft.effects.exclusive = true
}

/** What no answer shows. The end of a fault is said by the calls that it met. */
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
function actionOf(act: RecordedAct, draft: Draft): Action | null {
  const { operation, params, body, fromMs, toMs } = act
  const movedMs = toMs - fromMs
  const named = (param: string): Template | null => {
    const id = params[param] ?? ''
    return draft.names.knows(id) ? draft.names.rename(id) : null
  }
  const orderStep = OPERATOR_STEPS.find((name) => operation === `POST /orders/{public_id}/${name}`)
  if (orderStep) return given(named('public_id'), (id) => ({ [orderStep.replaceAll('-', '_')]: id }))
  switch (operation) {
    case 'POST /clock/advance':
      return movedMs > 0 ? { advance_clock: formatDuration(wholeSeconds(body['by'], movedMs)) } : null
    case 'PUT /clock':
      if (typeof body['auth_skew_seconds'] === 'number') return { skew_clock: `${body['auth_skew_seconds']}s` }
      if (body['now'] === undefined || movedMs < 1_000) return null
      return { advance_clock: formatDuration(wholeSeconds(undefined, movedMs)) }
    case 'POST /settlement-runs':
      return given(settledBy(draft, act), (id) => ({ settle: draft.names.rename(id) }))
    case 'POST /payout-runs':
      return { payout: 'all' }
    case 'PUT /rate-limit':
      return { rate_limit: { requests: Number(body['requests']), per_seconds: Number(body['seconds']) } }
    case 'PATCH /domains/{name}':
      return priceAction(params['name'] ?? '', body['price_cents'], draft)
    case 'POST /brokerage/{case_id}/close-deal':
      return given(named('case_id'), (id) => ({ close_deal: { case_id: id, price: dealPrice(draft, act) } }))
    case 'POST /brokerage/{case_id}/close-no-deal':
      return given(named('case_id'), (id) => ({ close_no_deal: id }))
    default:
      return null
  }
}

function given<Value>(value: Value | null, action: (value: Value) => Action): Action | null {
  return value === null ? null : action(value)
}

/** A clock that ticks has gone on a little besides. */
function wholeSeconds(asked: unknown, movedMs: number): number {
  return asked === undefined ? Math.ceil(movedMs / 1_000) * 1_000 : Math.max(1_000, Math.floor(movedMs / 1_000) * 1_000)
}

/** An order that a settlement run did settle, else the latest that there was. */
function settledBy({ events, names, latestOrder }: Draft, { fromMs, toMs }: RecordedAct): string | null {
  const settled = events.findLast(
    ({ type, subject, atMs }) =>
      type === 'order.settled' && subject !== null && names.knows(subject) && fromMs <= atMs && atMs <= toMs,
  )
  return settled?.subject ?? latestOrder
}

/** An operator may close a deal without naming a price; a scenario has to name the one that it came to. */
function dealPrice({ events }: Draft, { params, body }: RecordedAct): number {
  const closed = events.find(({ subject, dealPriceCents }) => subject === params['case_id'] && dealPriceCents !== null)
  return Number(body['price_cents'] ?? closed?.dealPriceCents)
}

function priceAction(name: string, price: unknown, { domains }: Draft): Action | null {
  const domain = domains.get(name)
  if (!domain?.fixture || domain.priceCents === null || typeof price !== 'number') return null
  return { set_price: { domain: `\${${domain.fixture}.domain}`, price: priceExpression(domain, price) } }
}

/**
 * A hosted sale: it is paid, and the list is asked for the order, which from then on is known by what that step found.
 *
 * @param opener who opened the session; undefined if no recorded call did.
 */
export function addSale(draft: Draft, sale: RecordedSale, opener: CredentialChoice | undefined): void {
  const { names } = draft
  if (opener === undefined || !names.knows(sale.sessionId)) {
    draft.leftOut.push(`the hosted sale of ${sale.domain}, whose session no recorded call opened`)
    return
  }
  if (countOrder(draft, opener, sale.domain) > 0) {
    draft.leftOut.push(
      `the hosted sale of ${sale.domain}, which had been sold before: its order would be taken for the other one`,
    )
    return
  }
  const id = nextId(draft, 'sold')
  const domain = names.rename(sale.domain)
  const isForeign = opener === 'other_partner'
  draft.steps.push({ operator: { pay_checkout: names.rename(sale.sessionId) } })
  draft.steps.push({
    id,
    ...(isForeign && { as: opener }),
    until: { call: { op: 'orders.list', query: { domain } }, within: '5s' },
    expect: { items: 'orders.items', includes: { 'order.domain': domain } },
  })
  names.learn(sale.publicId, `${id}.found.order.public_id`)
  draft.effects.orders = (draft.effects.orders ?? 0) + 1
  draft.hosted.add(sale.publicId)
  draft.latestOrder = sale.publicId
  if (!isForeign) draft.subjects.push(sale.publicId)
}
