import type { GapChoices } from '../contract/choices.ts'
import type { CamelCased } from '../operator-api/camel-case.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import type { Connection } from '../operator-api/connection.ts'
import { SandboxRefusal } from '../operator-api/refusals.ts'
import type { Coverage } from '../operator-api/rows/coverage.ts'
import type { AuditReport, PayoutRun, SettlementRun } from '../operator-api/rows/money.ts'
import {
  type SeededMonth,
  SNAPSHOT,
  type WorldFacts,
  type WorldSummary,
  type WorldWithCredentials,
  type WrittenProgress,
  type WrittenRules,
} from '../operator-api/rows/worlds.ts'
import { type AccessHandle, accessHandle, type CastName, type Credentials, credentialsOf } from './credentials.ts'
import { refusedCalls } from './explain-timeout.ts'
import {
  type CasesHandle,
  type CheckoutHandle,
  type ClockHandle,
  checkoutHandle,
  clockHandle,
  type DeliveriesHandle,
  type DomainsHandle,
  deliveriesHandle,
  domainsHandle,
  type EventsHandle,
  type FaultsHandle,
  faultsHandle,
  type OrdersHandle,
  type RequestsHandle,
  requestsHandle,
} from './handles.ts'
import { pagedMethodsOf } from './methods.ts'
import { createPartnerClient, type PartnerClient } from './partner-client.ts'
import { createWaiting, type Waiting } from './waiting.ts'

/** The automatic steps of a world; durations of its time, null or left out for never. */
export type ProgressOptions = CamelCased<WrittenProgress>

/** The partner's shares, in hundredths of a percent, and the rules that hold an order for manual review. */
export type RulesOptions = CamelCased<WrittenRules>

/**
 * How a world is created; every member has a default.
 *
 * @example const world = await sandbox.createWorld({ seed: 'ci', frozen: true, progress: { startAfter: '10m' } })
 */
export interface WorldOptions {
  /** Generated if none is given. */
  name?: string
  /** Everything synthetic derives from it: inventory, prices, ids. By default the seed of the sandbox. */
  seed?: string
  /** Number of listings generated from the seed, besides the magic ones. */
  inventory?: number
  /** Start time of its clock; now by default. */
  clock?: string | Date
  /** Freezes the clock: scheduled tasks wait for `clock.advance`. */
  frozen?: boolean
  /** Non-default choices of this world for open points of the API document (docs/api.md). */
  gaps?: Partial<GapChoices>
  /** Draws the open points that `gaps` does not set from this seed. */
  vary?: string
  /** The partner's shares, and which orders are held for review. */
  rules?: RulesOptions
  /** Answers refused calls with a `hint`: why, and the command that shows more. */
  hints?: boolean
  /** Automatic steps of orders; `manual`, the default, means none. */
  progress?: 'manual' | ProgressOptions
}

/**
 * A world: inventory, clock, orders, events, webhooks, faults and a request log of its own, reached by its own credentials at
 * the same address as all others.
 *
 * @example
 * const world = await sandbox.createWorld({ seed: 'ci' })
 * const { keyId, secret } = world.credentials.main // for the client under test
 */
export interface World extends Waiting, AsyncDisposable {
  readonly name: string
  /** Address of the partner API, the same for all worlds. */
  readonly url: string
  readonly credentials: Credentials
  readonly clock: ClockHandle
  readonly orders: OrdersHandle
  readonly cases: CasesHandle
  readonly checkout: CheckoutHandle
  readonly domains: DomainsHandle
  readonly faults: FaultsHandle
  readonly events: EventsHandle
  readonly deliveries: DeliveriesHandle
  readonly requests: RequestsHandle
  /** Makes, changes, renews and deletes credentials; `credentials` is as they leave it. */
  readonly access: AccessHandle
  /** A signed client for a credential, by name. */
  as(credential: CastName | (string & {})): PartnerClient
  /** A signed call as `main`: `await world.call('GET', '/orders')`. */
  readonly call: PartnerClient['call']
  show(): Promise<WorldFacts>
  /** Counts by state of orders, sessions, cases and deliveries, and what is due next. */
  summary(): Promise<WorldSummary>
  /** Sets its automatic steps; omitted ones are turned off. */
  setProgress(progress: ProgressOptions): Promise<WorldFacts['progress']>
  /** Sets shares and review rules; omitted ones use their defaults. */
  setRules(rules: RulesOptions): Promise<WorldFacts['rules']>
  /** Limits the calls per credential in a number of seconds; null, or 0 requests, for no limit. */
  setRateLimit(limit: { requests: number; seconds: number } | null): Promise<void>
  /** Whether refused calls are answered with a `hint`. */
  setHints(hints: boolean): Promise<void>
  /** Closes the settlement period. */
  settle(): Promise<SettlementRun>
  /** Pays every partner what is due. */
  payout(): Promise<PayoutRun>
  /**
   * Recomputes all amounts.
   *
   * @example expect((await world.audit()).balanced).toBe(true)
   */
  audit(): Promise<AuditReport>
  /** What the client has exercised of the contract so far. */
  coverage(): Promise<Coverage>
  /** Resets the counts; everything else in the world stays. */
  resetCoverage(): Promise<void>
  /** The same as an HTML page that can be kept or sent. */
  coverageSheet(): Promise<string>
  /** The last calls that were refused, newest first, a line each with the reason. */
  refusals(): Promise<string[]>
  /** Back to its seed; credentials and settings stay. */
  reset(): Promise<WorldFacts>
  /**
   * Adds a month of sales: its clock moves by 30 days, in which so many orders are made (200 unless given) and go on.
   *
   * @example const { orders } = await world.seed({ orders: 2_000 }) // how many are in each state
   */
  seed(options?: { orders?: number }): Promise<SeededMonth>
  /** The whole world as a SQLite database. It holds the secrets of its credentials. */
  snapshot(): Promise<Uint8Array>
  /** Restores this world from a snapshot; the keys of its credentials stay. */
  restore(snapshot: Uint8Array): Promise<void>
  /**
   * A second world that continues from here, with fresh credentials.
   *
   * @example const [sad, happy] = [await world.fork(), world]
   */
  fork(name?: string): Promise<World>
  delete(): Promise<void>
}

