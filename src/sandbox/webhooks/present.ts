import { formatInstant } from '../../clock/instant.ts'
import type { WebhookEndpoint } from './delivery.ts'

/** A registration as its partner sees it: never with the secret (HOOK-01). */
export function presentEndpoint({ url, createdAtMs }: WebhookEndpoint) {
  // Nothing switches an endpoint off, so a registered one is active.
  return { url, active: true, created_at: formatInstant(createdAtMs) }
}
