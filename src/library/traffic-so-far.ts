import type { OperatorClient } from '../operator-api/client.ts'
import { type DeliveryFilter, deliveriesHandle, requestsHandle } from './traffic.ts'

const MOST = 5

/** The last deliveries in whatever state, each with what came of its last attempt, for who waited for one of them. */
export async function deliveriesSoFar(
  client: OperatorClient,
  world: string,
  { state: _state, ...filter }: DeliveryFilter,
): Promise<string> {
  const handle = deliveriesHandle(client, world)
  const { deliveries } = await handle.list({ ...filter, limit: MOST })
  if (deliveries.length === 0)
    return 'there is no such delivery in any state: was a webhook endpoint registered before?'
  const whole = await Promise.all(deliveries.map(({ delivery_id }) => handle.show(delivery_id)))
  const lines = whole.map(({ type, copy, state, attempts }) => {
    const last = attempts.at(-1)
    const outcome = last ? `attempt ${last.number} at ${last.url}: ${last.failure ?? last.status}` : 'no attempt yet'
    return `${type}${copy > 0 ? ` (copy ${copy})` : ''} is ${state}, ${outcome}`
  })
  return `deliveries, newest first: ${lines.join('; ')}`
}

/** The last calls, newest first, for who waited for one of them. */
export async function requestsSoFar(client: OperatorClient, world: string): Promise<string> {
  const { requests } = await requestsHandle(client, world).list({ limit: MOST })
  const lines = requests.map(({ method, target, status }) => `${method} ${target} ${status}`)
  return lines.length === 0 ? '' : `calls, newest first: ${lines.join('; ')}`
}
