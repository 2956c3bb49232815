import type { WallClock } from '../../clock/wall-clock.ts'
import type { EndpointId } from '../../contract/endpoints.ts'
import type { Dialect } from '../dialect/dialect.ts'
import type { RequirementRegistry } from '../format/requirements.ts'
import type { Realm } from '../http/address.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Redactor } from '../http/redact.ts'
import { createSender, type Sender, type SenderOptions } from '../http/send.ts'
import type { Throttle } from '../http/throttle.ts'
import type { Evidence } from '../result/evidence.ts'
import type { CreatedThing } from '../result/result.ts'
import type { BudgetMeter } from '../target/budget.ts'
import type { DialectFile, Target } from '../target/target.ts'
import type { Hook } from '../webhooks/delivery.ts'
import type { Receiver } from '../webhooks/receiver.ts'
import type { EarlyStop } from './early-stop.ts'

/** What all scenarios of one run share. */
export interface Run {
  readonly target: Target
  readonly dialect: Dialect
  readonly registry: RequirementRegistry
  readonly wall: WallClock
  /** Waits so long, or until the run is stopped. */
  readonly pause: (ms: number) => Promise<void>
  readonly uuid: () => string
  readonly signal: AbortSignal | undefined
  /** Whether it is to end before its time. */
  readonly earlyStop: EarlyStop
  /** A short word in everything this run creates. */
  readonly runId: string
  /** Begins the ids of exchanges in a world fork; empty in the world that the target names. */
  readonly lane: string
  readonly sender: Sender
  readonly senderOptions: SenderOptions
  /** Senders to other addresses than the API's, and to its pages. */
  readonly senders: Map<string, Sender>
  readonly budget: BudgetMeter
  readonly throttle: Throttle
  /** Null if the target could not reach one. */
  readonly receiver: Receiver | null
  /** A hook at which nothing is waited for, once it is needed. */
  unusedHook: Promise<Hook> | null
  readonly redactor: Redactor
  readonly evidence: Evidence
  readonly created: CreatedThing[]
  readonly learned: Learned
  /** Called with each exchange as soon as it is over. */
  readonly onExchange: (scenario: string, exchange: Exchange) => void
  readonly onWait: (scenario: string, why: string, forMs: number) => void
  readonly ask: Ask | undefined
  readonly maxWaitMs: number
  readonly loopback: boolean
  /** Where the target is, looked up once, when the run begins. */
  readonly targetRealm: Promise<Realm>
}

/** Asks a person to do something, and names the scenario; true once it is done. */
export type Ask = (request: string, scenario: string) => Promise<boolean>

/** What the run finds out about its target on the way. */
interface Learned {
  /** The target's clock minus ours. */
  clockOffsetMs: number
  /** What every Date header so far allows for that difference: no less than the one, no more than the other. */
  clockBounds: { leastMs: number; mostMs: number }
  /** How far ahead of its clock the operator has made the target judge timestamps. */
  skewMs: number
  /** How far the operator has moved the time of the target. */
  advancedMs: number
  /** Whether the target has shown its time beside its clock: an earlier run may have moved it. */
  worldTimeKnown: boolean
  /** When each order of this run was answered, to see how fast the event history is. */
  readonly recordedAtMs: Map<string, number>
  /** The longest that an order of this run took to appear in the history; null before the first. */
  historyLagMs: number | null
  /** The same for deliveries at a hook. */
  hookLagMs: number | null
  /** Whether new events turn up after the last page of a history or on the first one; null until one of several pages has. */
  historyGrowsAt: 'tail' | 'head' | null
  /** Place of the largest page of a history that the target takes, among those that are tried. */
  historyPageSize: number
  /** Orders whose first delivery has been seen. */
  readonly deliveredOrders: Set<string>
  /** The cursor's name in each operation, if the runner had to find it. */
  readonly cursorNames: Map<EndpointId, string>
  /** The target's names of the sales models, as far as its transactions have shown them. */
  readonly paymentModels: DialectFile['paymentModels']
  /** Unit of expected_price; null until an order was accepted or the target file says so. */
  priceUnit: 'cents' | 'units' | null
  /** Unit of amounts that do not say it; null until a fraction, the target file or an order shows it. */
  amountUnit: 'cents' | 'units' | null
  /** The same of single places (see Reading). */
  readonly unitAt: Map<string, 'cents' | 'units'>
  /** Places that the runner found without a hint and that a check has shown to be right. */
  readonly agreed: Set<string>
  /** Rows of lists as they were before this run sold anything. */
  readonly past: Map<string, Promise<ReadonlySet<string> | null>>
}

/** Only what the target file says. */
export function nothingLearned({ dialect }: Target): Learned {
  return {
    clockOffsetMs: 0,
    clockBounds: { leastMs: Number.NEGATIVE_INFINITY, mostMs: Number.POSITIVE_INFINITY },
    skewMs: 0,
    advancedMs: 0,
    worldTimeKnown: false,
    recordedAtMs: new Map(),
    historyLagMs: null,
    historyGrowsAt: null,
    hookLagMs: null,
    historyPageSize: 0,
    deliveredOrders: new Set(),
    cursorNames: new Map(),
    paymentModels: {},
    priceUnit: dialect.priceUnit,
    amountUnit: Object.values(dialect.roles).some((role) => typeof role === 'object' && role.unit === 'units')
      ? 'units'
      : null,
    unitAt: new Map(),
    agreed: new Set(),
    past: new Map(),
  }
}

/** The caller: a scenario, or the runner itself before and after them. */
export interface Client {
  readonly run: Run
  /** Id of a scenario, or a word for the runner's own calls. */
  readonly caller: string
  /** Prefix of exchange ids: `s3`. */
  readonly prefix: string
  readonly exchanges: Exchange[]
}

export function createClient(run: Run, caller: string, prefix: string): Client {
  return { run, caller, prefix: run.lane + prefix, exchanges: [] }
}

/** The target's time as far as it is known, in Unix milliseconds. */
export function targetNowMs(run: Pick<Run, 'wall' | 'learned'>): number {
  return run.wall.nowMs() + run.learned.clockOffsetMs + run.learned.skewMs
}

/**
 * The one sender of a run to an address other than the API's; idle connections do not keep the process alive.
 *
 * @param mayReach asked of each address that the host's name stands for, when a connection is opened.
 */
export function senderTo(run: Run, origin: string, mayReach?: (address: string) => boolean): Sender {
  const key = mayReach ? `page ${origin}` : origin
  const sender = run.senders.get(key) ?? createSender({ ...run.senderOptions, origin, ...(mayReach && { mayReach }) })
  run.senders.set(key, sender)
  return sender
}

/** Closes what was opened in this run. */
export function closeSenders({ senders }: Run): void {
  for (const sender of senders.values()) sender.close()
  senders.clear()
}
