import type { RecordedAct } from './history.ts'

/** What an operator did, by the operation that did it; completes "the operator ...". Null for what leaves no trace in answers. */
const DEEDS: Readonly<Record<string, string | null>> = {
  'POST /credentials': 'made a credential',
  'PATCH /credentials/{key_id}': 'changed a credential',
  'POST /credentials/{key_id}/rotate': 'gave a credential a new key',
  'DELETE /credentials/{key_id}': 'deleted a credential',
  'POST /faults': 'had calls go wrong in a way that no scenario can ask for',
  // Each fail_next is used up by the calls that follow it.
  'DELETE /faults/{id}': null,
  'DELETE /faults': null,
  'PUT /clock': 'set the clock to go otherwise',
  'POST /clock/advance': 'advanced the clock, which did not move',
  'DELETE /clock/advance': 'stopped a jump of the clock',
  'POST /domains': 'changed which domains are listed',
  'PATCH /domains/{name}': 'changed a listing',
  'DELETE /domains/{name}': 'took a domain off the list',
  'DELETE /coverage': null,
  'POST /payout-runs': 'paid partners out',
  'POST /checkout-sessions/{session_id}/pay': 'tried to pay a checkout session, which sold nothing then',
  'POST /checkout-sessions/{session_id}/decline': 'declined the payment of a checkout session',
  'POST /checkout-sessions/{session_id}/cancel': 'cancelled a checkout session',
  'PUT /rules': 'changed the rules of the world',
  'POST /deliveries/{delivery_id}/redeliver': 'had a webhook delivered once more',
  'POST /deliveries/{delivery_id}/probe': 'tried tampered webhooks on a receiver',
  'DELETE ': 'deleted the world',
  'POST /reset': 'reset the world',
  'POST /settlement-runs': 'closed a settlement period before any order was recorded',
  'PUT /delivery-profile': 'changed how webhooks are delivered',
  'PUT /snapshot': 'put a snapshot in place of the world',
  'POST /fork': null,
  'POST /credentials/{key_id}/signatures': null,
  'PUT /rate-limit': 'changed the rate limit',
  'PUT /progress': 'changed how orders go on by themselves',
}

/** What an id is of, in an operation whose last part is the deed. */
const THINGS: Readonly<Record<string, string>> = { orders: 'an order', brokerage: 'a brokerage case' }

/**
 * An act that a scenario leaves out, as a person says it; null where nothing is lost by leaving it out.
 *
 * @example inWords({ operation: 'PUT /progress', ... }) // 'the operator changed how orders go on by themselves'
 */
export function inWords({
  operation,
  params,
  body,
}: Pick<RecordedAct, 'operation' | 'params' | 'body'>): string | null {
  const deed = operation === 'POST /faults' ? faultInWords(body) : DEEDS[operation]
  if (deed === null) return null
  if (deed !== undefined) return `the operator ${deed}${namedIn(params)}`
  if (operation === 'POST /brokerage/{case_id}/negotiate')
    return `the operator began to negotiate a brokerage case${namedIn(params)}`
  const [, kind = '', step = ''] = /^POST \/([a-z-]+)\/\{\w+\}\/([a-z-]+)$/.exec(operation) ?? []
  const thing = THINGS[kind] ?? 'something'
  return `the operator's ${step.replaceAll('-', ' ')} of ${thing} that no recorded call made${namedIn(params)}`
}

function namedIn(params: RecordedAct['params']): string {
  const [name] = Object.values(params)
  return name === undefined ? '' : ` (${name})`
}

function faultInWords({ effect }: RecordedAct['body']): string {
  const { status, code, delay_ms: delay, drop, garbage } = (effect ?? {}) as Record<string, unknown>
  if (delay !== undefined) return `had answers held back for ${delay} ms`
  if (drop !== undefined) return 'had connections closed in place of an answer'
  if (garbage !== undefined) return 'had the bodies of answers spoilt'
  const words = [status, code].filter((word) => word !== undefined).join(' ')
  return `had calls refused with ${words}; only failing with 500 is for a scenario to ask, and only of calls that were made`
}
