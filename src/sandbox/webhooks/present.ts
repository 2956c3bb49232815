import { formatInstant } from '../../clock/instant.ts'
import type { WebhookEndpoint } from './endpoints.ts'

/** A registration as its partner sees it: never with the secret (HOOK-01). */
export function presentEndpoint({ url, active, createdAtMs }: WebhookEndpoint) {
  return { url, active, created_at: formatInstant(createdAtMs) }
}
