import { ApiError } from '../../contract/errors.ts'
import type { Credential, World } from '../world.ts'
import { rememberSecret } from './known-secrets.ts'
import { endpointOf, upsertEndpoint } from './store.ts'

/** Where a partner wants to be told, and the secret it verifies deliveries with. */
export interface WebhookEndpoint {
  partnerId: string
  url: string
  secret: string
  active: boolean
  createdAtMs: number
  updatedAtMs: number
}

/**
 * Registers a partner's endpoint, or replaces it with all that is still due to it (HOOK-01, HOOK-06).
 *
 * @throws ApiError validation_error where the URL leads to a place that webhooks must not reach (HOOK-08).
 * @example registerEndpoint(world, caller, { url: 'http://127.0.0.1:8080/hook', secret })
 */
export function registerEndpoint(
  world: World,
  { partnerId }: Credential,
  { url, secret }: { url: string; secret: string },
): WebhookEndpoint {
  refuseUrl(world, url)
  refuseSecret(secret)
  const nowMs = world.clock.nowMs()
  const before = endpointOf(world.db, partnerId)
  const createdAtMs = before?.createdAtMs ?? nowMs
  const endpoint: WebhookEndpoint = { partnerId, url, secret, active: true, createdAtMs, updatedAtMs: nowMs }
  const { replaces } = world.rules.webhooks
  upsertEndpoint(world.db, {
    ...endpoint,
    url: before && !replaces.includes('url') ? before.url : url,
    secret: before && !replaces.includes('secret') ? before.secret : secret,
  })
  rememberSecret(world, secret)
  return endpoint
}

function refuseUrl(world: World, url: string): void {
  // The URL parser drops or encodes these without a word; what is registered must be what is called.
  if (hasControlCharacter(url)) throw new ApiError('validation_error', 'url must not contain control characters')
  const refusal = world.outbound.policy.refusalOfUrl(new URL(url))
  if (refusal) throw new ApiError('validation_error', `url is not allowed: ${refusal}`)
}

/** A secret with a line end at its end is a file read whole: it would never verify. */
function refuseSecret(secret: string): void {
  if (hasControlCharacter(secret)) throw new ApiError('validation_error', 'secret must not contain control characters')
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}
