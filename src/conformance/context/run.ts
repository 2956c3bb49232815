import type { WallClock } from '../../clock/wall-clock.ts'
import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { headerIn } from '../../contract/headers.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { Dialect } from '../dialect/dialect.ts'
import type { Money, Reading } from '../dialect/money.ts'
import type { RunFacts } from '../format/expectations/kind.ts'
import type { RequirementRegistry } from '../format/requirements.ts'
import type { DeliveryFacts } from '../format/roles.ts'
import type { CredentialChoice, NamedScenario } from '../format/scenario.ts'
import { instantMs } from '../format/values.ts'
import type { realmOfHost } from '../http/address.ts'
import type { Answer, Exchange } from '../http/exchange.ts'
import type { Redactor } from '../http/redact.ts'
import { createSender, type SenderOptions } from '../http/send.ts'
import type { Throttle } from '../http/throttle.ts'
import type { createCookieJar, PageVisit } from '../pages/page-visit.ts'
import type { Observation, RunResult } from '../result/result.ts'
import { type Call, isRead, plainCall } from '../signing/sign-call.ts'
import type { createBudget, Target, TargetCredential, Waiting } from '../target/target.ts'
import type { createReceiver, Hook } from '../webhooks/receiver.ts'

/** What all scenarios of one run share. */
export interface Run {
  readonly target: Target
  readonly dialect: Dialect
  readonly registry: RequirementRegistry
  readonly credentials: Credentials
  readonly fixtures: Fixtures
  /** The event history as a credential sees it. */
  historyOf(credential: TargetCredential): History
  readonly wall: WallClock
  /** Waits so long, or until the run is stopped. */
  readonly pause: (ms: number) => Promise<void>
  readonly uuid: () => string
  readonly signal: AbortSignal | undefined
  readonly end: RunEnd
  /** A short word in everything this run creates. */
  readonly runId: string
  /** The run whose world this one has a copy of; null in the world that the target names. */
  readonly copiedFrom: Run | null
  /** Begins the ids of exchanges in a world fork; empty in the world that the target names. */
  readonly worldPrefix: string
  readonly sender: ReturnType<typeof createSender>
  readonly senderOptions: SenderOptions
  /** Senders to other addresses than the API's, and to its pages. */
  readonly senders: Map<string, Run['sender']>
  readonly budget: ReturnType<typeof createBudget>
  readonly throttle: Throttle
  /** Null if the target could not reach one. */
  readonly receiver: ReturnType<typeof createReceiver> | null
  /** A hook at which nothing is waited for, once it is needed. */
  unusedHook: Promise<Hook> | null
  readonly redactor: Redactor
  readonly evidence: Evidence
  /** How many exchanges have an id that begins with a caller's prefix: several callers may share one. */
  readonly exchangeCounts: Map<string, number>
  readonly created: RunResult['created']
  /** All that the writes of this run name that may be a domain, in small letters, in copies of the world too: no other client has sold it. */
  readonly named: Set<string>
  /** The calls that have made something in this world, each thing once. */
  readonly made: CallExchange[]
  /** The accepted calls that make something, in copies of the world too. */
  readonly writes: CallExchange[]
  /** Every call, further tries and copies of the world included; where there is no memory left, without the body of its answer. */
  readonly calls: CallExchange[]
  /** What is left for bodies, and the answers with each that is kept. The facts are those of all calls so far. */
  readonly memory: { leftBytes: number; readonly bodies: Map<string, Answer[]>; facts?: RunFacts }
  /** The calls that were refused, in copies of the world too. */
  readonly refusals: CallExchange[]
  /** Ids of exchanges in which the target has shown the secret of a credential. */
  readonly leaks: string[]
  readonly clock: TargetClock
  readonly pace: Pace
  /** Rows of lists as they were before this run sold anything. */
  readonly past: Map<string, Promise<ReadonlySet<string> | null>>
  /** Called with each exchange as soon as it is over. */
  readonly onExchange: (scenario: string, exchange: Exchange) => void
  readonly onWait: (scenario: string, why: string, forMs: number) => void
  /** Asks a person to do something, and names the scenario; true once it is done. */
  readonly ask: ((request: string, scenario: string) => Promise<boolean>) | undefined
  readonly maxWaitMs: number
  /** Away from loopback a target is shared with others. */
  readonly place: Waiting['place']
  /** Where the target is, looked up once, when the first page is to be opened. */
  readonly targetRealm: () => ReturnType<typeof realmOfHost>
}

