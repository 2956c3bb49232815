import type { EndpointId } from '../../contract/endpoints.ts'
import type { Reading } from '../dialect/money-of.ts'
import type { Scenario } from '../format/scenario.ts'
import type { CookieJar } from '../pages/cookie-jar.ts'
import type { PageVisit } from '../pages/page-visit.ts'
import type { Observation } from '../result/result.ts'
import type { Hook } from '../webhooks/delivery.ts'
import type { BodyBook } from './bodies.ts'
import type { Credentials } from './credentials.ts'
import type { EventBook, HistoryEvent } from './event-history.ts'
import type { FixtureBroker } from './fixtures.ts'
import type { Lease } from './given-domains.ts'
import type { ParamBook } from './params.ts'
import type { Client, Run } from './run-context.ts'
import type { Turn } from './send-call.ts'

/** The services that scenarios of one run share, beyond plain state. */
export interface Services {
  readonly run: Run
  readonly credentials: Credentials
  readonly fixtures: FixtureBroker
  readonly bodies: BodyBook
  readonly params: ParamBook
  readonly events: EventBook
}

/** Rows by the operation that lists them; null if they could not be read. */
export type Past = ReadonlyMap<EndpointId, ReadonlySet<string> | null>

/** What an earlier step of a scenario left behind for those after it. */
export type StepRecord =
  | { kind: 'turns'; turns: readonly Turn[] }
  | { kind: 'events'; events: readonly HistoryEvent[]; exchange: string | null }
  | { kind: 'operated' }
  | { kind: 'pages'; visits: readonly PageVisit[] }

/** One scenario being run. */
export interface ScenarioRun extends Client {
  readonly services: Services
  readonly scenario: Scenario
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
  /** The browser of this scenario. */
  jar: CookieJar
  latestPage: PageVisit | null
  /** Notes what is read, while an expectation is judged. */
  readonly reading?: Reading
}
