import { callAfter } from '../../clock/wall-clock.ts'
import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Db } from '../../storage/db.ts'
import type { Credential, KnownSecrets, Resolve, World } from '../kernel/world.ts'
import { hasName, hostOf } from './address-policy.ts'
import type { WebhookEndpoint } from './delivery.ts'

const SELECT_ENDPOINT = `SELECT partner_id AS partnerId, url, secret, created_at AS createdAtMs, updated_at AS updatedAtMs
  FROM webhook_endpoints`

/** Where a partner has its events sent; null if it has not registered an endpoint. */
export function endpointOf(db: Db, partnerId: string): WebhookEndpoint | null {
  return db.statement<WebhookEndpoint>(`${SELECT_ENDPOINT} WHERE partner_id = ?`).get(partnerId) ?? null
}

export function allEndpoints(db: Db): WebhookEndpoint[] {
  return db.statement<WebhookEndpoint>(`${SELECT_ENDPOINT} ORDER BY partner_id`).all()
}

/** Writes an endpoint in the place of the one that its partner had. */
export function upsertEndpoint(db: Db, endpoint: WebhookEndpoint): void {
  const sql = `INSERT OR REPLACE INTO webhook_endpoints (partner_id, url, secret, created_at, updated_at)
    VALUES (@partnerId, @url, @secret, @createdAtMs, @updatedAtMs)`
  db.statement(sql).run(endpoint)
}

interface Registration {
  url: string
  secret: string
}

/**
 * Registers a partner's endpoint, or replaces it with all that is still due to it (HOOK-01, HOOK-06).
 *
 * @throws ApiError where the URL leads to a place that webhooks must not reach (HOOK-08).
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
  upsertEndpoint(world.db, endpoint)
  world.webhookSecrets.add(secret)
  // What a failing delivery holds up need not wait any longer: another receiver may take it.
  if (before && world.gaps['delivery-order'] === 'yes') bringForward(world.db, partnerId, nowMs)
  return endpoint
}

/** All that waits for a partner is due at once. */
function bringForward(db: Db, partnerId: string, nowMs: number): void {
  const sql = `UPDATE deliveries SET next_attempt_at = @nowMs
    WHERE partner_id = @partnerId AND state = 'pending' AND next_attempt_at > @nowMs`
  db.statement(sql).run({ partnerId, nowMs })
}

/**
 * What has to be found out in real time before a registration: what the name in its URL stands for. Each attempt judges again what
 * it stands for then.
 *
 * @param tellOperator gets more of a refusal than the partner: the addresses are for the operator alone.
 * @returns null if there is nothing to find out. The work rejects with an ApiError validation_error if the name
 *   leads nowhere, or to any place that webhooks must not reach (HOOK-08).
 * @throws ApiError validation_error for what is refused without it.
 */
export function nameJudgment(
  world: World,
  registration: Registration,
  tellOperator: (detail: string) => void,
): (() => Promise<void>) | null {
  refuseRegistration(world, registration)
  const url = new URL(registration.url)
  if (!hasName(url)) return null
  return async () => {
    const { policy, resolve } = world.outbound
    const addresses = await addressesOf(resolve, hostOf(url))
    const refusal = policy.refusalOfName(url, addresses)
    if (refusal === null) return
    tellOperator(`the name stood for ${addresses.join(', ') || 'no address'}`)
    throw notAllowed(world, registration.url, refusal)
  }
}

/** In real time. A name that takes longer counts as one that cannot be resolved. */
const LONGEST_LOOKUP_MS = 2_000

/** None where the name cannot be resolved in time. */
function addressesOf(resolve: Resolve, name: string): Promise<string[]> {
  return new Promise((done) => {
    const alarm = callAfter(LONGEST_LOOKUP_MS, () => done([]))
    resolve(name, (error, addresses) => {
      alarm.cancel()
      done(error ? [] : addresses.map(({ address }) => address))
    })
  })
}

function refuseRegistration(world: World, { url, secret }: Registration): void {
  const refusal = world.outbound.policy.refusalOfUrl(new URL(url))
  if (refusal) throw notAllowed(world, url, refusal)
  // A secret with a line end at its end is a file read whole: it would never verify.
  if (CONTROL_CHARACTER.test(secret))
    throw new ApiError('validation_error', 'secret must not contain control characters')
}

/** Those of ASCII. */
const CONTROL_CHARACTER = /(?![\u0080-\u009f])\p{Cc}/u

function notAllowed({ gaps }: World, url: string, refusal: string): ApiError {
  const sent = url.slice(0, LIMITS.quotedCharacters)
  return new ApiError(gaps['webhook-url-refusal'], `url is not allowed: ${refusal}`, {
    grounds: { compared: [{ name: 'url', sent, expected: 'an address that webhooks may be sent to' }] },
  })
}

/** Older ones are still taken out of the bodies that brought them, by the member they are in. */
const MOST = 500

/** Those of the tables when a world is opened; those that come later are added. */
export function createKnownSecrets(db: Db): KnownSecrets {
  const secrets = new Set(allEndpoints(db).map(({ secret }) => secret))
  return {
    all: secrets,
    add(secret) {
      secrets.delete(secret)
      secrets.add(secret)
      const oldest = secrets.values().next().value
      if (secrets.size > MOST && oldest !== undefined) secrets.delete(oldest)
    },
  }
}