/** What the target has been seen to accept, each with the exchange: it stands for the twin of refusals that have none of their own. */
export class Evidence {
  readonly #byOperation = new Map<string, string>()
  readonly #byCredential = new Map<string, string>()
  readonly #byRead = new Map<string, string>()

  note(call: Call, exchange: string): void {
    const { op, credential } = call
    const key = `${op} ${credential.name}`
    if (op !== null && !this.#byOperation.has(key)) this.#byOperation.set(key, exchange)
    if (!this.#byCredential.has(credential.name)) this.#byCredential.set(credential.name, exchange)
    if (isRead(call)) this.#byRead.set(readInWords(call), exchange)
  }

  of(op: EndpointId, credential: string): string | undefined {
    return this.#byOperation.get(`${op} ${credential}`)
  }

  ofCredential(credential: string): string | undefined {
    return this.#byCredential.get(credential)
  }

  /** Of this very read. */
  ofRead(call: Call): string | undefined {
    return this.#byRead.get(readInWords(call))
  }

  /** Any accepted call at all: the target is up and takes valid calls. */
  any(): string | undefined {
    return this.#byCredential.values().next().value
  }
}

/** All that a read says, so that two with the same words are the same call. */
function readInWords({ credential, ...call }: Call): string {
  return JSON.stringify([credential.name, plainCall({ ...call, credential })])
}

/** Whether a run ends before its time. */
interface RunEnd {
  /** Why the rest is not carried out, as a sentence before "before this was reached"; null while the run continues. */
  readonly why: string | null
  /** Ends the run for what the target does. */
  because(why: string): void
  /** Takes note of a scenario that failed. */
  noteFailure(): void
}

/** What time it is at the target. */
interface TargetClock {
  /** The target's clock minus ours. */
  offsetMs: number
  /** What every Date header so far allows for that difference: no less than the one, no more than the other. */
  bounds: { leastMs: number; mostMs: number }
  /** How far the clock that judges timestamps is ahead of the one in its Date headers, and the search for it. */
  judgedAheadSeconds: number
  judging?: Promise<number>
  /** How far ahead of its clock the operator has made the target judge timestamps. */
  skewMs: number
  /** How far the time in the target's records is ahead of its clock. */
  advancedMs: number
  /** Whether the target has shown the time in its records: an earlier run may have moved it. */
  isShown: boolean
  /** The time in the target's records when the run began, in Unix milliseconds; no record of the run is older. */
  startedAtMs: number
}

/** How soon the target shows what has happened. */
interface Pace {
  /** When each order of this run was answered. */
  readonly recordedAtMs: Map<string, number>
  /** The longest that an order of this run took to appear in the history; null before the first. */
  historyLagMs: number | null
  /** The longest that a report or a whole list surely took to show what was expected of it, as far as it was looked at more than once. */
  readLagMs: number
  /** When a step of a scenario last did something, by the clock of the run; 0 before the first. */
  changedAtMs: number
  /** When the history was last looked at only to see that, on the clock that never goes back. */
  historyLookedAtMs: number
  /** The same for deliveries at a hook. */
  hookLagMs: number | null
  /** Orders whose first delivery has been seen. */
  readonly deliveredOrders: Set<string>
  /** Whether new events turn up after the last page of a history or on the first one; null until one of several pages has. */
  historyGrowsAt: 'tail' | 'head' | null
  /** Place of the largest page of a history that the target takes, among those that are tried. */
  historyPageSize: number
}

/** As long as nothing is known of it. */
export const UNKNOWN_CLOCK: Readonly<TargetClock> = {
  offsetMs: 0,
  bounds: { leastMs: Number.NEGATIVE_INFINITY, mostMs: Number.POSITIVE_INFINITY },
  judgedAheadSeconds: 0,
  skewMs: 0,
  advancedMs: 0,
  isShown: false,
  startedAtMs: 0,
}

/** The same of this, for each run to have a copy of its own. */
export const UNKNOWN_PACE: Readonly<Pace> = {
  recordedAtMs: new Map(),
  historyLagMs: null,
  readLagMs: 0,
  changedAtMs: 0,
  historyLookedAtMs: Number.NEGATIVE_INFINITY,
  hookLagMs: null,
  deliveredOrders: new Set(),
  historyGrowsAt: null,
  historyPageSize: 0,
}

/** The credentials that can call, and what each may do. */
interface Credentials {
  readonly main: TargetCredential
  /** By its name in the target file, or by a word of scenarios. @throws Open (not_run) if there is none. */
  called(name: string): TargetCredential
  /**
   * With `anyPartner`, a key of another partner will do where main's has none: a scope that is lacking is lacking for
   * everybody.
   *
   * @throws Open (not_run) if the target file has no such credential.
   */
  pick(choice: CredentialChoice | undefined, anyPartner?: boolean): TargetCredential
  scopesOf(credential: TargetCredential): Promise<readonly Scope[]>
}

/** Hands out what scenarios need and the target has. Only one scenario at a time has a sellable domain. */
interface Fixtures {
  /**
   * @param brokerable whether a case may be opened for it: earlier runs leave cases behind.
   * @throws Open (not_run) if no further one can be had.
   */
  sellable(brokerable?: boolean): Promise<Lease>
  /** Takes back what a scenario leased, with the calls it made. What is still for sale is handed out again after all others. */
  giveBack(leases: readonly Lease[], exchanges: readonly Exchange[]): void
  /** A listed domain that nothing buys; the same one until others have bought it. */
  listed(): Promise<Lease>
  forgetListed(): void
  unlisted(): string
  liveSite(): Promise<string>
  topic(): Promise<{ query: string; finds: readonly string[] }>
  webhookUrl(): Promise<string>
  /** Domains that this run itself never sells, so that each copy of the world may sell its own ones. */
  forCopies(): Promise<readonly NewDomain[]>
}

/** A domain that the runner makes at a sandbox of ours. */
export interface NewDomain {
  domain: string
  priceCents: number
}

/** A listed domain with its price at the time it was looked at. */
export interface Lease {
  domain: string
  /** The name without what is after its first dot: a word that search has to find it by. */
  label: string
  /** In cents, as far as the unit is known by now. */
  readonly price: number
  /** Where the target shows that price, and as what; absent where its price is known from the other side. */
  listed?: { money: Money; place: string }
  currency: string
  /** Whether this run may have sold it before. */
  isSecondHand?: boolean
}

/** One event of the history, or as it was delivered, with its place in the order in which the run saw it. */
export interface HistoryEvent {
  id: string
  type: string
  json: unknown
  position: number
  /** What is known of its delivery, if it was delivered. */
  readonly delivery?: DeliveryFacts
  /** Why a fact of the delivery is as it is, for a person. */
  explain?(path: string): string | undefined
  /** Id of the exchange that first showed it, where it was read from a history. */
  readonly shownIn?: string
}

/** The event history of one credential: what the target really recorded, independent of its answers. */
export interface History {
  /** Reads on to the end and says how many events are known. */
  refresh(caller: Caller): Promise<{ known: number; exchange: string | null }>
  /** Those that are known without a further reading. */
  since(position: number): readonly HistoryEvent[]
}

/** Who makes a call: a scenario, or the runner itself before and after them. */
export interface Caller {
  readonly run: Run
  /** Id of a scenario, or a word for the runner's own calls. */
  readonly id: string
  /** Prefix of exchange ids: `s3`. */
  readonly prefix: string
  /** All calls of a scenario have this trace, so that the target's own traces can be found by it. */
  readonly traceId: string
  readonly exchanges: Exchange[]
}

export function createCaller(run: Run, id: string, prefix: string): Caller {
  return { run, id, prefix: run.worldPrefix + prefix, traceId: run.uuid().replaceAll('-', ''), exchanges: [] }
}

/** One scenario being run. */
export interface ScenarioRun extends Caller {
  readonly scenario: NamedScenario
  readonly observations: Observation[]
  readonly records: Map<string, StepRecord>
  readonly vars: Map<string, unknown>
  /** The sellable domains of this scenario. */
  readonly leases: readonly Lease[]
  /** Rows that were on the target before it began. */
  readonly past: Past
  /** Fixtures that are read only, by name, once they have been needed. */
  readonly known: ReadonlyMap<string, unknown>
  /** Where event histories ended when the scenario began, and after steps from which later ones count. */
  readonly historyEnds: Map<string, number>
  /** Its hooks at the receiver, by name. */
  readonly hooks: ReadonlyMap<string, Hook>
  /** When each step was over, on the clock that never goes back. */
  readonly finishedAtMs: Map<string, number>
  /** The browser of this scenario, once it opens a page. */
  jar: ReturnType<typeof createCookieJar> | null
  latestPage: PageVisit | null
  /** Notes what is read, while an expectation is judged. */
  readonly reading?: Reading
}

/** Rows by the operation that lists them; null if they could not be read. */
type Past = ReadonlyMap<EndpointId, ReadonlySet<string> | null>

/** What an earlier step of a scenario left behind for those after it. */
type StepRecord =
  | { kind: 'calls'; exchanges: readonly CallExchange[] }
  | { kind: 'events'; events: readonly HistoryEvent[]; exchange: string | null }
  | { kind: 'operated' }
  | { kind: 'pages'; visits: readonly PageVisit[] }

/** An exchange of the API, with its call and what the run thinks of the answer. */
export interface CallExchange extends Exchange {
  call: Call
  nonce: string
  timestamp: string
  /** The time in the target's records when it was sent, in Unix milliseconds; NaN once a clock was moved. */
  recordsAtMs: number
  /** What came at earlier tries of it: no answer, or a 5xx without a documented code. */
  troubles?: readonly Exchange['answer'][]
  /** Why what came proves nothing: it may have been one bad moment of the target. */
  doubt?: string
  /** Of a list that was read to its end: its pages in order, by the id of their exchange and how many items each had. */
  pages?: readonly (readonly [id: string, items: number])[]
}

/** The target's time as far as it is known, in Unix milliseconds. */
export function targetNowMs({ wall, clock }: Pick<Run, 'wall' | 'clock'>): number {
  return wall.nowMs() + clock.offsetMs + clock.skewMs
}

/**
 * The one sender of a run to an address other than the API's; idle connections do not keep the process alive.
 *
 * @param mayReach asked of each address that the host's name stands for, when a connection is opened.
 */
export function senderTo(
  { senders, senderOptions }: Run,
  origin: string,
  mayReach?: (address: string) => boolean,
): Run['sender'] {
  const key = mayReach ? `page ${origin}` : origin
  const sender = senders.get(key) ?? createSender({ ...senderOptions, origin, ...(mayReach && { mayReach }) })
  senders.set(key, sender)
  return sender
}

/** The Date header has whole seconds and took a while: less than this is not an offset. */
const NOTICEABLE_MS = 5_000

/** Takes the target's clock from an answer, so that our timestamps are right by its clock and not by ours. */
export function readClock(run: Run, answer: Answer): void {
  const at = Date.parse(headerIn(answer.headers, 'date') ?? '')
  if (Number.isNaN(at)) return
  const offsetMs = at + 500 - run.wall.nowMs()
  run.clock.offsetMs = Math.abs(offsetMs) < NOTICEABLE_MS ? 0 : offsetMs
}

/** What these operations create shows the time. */
export const OPS_WITH_TIME = ENDPOINT_IDS.filter((id) => ENDPOINTS[id].creates?.at)

/** More than the offset of any time zone: a target that shows local time has not been moved. */
const MOVED_MS = 15 * 60 * 60 * 1_000

/**
 * Takes the time in the target's records from something that it has just created: an earlier run may have moved it while the Date
 * header stayed, and another user may move it at any moment. No operator moves it back, so only a time that is ahead is believed.
 */
export function noteWorldTime(run: Pick<Run, 'wall' | 'clock'>, createdAt: unknown): void {
  const { clock } = run
  // Text, or Unix seconds or milliseconds.
  const number = typeof createdAt === 'number' ? createdAt : Number.NaN
  const atMs = typeof createdAt === 'string' ? instantMs(createdAt) : number * (number < 100_000_000_000 ? 1_000 : 1)
  if (Number.isNaN(atMs)) return
  const movedMs = atMs - targetNowMs(run) - clock.advancedMs
  const isFirst = !clock.isShown
  clock.isShown = true
  if (movedMs <= MOVED_MS) return
  clock.advancedMs += movedMs
  // Earlier runs have moved it, so that this one began as much later.
  if (isFirst) clock.startedAtMs += movedMs
}

/** The Date header has whole seconds. */
const SECOND_MS = 1_000
/** An answer that came within this time shows at which second it was judged. */
export const PROMPT_MS = 500
/** How far from the limit a timestamp stays where the clock of the target is not known to a second. */
const CLEAR_SECONDS = 10

/**
 * Narrows down what the clock of the target is ahead of ours, by the Date header of an answer. A call takes longer than its exchange says
 * where it waited for a connection.
 */
export function noteDate(
  { clock, wall }: Pick<Run, 'clock' | 'wall'>,
  { sentAtMs, answer }: Pick<Exchange, 'sentAtMs' | 'answer'>,
): void {
  const at = Date.parse(headerIn(answer?.headers, 'date') ?? '')
  if (Number.isNaN(at)) return
  const { leastMs, mostMs } = clock.bounds
  clock.bounds = {
    leastMs: Math.max(leastMs, at - wall.nowMs()),
    mostMs: Math.min(mostMs, at + SECOND_MS - sentAtMs),
  }
}

/**
 * The shift of a timestamp that is to be so many seconds off by the clock of the target: to the second where all its Date headers
 * agree about that clock, else clear of the limit. What is left unknown, and the way to the target, keep it on its side of the limit.
 * It may have a part of a second: the timestamp is the last whole second before.
 */
export function edgeShift({ clock }: Pick<Run, 'clock'>, from: number): number {
  const { bounds, offsetMs, judgedAheadSeconds: ahead } = clock
  const isOutside = Math.abs(from) > LIMITS.timestampSkewSeconds
  // A clock that was measured is known to a second either way.
  const seconds = ahead === 0 ? from : from + ahead + (isOutside ? Math.sign(from) : -Math.sign(from))
  const { leastMs, mostMs } = bounds
  const widthMs = mostMs - leastMs
  if (!(widthMs >= 0 && widthMs <= SECOND_MS))
    return seconds + Math.sign(seconds) * (isOutside ? CLEAR_SECONDS : -CLEAR_SECONDS)
  // Whole seconds, because the call is signed at any moment of one.
  if (seconds < 0 === isOutside) return seconds + Math.floor((leastMs - offsetMs) / SECOND_MS)
  const lostMs = mostMs - offsetMs + PROMPT_MS
  if (!isOutside) return seconds + Math.ceil(lostMs / SECOND_MS)
  // A target may cut off the parts of a second of what is between, so that a whole one has to be left. In tenths, which are read in reports.
  return seconds + 1 + Math.ceil(lostMs / 100) / 10
}

/** What the calls of a scenario came to so far. */
export function exchangesOf({ records }: Pick<ScenarioRun, 'records'>): CallExchange[] {
  return [...records.values()].flatMap((record) => (record.kind === 'calls' ? record.exchanges : []))
}

/** The first exchange of an earlier step, if that is a call that was sent. */
export function firstExchange({ records }: Pick<ScenarioRun, 'records'>, step: string): CallExchange | undefined {
  const record = records.get(step)
  return record?.kind === 'calls' ? record.exchanges[0] : undefined
}