/** What all handles of one sandbox share. */
export interface SandboxAccess {
  operator: OperatorClient
  partner: Connection
  /** Address of the partner API. */
  url: string
  /** Secrets that this handle knows, by key id. */
  secrets: Map<string, string>
}

/** A world may be deleted before the end of the block that uses it. */
function unlessGone(error: unknown): void {
  if (!(error instanceof SandboxRefusal && error.status === 404)) throw error
}

export function worldHandle(lines: SandboxAccess, { world: w, credentials: written }: WorldWithCredentials): World {
  const { operator: client } = lines
  const credentials = credentialsOf(written, lines.secrets)
  const as = (wanted: string): PartnerClient => {
    const credential = credentials[wanted]
    if (!credential)
      throw new TypeError(`${w} has no credential ${wanted}; it has ${Object.keys(credentials).join(', ')}`)
    return createPartnerClient({ ...lines, world: w }, credential)
  }
  const remove = () => client.call('worlds.delete', { w })
  return {
    name: w,
    url: lines.url,
    credentials,
    as,
    call: (...call) => as('main').call(...call),
    access: accessHandle(client, w, credentials, lines.secrets),
    clock: clockHandle(client, w),
    orders: pagedMethodsOf(client, w, 'orders'),
    cases: pagedMethodsOf(client, w, 'cases'),
    checkout: checkoutHandle(client, w),
    domains: domainsHandle(client, w),
    faults: faultsHandle(client, w),
    events: pagedMethodsOf(client, w, 'events'),
    deliveries: deliveriesHandle(client, w),
    requests: requestsHandle(client, w),
    ...createWaiting(client, w),
    show: () => client.call('worlds.show', { w }),
    summary: () => client.call('worlds.summary', { w }),
    setProgress: (progress) => client.call('progress.set', { w }, progress),
    setRules: (rules) => client.call('rules.set', { w }, rules),
    async setRateLimit(limit) {
      await client.call('rateLimit.set', { w }, limit ?? { requests: 0, seconds: 1 })
    },
    async setHints(hints) {
      await client.call('hints.set', { w }, { hints })
    },
    settle: () => client.call('settlementRuns.create', { w }),
    payout: () => client.call('payoutRuns.create', { w }),
    audit: () => client.call('audit.show', { w }),
    coverage: () => client.call('coverage.show', { w }),
    resetCoverage: () => client.call('coverage.reset', { w }),
    coverageSheet: async () => (await client.fetch('coverage.show', { w }, { format: 'html' })).toString('utf8'),
    refusals: () => refusedCalls(client, w),
    reset: () => client.call('worlds.reset', { w }),
    seed: (options = {}) => client.call('worlds.seed', { w }, options),
    snapshot: () => client.fetch('snapshots.save', { w }),
    async restore(snapshot) {
      await client.send('snapshots.restore', { w }, { type: SNAPSHOT.type, bytes: snapshot })
    },
    async fork(name) {
      return worldHandle(lines, await client.call('worlds.fork', { w }, name === undefined ? {} : { name }))
    },
    delete: remove,
    [Symbol.asyncDispose]: () => remove().catch(unlessGone),
  }
}
