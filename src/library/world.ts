import type { OperatorClient } from '../operator-api/client.ts'
import type { Connection } from '../operator-api/connection.ts'
import { SandboxRefusal } from '../operator-api/refusals.ts'
import { type AccessHandle, accessHandle } from './access.ts'
import type { WorldFacts } from './answers.ts'
import { type ClockHandle, clockHandle } from './clock.ts'
import type { Coverage } from './coverage.ts'
import { type CastName, type Credentials, credentialsOf, type WrittenCredential } from './credentials.ts'
import { type DomainsHandle, domainsHandle } from './domains.ts'
import { refusedCalls } from './explain-timeout.ts'
import { type FaultsHandle, faultsHandle } from './faults.ts'
import type { AuditReport, PayoutRun, SettlementRun } from './money-answers.ts'
import { createPartnerClient, type PartnerClient } from './partner-client.ts'
import {
  type CasesHandle,
  type CheckoutHandle,
  casesHandle,
  checkoutHandle,
  type OrdersHandle,
  ordersHandle,
  pathOf,
} from './sales.ts'
import {
  type DeliveriesHandle,
  deliveriesHandle,
  type EventsHandle,
  eventsHandle,
  type RequestsHandle,
  requestsHandle,
} from './traffic.ts'
import { createWaiting, type Waiting } from './waiting.ts'
import type { ProgressOptions, RulesOptions } from './world-options.ts'

/**
 * A world: inventory, clock, orders, events, webhooks, faults and a request log of its own, reached by its own credentials at
 * the same address as all others.
 *
 * @example
 * const world = await sandbox.createWorld({ seed: 'ci' })
 * const { keyId, secret } = world.credentials.main // for the client that is tried
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
  /** How it goes on by itself from now on; what is left out never happens. */
  setProgress(progress: ProgressOptions): Promise<WorldFacts['progress']>
  /** Shares and review from now on; what is left out is as in a new world. */
  setRules(rules: RulesOptions): Promise<WorldFacts['rules']>
  /** So many calls of each credential in so many seconds; null, or 0 requests, for no limit. */
  setRateLimit(limit: { requests: number; seconds: number } | null): Promise<void>
  /** Closes the settlement period. */
  settle(): Promise<SettlementRun>
  /** Pays every partner what is due. */
  payout(): Promise<PayoutRun>
  /**
   * Works out all money anew.
   *
   * @example expect((await world.audit()).balanced).toBe(true)
   */
  audit(): Promise<AuditReport>
  /** What the client has met of the contract so far. */
  coverage(): Promise<Coverage>
  /** Begins to count anew; everything else in the world stays. */
  resetCoverage(): Promise<void>
  /** The same as an HTML page that can be kept or sent. */
  coverageSheet(): Promise<string>
  /** The last calls that were refused, newest first, a line each with the reason. */
  refusals(): Promise<string[]>
  /** Back to its seed; credentials and settings stay. */
  reset(): Promise<WorldFacts>
  /** The whole world as a SQLite database. It holds the secrets of its credentials. */
  snapshot(): Promise<Uint8Array>
  /** Makes this world what it was when the snapshot was taken; the keys of its credentials stay. */
  restore(snapshot: Uint8Array): Promise<void>
  /**
   * A second world that goes on from here by itself, with fresh credentials.
   *
   * @example const [sad, happy] = [await world.fork(), world]
   */
  fork(name?: string): Promise<World>
  delete(): Promise<void>
}

/** What all handles of one sandbox share. */
export interface Lines {
  operator: OperatorClient
  partner: Connection
  /** Address of the partner API. */
  url: string
  /** Secrets that this handle was told, by key id. */
  secrets: Map<string, string>
}

/** The answer that makes a world or shows one. */
export type WrittenWorld = WorldFacts & { credentials: WrittenCredential[] }

/** A world may be deleted before the end of the block that uses it. */
function unlessGone(error: unknown): void {
  if (!(error instanceof SandboxRefusal && error.status === 404)) throw error
}

export const SNAPSHOT_TYPE = 'application/vnd.sqlite3'

export function worldHandle(lines: Lines, { world: name, credentials: written }: WrittenWorld): World {
  const { operator: client } = lines
  const path = pathOf('/v1/worlds', name)
  const credentials = credentialsOf(written, lines.secrets)
  const as = (wanted: string): PartnerClient => {
    const credential = credentials[wanted]
    if (!credential)
      throw new TypeError(`${name} has no credential ${wanted}; it has ${Object.keys(credentials).join(', ')}`)
    return createPartnerClient({ ...lines, world: path }, credential)
  }
  const remove = () => client.ask<void>('DELETE', path)
  return {
    ...{ name, url: lines.url, credentials, as, call: (...call) => as('main').call(...call) },
    access: accessHandle(client, path, credentials, lines.secrets),
    clock: clockHandle(client, path),
    orders: ordersHandle(client, path),
    cases: casesHandle(client, path),
    checkout: checkoutHandle(client, path),
    domains: domainsHandle(client, path),
    faults: faultsHandle(client, path),
    events: eventsHandle(client, path),
    deliveries: deliveriesHandle(client, path),
    requests: requestsHandle(client, path),
    ...createWaiting(client, path),
    show: () => client.ask('GET', path),
    setProgress: (progress) => client.ask('PUT', `${path}/progress`, progress),
    setRules: (rules) => client.ask('PUT', `${path}/rules`, rules),
    async setRateLimit(limit) {
      await client.ask('PUT', `${path}/rate-limit`, limit ?? { requests: 0, seconds: 1 })
    },
    settle: () => client.ask('POST', `${path}/settlement-runs`),
    payout: () => client.ask('POST', `${path}/payout-runs`),
    audit: () => client.ask('GET', `${path}/audit`),
    coverage: () => client.ask('GET', `${path}/coverage`),
    resetCoverage: () => client.ask('DELETE', `${path}/coverage`),
    coverageSheet: async () => (await client.fetch(`${path}/coverage?format=html`)).toString('utf8'),
    refusals: () => refusedCalls(client, path),
    reset: () => client.ask('POST', `${path}/reset`),
    snapshot: () => client.fetch(`${path}/snapshot`),
    async restore(snapshot) {
      await client.send('PUT', `${path}/snapshot`, { type: SNAPSHOT_TYPE, bytes: snapshot })
    },
    fork: async (forkName) => worldHandle(lines, await client.ask('POST', `${path}/fork`, { name: forkName })),
    delete: remove,
    [Symbol.asyncDispose]: () => remove().catch(unlessGone),
  }
}
