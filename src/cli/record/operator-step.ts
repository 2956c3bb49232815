import { formatDuration } from '../../clock/duration.ts'
import type { Step, Template } from '../../conformance/scenario.ts'
import { OPERATOR_STEPS } from '../../contract/order-states.ts'
import type { RecordedDomain } from './domains.ts'
import type { RecordedAct } from './history.ts'
import type { Names } from './names.ts'

/** What an operator's act may speak of. */
export interface ActContext {
  names: Names
  domains: ReadonlyMap<string, RecordedDomain>
  /** The order that a settlement run is asked to cover; null where there is none. */
  settledOrder: string | null
}

/** The step by which a scenario has the operator do the same; null where it has no word for it. */
export function operatorStep(act: RecordedAct, context: ActContext): Step | null {
  const action = orderAction(act, context.names) ?? otherAction(act, context)
  return action && { operator: action }
}

function orderAction({ operation, params }: RecordedAct, names: Names): Record<string, Template> | null {
  const step = OPERATOR_STEPS.find((name) => operation === `POST /orders/{public_id}/${name}`)
  const id = params['public_id'] ?? ''
  return step && names.knows(id) ? { [step.replaceAll('-', '_')]: names.rename(id) } : null
}

function otherAction(
  { operation, params, body, fromMs, toMs }: RecordedAct,
  { names, domains, settledOrder }: ActContext,
): Record<string, Template> | null {
  const movedMs = toMs - fromMs
  const named = (param: string): Template | null => {
    const id = params[param] ?? ''
    return names.knows(id) ? names.rename(id) : null
  }
  switch (operation) {
    case 'POST /clock/advance':
      return movedMs > 0 ? { advance_clock: formatDuration(wholeSeconds(body['by'], movedMs)) } : null
    case 'PUT /clock':
      return clockAction(body, movedMs)
    case 'POST /settlement-runs':
      return settledOrder === null ? null : { settle: names.rename(settledOrder) }
    case 'POST /payout-runs':
      return { payout: 'all' }
    case 'PUT /rate-limit':
      return { rate_limit: { requests: Number(body['requests']), per_seconds: Number(body['seconds']) } }
    case 'PATCH /domains/{name}':
      return priceAction(params['name'] ?? '', body, domains)
    case 'POST /brokerage/{case_id}/close-deal': {
      const id = named('case_id')
      return id === null ? null : { close_deal: { case_id: id, price: Number(body['price_cents']) } }
    }
    case 'POST /brokerage/{case_id}/close-no-deal': {
      const id = named('case_id')
      return id === null ? null : { close_no_deal: id }
    }
    default:
      return null
  }
}

/** A clock that ticks has gone on a little besides. */
function wholeSeconds(asked: unknown, movedMs: number): number {
  return asked === undefined ? Math.ceil(movedMs / 1_000) * 1_000 : Math.max(1_000, Math.floor(movedMs / 1_000) * 1_000)
}

function clockAction(body: Readonly<Record<string, unknown>>, movedMs: number): Record<string, Template> | null {
  if (typeof body['auth_skew_seconds'] === 'number') return { skew_clock: `${body['auth_skew_seconds']}s` }
  return body['now'] === undefined || movedMs < 1_000
    ? null
    : { advance_clock: formatDuration(wholeSeconds(undefined, movedMs)) }
}

function priceAction(
  name: string,
  body: Readonly<Record<string, unknown>>,
  domains: ReadonlyMap<string, RecordedDomain>,
): Record<string, Template> | null {
  const domain = domains.get(name)
  const price = body['price_cents']
  if (!domain?.fixture || domain.priceCents === null || typeof price !== 'number') return null
  return { set_price: { domain: `\${${domain.fixture}.domain}`, price: priceExpression(domain, price) } }
}

/** A price as so much more or less than the listing's, since the scenario will have another domain. */
export function priceExpression({ fixture, priceCents }: RecordedDomain, price: number): Template {
  const difference = price - (priceCents ?? 0)
  if (fixture === null || priceCents === null) return price
  if (difference === 0) return `\${${fixture}.price}`
  return `\${${fixture}.price ${difference > 0 ? '+' : '-'} ${Math.abs(difference)}}`
}
