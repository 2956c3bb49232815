import { parseDuration } from '../../clock/duration.ts'
import { sleep, type WallClock } from '../../clock/wall-clock.ts'
import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { environmentOf } from '../../contract/ids.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { Scenario, Step } from '../format/scenario.ts'
import { expectsRefusal } from '../format/step-facts.ts'
import { Open } from '../result/open.ts'
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
    /** With a live key only as many as you accept. */
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
  if (!liveCredential(target)) return target
  const { mode, liveWrites, budget } = target
  const orders = Math.min(budget.orders, liveWrites ?? 0)
  return { ...target, mode: liveWrites === null ? 'read' : mode, budget: { ...budget, orders } }
}

/** The word, however it is set off: `pk_live_1`, `PK-LIVE-1`; not `delivery`. */
const LIVE = /(?:^|[^a-z])live(?:[^a-z]|$)/i

/**
 * The first live credential of the environment that is judged; one that says so in its key id or its secret is live. A live key of
 * another environment only ever reads (`mayWriteElsewhere`), so that it need not keep main from writing.
 */
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
  const [own = null, other = null] = [main, credential].map(
    (one) => one && (one.environment ?? (isLive(one) ? 'live' : environmentOf(one.keyId))),
  )
  return other !== null && other !== own && (own !== null || credential.environment !== undefined)
}

/**
 * Whether a key of another environment may write there. Who hands over the operator of a service has one to try things on, with all
 * of its environments but the live one; else others may use the other environment.
 */
export function mayWriteElsewhere({ mode }: Target, credential: TargetCredential): boolean {
  return mode === 'operator' && !isLive(credential)
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

/** How long each is waited for, where the target file does not say. Away from loopback others are served as well. */
const USUAL_MS = { loopback: 5_000, elsewhere: 30_000 } as const

/** As many deliveries may be on their way to other scenarios first. */
const USUAL_FOR_DELIVERIES_MS = { loopback: 10_000, elsewhere: 60_000 } as const

/** Who waits for whom. */
export interface Waiting {
  place: 'loopback' | 'elsewhere'
  target: Pick<Target, 'patience'>
}

/** A target that answers slowly does all else slowly, too: it is waited for so many times as long, but no longer than one elsewhere. */
const ANSWERS_OF_PATIENCE = 20

/**
 * How long a step waits at most for what it expects; 0 where nothing of it may come later.
 *
 * @param slowestAnswerMs how long the target took for its slowest answer to this scenario so far.
 */
export function longestWaitMs({ target, place }: Waiting, step: Step, slowestAnswerMs: number): number {
  const { call, events } = step
  const kinds: (keyof Target['patience'] | undefined)[] = []
  if (events) {
    kinds.push(events.hook === undefined ? 'events' : 'deliveries')
    if (events.type === undefined || events.type === 'order.refunded') kinds.push('refunds')
  } else if (call?.until !== undefined) kinds.push((call.op && MAY_BE_LATE[call.op]) ?? 'reports')
  else if (call?.op && step.fault === undefined && !expectsRefusal(step)) kinds.push(MAY_BE_LATE[call.op])
  const waits = kinds.map((kind) => {
    if (kind === undefined) return 0
    const { loopback: near, elsewhere } = kind === 'deliveries' ? USUAL_FOR_DELIVERIES_MS : USUAL_MS
    const usual =
      place === 'loopback' ? Math.min(elsewhere, Math.max(near, ANSWERS_OF_PATIENCE * slowestAnswerMs)) : elsewhere
    return target.patience[kind] ?? usual
  })
  return Math.max(parseDuration(call?.until ?? events?.within ?? '') ?? 0, ...waits)
}

/** Whether the target may be late with what this operation shows. */
export function mayComeLate(op: EndpointId | undefined): boolean {
  return op !== undefined && MAY_BE_LATE[op] === 'reports'
}

/** How long a hook holds its answer back: longer than the deadline by as much as the scenario says, whatever the deadline is here. */
export function heldBackMs(
  { webhookDeadlineMs }: Pick<Target, 'webhookDeadlineMs'>,
  answer: NonNullable<Step['hook']>['answer'],
): number {
  const after = typeof answer === 'object' && 'after' in answer ? answer.after : undefined
  const ms = parseDuration(after ?? '') ?? 0
  return webhookDeadlineMs === undefined ? ms : Math.round((ms * webhookDeadlineMs) / LIMITS.webhookTimeoutMs)
}

/** What the answers of operations may show late. */
const MAY_BE_LATE: Readonly<Partial<Record<EndpointId, keyof Target['patience']>>> = {
  ...Object.fromEntries(
    ENDPOINT_IDS.flatMap((id) => {
      const { effect, section, timeline } = ENDPOINTS[id]
      const isReport = section === 'Settlement and reporting' || section === 'Referral' || timeline === 'case'
      return effect === 'read' && isReport ? [[id, 'reports']] : []
    }),
  ),
  'events.list': 'events',
  'orders.list': 'refunds',
  'orders.detail': 'refunds',
}

/**
 * Counts what a run does to a target, and stops it at the limit.
 *
 * @example const meter = createBudget(target.budget, wallClock)
 */
export function createBudget(budget: Target['budget'], wall: WallClock, pause: typeof sleep = sleep) {
  const left = { orders: budget.orders, quotes: budget.quotes }
  let requests = 0
  let nextAtMs = 0
  const latestMs: number[] = []
  return {
    /** Requests sent so far. */
    get requests() {
      return requests
    },
    /** Sets aside what a scenario may leave behind. @throws Open (not_run) if there is not enough left. */
    reserve({ orders = 0, quotes = 0 }: Pick<NonNullable<Scenario['effects']>, 'orders' | 'quotes'>): void {
      if (orders > left.orders) throw tooFew('order', orders, left.orders)
      if (quotes > left.quotes) throw tooFew('quote', quotes, left.quotes)
      left.orders -= orders
      left.quotes -= quotes
    },
    /** Takes back what was set aside and cannot have been made. */
    giveBack({ orders = 0, quotes = 0 }: Pick<NonNullable<Scenario['effects']>, 'orders' | 'quotes'>): void {
      left.orders += orders
      left.quotes += quotes
    },
    /** Waits for its turn to send one request. @throws Open (not_run) if none is left. */
    async request(signal?: AbortSignal): Promise<void> {
      if (requests >= budget.requests)
        throw Open.notRun('budget', `the budget of ${budget.requests} requests is used up`)
      requests++
      const now = wall.monotonicMs()
      // When a window of ten seconds has room for one more; the times of requests that have left it are forgotten.
      const { inTenSeconds: most = Number.POSITIVE_INFINITY } = budget
      if (latestMs.length > most) latestMs.splice(0, latestMs.length - most)
      const roomMs = latestMs.length < most ? 0 : (latestMs[0] as number) + TEN_SECONDS_MS
      const at = Math.max(now, nextAtMs, roomMs)
      if (budget.perSecond !== null) nextAtMs = at + 1_000 / budget.perSecond
      if (budget.inTenSeconds !== undefined) latestMs.push(at)
      if (at > now) await pause(at - now, signal)
    },
  }
}

const TEN_SECONDS_MS = 10_000

function tooFew(noun: 'order' | 'quote', needed: number, left: number): Open {
  const wish = needed === 1 ? `1 ${noun} is needed` : `${needed} ${noun}s are needed`
  const rest = `${Math.max(0, left)} of the budget ${left === 1 ? 'is' : 'are'} left`
  return Open.notRun('budget', `${wish} and ${rest}; what a running scenario may still make counts`)
}
