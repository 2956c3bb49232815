import { environmentOf } from '../../contract/ids.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { RawTarget, RoleAddress } from './target-schema.ts'

export type { RoleAddress } from './target-schema.ts'

/** A service to be judged, with all that has to be known about it (docs: the target file). */
export interface Target {
  /** Base address without a trailing slash. */
  url: string
  /** Where all this comes from, so that advice names the right place. */
  told: 'in a file' | 'by flags'
  mode: NonNullable<RawTarget['mode']>
  /** Orders that a live key may create; null if a live key may only read. */
  liveWrites: number | null
  budget: {
    orders: number
    quotes: number
    requests: number
    /** Null: as fast as the target answers. */
    perSecond: number | null
    /** As fast as the target answers, but for this many requests in any ten seconds. */
    inTenSeconds?: number
  }
  credentials: TargetCredential[]
  fixtures: TargetFixtures
  operator: {
    /** Operator address of a running sandbox; null if only single actions are given. */
    url: string | null
    token: string | null
    world: string
    actions: Partial<Record<string, OperatorRequest>>
  } | null
  /** Where this run can be reached with webhooks; null if it cannot. */
  receiver: TargetReceiver | null
  dialect: DialectFile
  /** Gap answers that were seen before; another answer is drift. */
  pins: Record<string, unknown>
  /** How long the run waits for this target, in milliseconds; the default if absent. */
  patience: Partial<Record<keyof NonNullable<RawTarget['patience']>, number>>
  /** How long one call may take, in milliseconds. */
  timeoutMs: number
  /** How long a delivery may take here, if that is not what the document says: the run has set it so. */
  webhookDeadlineMs?: number
  /** Values from the environment for operator actions, beside the known secrets; no output shows them. */
  knownSecrets?: readonly string[]
}

export interface TargetCredential {
  name: string
  keyId: string
  secret: string
  /** Null: not given; the runner finds out with one read a scope. */
  scopes: readonly Scope[] | null
  /** Partners with the same word are the same partner. */
  partner: string
  /** Its environment, if the target file names it; else the word of its key id says. */
  environment?: string
  /** Null: not given. */
  affiliate: boolean | null
  merchantOfRecord: boolean | null
}

interface TargetFixtures {
  sellable: string[]
  listed: string[]
  unlisted: string[]
  liveSite: string[]
  topic: { query: string; finds: string[] } | null
  webhookUrl: string | null
}

interface TargetReceiver {
  /** host:port that the run listens on; port 0 picks a free one. */
  listen: string
  /** How the target reaches it, with `${port}` for the port; null: as it listens. */
  publicUrl: string | null
}

/** One HTTP request that carries an action out. `${...}` in it is filled in with the action's arguments. */
export interface OperatorRequest {
  method: string
  url: string
  headers: Record<string, string>
  json?: unknown
}

type RawDialect = Required<NonNullable<RawTarget['dialect']>>

/** How a target fills the gaps, as the target file says. */
export interface DialectFile {
  priceUnit: RawDialect['price_unit'] | null
  params: RawDialect['params']
  bodies: RawDialect['bodies']
  roles: Partial<Record<string, RoleAddress>>
  statuses: RawDialect['statuses']
  paymentModels: RawDialect['payment_models']
}

/** A live key reads only, unless you say how many orders it may create (the word decides, not the host). */
export function withLiveRule(target: Target): Target {
  if (target.liveWrites !== null || !hasLiveKey(target)) return target
  return { ...target, mode: 'read' }
}

/** The word, however it is set off: `pk_live_1`, `PK-LIVE-1`; not `delivery`. */
const LIVE = /(?:^|[^a-z])live(?:[^a-z]|$)/i

/**
 * Whether a credential of the environment that is judged is a live one; one that says so in its key id or its secret is.
 * A live key of another environment only ever reads (`mayWriteElsewhere`), so that it need not keep main from writing.
 */
export function hasLiveKey(target: Target): boolean {
  return liveCredential(target) !== undefined
}

/** The first credential of the live environment, where that is the one that is judged. */
export function liveCredential(target: Target): TargetCredential | undefined {
  return target.credentials.find((credential) => isLive(credential) && !isElsewhere(target, credential))
}

/** An environment word that is not one of tests is taken for live, unless the target file names another environment. */
function isLive({ keyId, secret, environment }: TargetCredential): boolean {
  if (/^sk[^a-z0-9]live/i.test(secret)) return true
  const [, word] = /^pk[^a-z0-9]([a-z]+)(?![a-z])/i.exec(keyId) ?? []
  if (word === undefined) return LIVE.test(keyId)
  if (/^live$/i.test(word)) return true
  return !/^(?:sandbox|test)$/i.test(word) && (environment === undefined || environment === 'live')
}

/** Whether a credential belongs to another environment than main's (CRED-02). One that names none belongs to main's. */
export function isElsewhere({ credentials }: Pick<Target, 'credentials'>, credential: TargetCredential): boolean {
  const main = credentials.find(({ name }) => name === 'main')
  const own = main ? environmentNamedBy(main) : null
  const other = environmentNamedBy(credential)
  return other !== null && other !== own && (own !== null || credential.environment !== undefined)
}

/**
 * Whether a key of another environment may write there. Who hands over the operator of a service has one to try things on, with all
 * of its environments but the live one; else others may use the other environment.
 */
export function mayWriteElsewhere({ mode }: Target, credential: TargetCredential): boolean {
  return mode === 'operator' && !isLive(credential)
}

function environmentNamedBy(credential: TargetCredential): string | null {
  return credential.environment ?? (isLive(credential) ? 'live' : environmentOf(credential.keyId))
}

/** Orders that a run may create: those of the budget, and with a live key only as many as you accept. */
export function ordersAllowed(target: Target): number {
  return hasLiveKey(target) ? Math.min(target.budget.orders, target.liveWrites ?? 0) : target.budget.orders
}

/** What has something or lacks it, as the first words of a sentence. Without a target file, the sentence must not name one. */
export function whereTold({ told }: Pick<Target, 'told'>): string {
  return told === 'in a file' ? 'the target file has' : 'a run by --key-id alone (without --target FILE) has'
}

/** Why a run does not write, and what makes it. */
export function whyItOnlyReads(target: Target): string {
  const live = liveCredential(target)
  if (live) {
    const away =
      target.told === 'in a file' ? 'leave it out of the target file' : 'add --live-writes N --i-accept-orders'
    return `the credential ${live.name} (${live.keyId}) has a live key, so the run only reads; to write, ${away}`
  }
  return target.told === 'in a file'
    ? 'the target file does not say mode: write or operator'
    : 'the run only reads; add --mode write'
}

/** Why the run does not act as the staff of the target, and what makes it. */
export function whyNobodyOperates({ told, operator, mode }: Pick<Target, 'told' | 'operator' | 'mode'>): string {
  if (told === 'in a file') {
    if (operator === null) return 'the target file has no operator'
    return mode === 'operator' ? 'the target file does not say how' : 'the target file does not say mode: operator'
  }
  return operator === null ? 'add --operator-url URL --mode operator' : 'add --mode operator'
}
