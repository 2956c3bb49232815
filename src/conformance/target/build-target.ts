import { parseDuration } from '../../clock/duration.ts'
import type { RawRequest } from './operator-schema.ts'
import type { OperatorRequest, Target, TargetCredential, TargetOperator, TargetReceiver } from './target.ts'
import type { RawTarget } from './target-schema.ts'

const DEFAULT_TIMEOUT_MS = 10_000
/** More than the whole suite can take, of a service on this machine. */
const DEFAULT_BUDGET = { orders: 500, quotes: 200, requests: 20_000 } as const
/** Away from loopback a target is shared with others: be modest. */
const FOREIGN_BUDGET = { orders: 20, quotes: 20, requests: 2_000 } as const
const FOREIGN_PER_SECOND = 20

/** The target that a checked file describes, defaults filled in. */
export function built(raw: RawTarget): Target {
  const url = raw.url.replace(/\/+$/, '')
  const loopback = isLoopback(url)
  const budget = { ...(loopback ? DEFAULT_BUDGET : FOREIGN_BUDGET), ...raw.budget }
  const fixtures = raw.fixtures ?? {}
  return {
    url,
    told: 'in a file',
    mode: raw.mode ?? 'read',
    liveWrites: null,
    budget: {
      orders: budget.orders,
      quotes: budget.quotes,
      requests: budget.requests,
      perSecond: raw.budget?.per_second ?? (loopback ? null : FOREIGN_PER_SECOND),
    },
    credentials: raw.credentials.map(credentialOf),
    fixtures: {
      sellable: fixtures.sellable ?? [],
      listed: fixtures.listed ?? [],
      unlisted: fixtures.unlisted ?? [],
      liveSite: fixtures.live_site ?? [],
      topic: fixtures.topic ?? null,
      webhookUrl: fixtures.webhook_url ?? null,
    },
    operator: raw.operator ? operatorOf(raw.operator) : null,
    receiver: receiverOf(raw.receiver, loopback),
    dialect: {
      priceUnit: raw.dialect?.price_unit ?? null,
      params: raw.dialect?.params ?? {},
      bodies: raw.dialect?.bodies ?? {},
      roles: raw.dialect?.roles ?? {},
      statuses: raw.dialect?.statuses ?? {},
      paymentModels: raw.dialect?.payment_models ?? {},
    },
    pins: raw.pins ?? {},
    patience: Object.fromEntries(
      Object.entries(raw.patience ?? {}).map(([kind, text]) => [kind, parseDuration(text) ?? 0]),
    ),
    timeoutMs: (raw.timeout === undefined ? null : parseDuration(raw.timeout)) ?? DEFAULT_TIMEOUT_MS,
  }
}

function credentialOf(raw: RawTarget['credentials'][number]): TargetCredential {
  return {
    name: raw.name,
    keyId: raw.key_id,
    secret: raw.secret,
    scopes: raw.scopes ?? null,
    partner: raw.partner ?? (raw.name === 'main' ? 'main' : raw.name),
    ...(raw.environment === undefined ? {} : { environment: raw.environment }),
    affiliate: raw.affiliate ?? null,
    merchantOfRecord: raw.merchant_of_record ?? null,
  }
}

const DEFAULT_LISTEN = '127.0.0.1:0'

/** A target on this machine reaches us without a configured URL. */
function receiverOf(raw: RawTarget['receiver'], loopback: boolean): TargetReceiver | null {
  if (!raw) return loopback ? { listen: DEFAULT_LISTEN, publicUrl: null } : null
  return { listen: raw.listen ?? DEFAULT_LISTEN, publicUrl: raw.public_url ?? null }
}

function operatorOf(raw: NonNullable<RawTarget['operator']>): TargetOperator {
  const actions = Object.entries(raw.actions ?? {}).map(([name, row]) => [name, row && requestOf(row)] as const)
  return {
    url: raw.url?.replace(/\/+$/, '') ?? null,
    token: raw.token ?? null,
    world: raw.world ?? 'default',
    actions: Object.fromEntries(actions),
  }
}

function requestOf({ request, headers = {}, ...rest }: RawRequest): OperatorRequest {
  const [method = 'POST', url = ''] = request.split(' ', 2)
  return { method, url, headers, ...rest }
}

/**
 * Whether an address is this machine.
 *
 * @example isLoopback('http://127.0.0.1:4600') // true
 */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false
  const host = new URL(url).hostname
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host)
}
