import { ApiError } from '../../contract/errors.ts'
import type { Credential, World } from '../kernel/world.ts'
import { hasName } from './address-policy.ts'
import type { WebhookEndpoint } from './delivery.ts'
import { judgeName } from './judge-name.ts'
import { bringForward, endpointOf, upsertEndpoint } from './store.ts'

/** What a partner sends. */
export interface Registration {
  url: string
  secret: string
}

/**
 * Registers a partner's endpoint, or replaces it with all that is still due to it (HOOK-01, HOOK-06).
 *
 * @throws ApiError where the URL leads to a place that webhooks must not reach (HOOK-08).
 * @example registerEndpoint(world, caller, { url: 'http://127.0.0.1:8080/hook', secret })
 */
export function registerEndpoint(
  world: World,
  { partnerId }: Credential,
  { url, secret }: Registration,
): WebhookEndpoint {
  refuseRegistration(world, { url, secret })
  const nowMs = world.clock.nowMs()
  const before = endpointOf(world.db, partnerId)
  const createdAtMs = before?.createdAtMs ?? nowMs
  const endpoint: WebhookEndpoint = { partnerId, url, secret, createdAtMs, updatedAtMs: nowMs }
  const { replaces } = world.rules.webhooks
  upsertEndpoint(world.db, {
    ...endpoint,
    url: before && !replaces.includes('url') ? before.url : url,
    secret: before && !replaces.includes('secret') ? before.secret : secret,
  })
  world.webhookSecrets.add(secret)
  // What a failing delivery holds up need not wait any longer: another receiver may take it.
  if (before && world.gaps['delivery-order'] === 'yes') bringForward(world.db, partnerId, nowMs)
  return endpoint
}

/**
 * What has to be found out in real time before a registration: what the name in its URL stands for.
 *
 * @param tellOperator told more of a refusal than the partner.
 * @returns null where there is nothing to find out. The work rejects with an ApiError validation_error where the name
 *   leads nowhere, or to any place that webhooks must not reach (HOOK-08).
 * @throws ApiError validation_error for what is refused without it.
 */
export function nameJudgement(
  world: World,
  registration: Registration,
  tellOperator: (detail: string) => void,
): (() => Promise<void>) | null {
  refuseRegistration(world, registration)
  const url = new URL(registration.url)
  if (!hasName(url)) return null
  return async () => {
    const refused = await judgeName(world.outbound, url)
    if (!refused) return
    tellOperator(refused.detail)
    throw notAllowed(world, refused.told)
  }
}

function refuseRegistration(world: World, { url, secret }: Registration): void {
  refuseUrl(world, url)
  refuseSecret(secret)
}

function notAllowed({ gaps }: World, refusal: string): ApiError {
  return new ApiError(gaps['webhook-url-refusal'], `url is not allowed: ${refusal}`)
}

function refuseUrl(world: World, url: string): void {
  const refusal = world.outbound.policy.refusalOfUrl(new URL(url))
  if (refusal) throw notAllowed(world, refusal)
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
