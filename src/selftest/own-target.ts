import { type Target, type TargetCredential, targetFromFlags } from '../conformance/target.ts'
import { OPEN_PARAMS } from '../conformance/target-schema.ts'
import { isScope } from '../contract/scopes.ts'
import type { RunningServer } from '../server.ts'

type Handed = RunningServer['credentials'][number]

/** More than all scenarios together can use: nobody pays for what our own sandbox records. */
const OWN_BUDGET = { orders: 10_000, quotes: 10_000, requests: 1_000_000, perSecond: null }

/**
 * How our sandbox fills the gaps (shapes.md). What is told here is missed where it is absent: without it, nobody could
 * say whether a sandbox with a defect lacks a field or calls it otherwise.
 */
const OWN_DIALECT: Pick<Target['dialect'], 'statuses' | 'params' | 'roles'> = {
  statuses: { held: 'MANUAL_REVIEW', refunded: 'REFUNDED', cancelled: 'CANCELLED' },
  params: OPEN_PARAMS,
  roles: {
    'domains.detail:listing.price': { at: '/price_cents', unit: 'cents' },
    'domains.detail:listing.metadata': '/metadata',
    'availability:listing.price': { at: '/price_cents', unit: 'cents' },
    'pricing:listing.price': { at: '/buy_now_price_cents', unit: 'cents' },
    'pricing:listing.floor': { at: '/floor_price_cents', unit: 'cents' },
    'quotes.create:quote.price': { at: '/price_cents', unit: 'cents' },
    'quotes.create:quote.token': '/quote_token',
    'orders.detail:order.timeline': '/timeline',
    'orders.detail:order.quote_id': '/quote_id',
    'orders.detail:order.external_payment_ref': '/external_payment_ref',
    'orders.list:orders.next': '/next_cursor',
  },
}

/** A target with everything that a sandbox of our own hands out. */
export function ownTarget(server: RunningServer): Target {
  const main = server.credentials.find(({ name }) => name === 'main')
  if (!main) throw new Error('the sandbox has no credential called main')
  const target = targetFromFlags({
    ...{ url: server.url, keyId: main.key_id, secret: main.secret, mode: 'operator', budget: OWN_BUDGET },
    ...(server.operator ? { operatorUrl: server.operator.url, world: server.world } : {}),
    ...(server.operator?.token ? { operatorToken: server.operator.token } : {}),
  })
  const { statuses, params, roles } = OWN_DIALECT
  // A revoked credential is refused by design; as a capability it would be a lie.
  return {
    ...target,
    dialect: { ...target.dialect, statuses, params, roles },
    credentials: server.credentials.filter(({ name }) => name !== 'revoked').map(credentialOf),
  }
}

function credentialOf(handed: Handed): TargetCredential {
  return {
    name: handed.name,
    keyId: handed.key_id,
    secret: handed.secret,
    scopes: handed.scopes.filter(isScope),
    partner: handed.partner_id,
    affiliate: handed.affiliate,
    merchantOfRecord: handed.merchant_of_record,
  }
}
