import type { EndpointId } from '../../contract/endpoints.ts'
import type { Scope } from '../../contract/scopes.ts'

/**
 * A scenario file as data (docs/scenarios.md). The JSON Schema beside the scenarios is the authority; these
 * types are what is left after it has been checked.
 */
export interface Scenario {
  title: string
  why?: string
  /** Ids of the `must` requirements that its steps show. */
  proves: string[]
  /** Capabilities: `scope.search`, `fixture.sellable(2)`, `partner.other`, `affiliate`, `operator.advance_clock` ... */
  needs?: string[]
  tags?: string[]
  effects?: Effects
  vars?: Record<string, Template>
  steps: Step[]
  /** Run whatever happened before; they judge nothing. */
  cleanup?: Step[]
}

/** What a scenario leaves behind on the target, at most. */
export interface Effects {
  orders?: number
  quotes?: number
  checkout_sessions?: number
  cases?: number
  links?: number
  refunds?: number
  webhooks?: number
  /** Moves the target's clock. */
  clock?: boolean
  /** Closes a settlement period. */
  settlement?: boolean
  /** Must not run beside any other scenario, for another reason than the two above. */
  exclusive?: boolean
}

/** Plain data in which any string may hold `${...}`. */
export type Template = string | number | boolean | null | Template[] | { [key: string]: Template }

export type CredentialChoice =
  | 'main'
  | 'other_partner'
  | 'other_environment'
  | 'no_affiliate'
  | 'not_merchant'
  | { only: Scope | 'none' }
  | { without: Scope | Scope[] }

export interface Step {
  id?: string
  as?: CredentialChoice
  call?: CallStep
  resend?: string
  retry?: string
  burst?: BurstStep
  operator?: OperatorStep
  /** What to do where the operator's action is not to be had, in this order; `not_run` closes every list. */
  else?: ElseRung[]
  mark?: 'events'
  events?: EventsStep
  quiet?: QuietStep
  hook?: HookStep
  receive?: ReceiveStep
  open?: string | OpenStep
  submit?: SubmitStep
  until?: UntilStep
  fault?: Record<string, Template>
  /** Requirement that the twin's acceptance shows. */
  twin_shows?: string
  expect?: 'accepted' | Expectation | Expectation[]
  observe?: string | ObserveItem | (string | ObserveItem)[]
}

export interface CallStep {
  op?: EndpointId
  /** With `op`: another verb. Without: the verb of a raw call. */
  method?: string
  /** Raw call: path and query as they stand. */
  target?: string
  /** Values of the path's parameters. */
  path?: Record<string, Template>
  query?: Record<string, Template> | [Template, Template][]
  /** Query as it stands in the URL, instead of `query`. */
  query_raw?: string
  body?: BodySpec
  content_type?: string
  headers?: Record<string, Template>
  idempotency_key?: Template
  /** Follows the cursor of a list to its end and takes all of it for one answer. */
  all_pages?: boolean
}

export interface BodySpec {
  set?: Record<string, Template>
  unset?: string[]
  /** Start from the body of an earlier step instead of the operation's template. */
  like?: string
  /** The very bytes of an earlier step. */
  bytes_of?: string
  /** This text, as it stands. */
  raw?: string
  /** This value, as JSON, instead of the operation's template. */
  json?: Template
  /** How the JSON is written: white space, key order, escapes. */
  format?: 'compact' | 'pretty' | 'reordered' | 'escaped'
}

export interface BurstStep {
  lanes: number
  share?: ('request' | 'nonce' | 'idempotency_key' | 'body')[]
  /** Fewer calls than this in flight at once: inconclusive. */
  overlap?: number
  call: CallStep
}

export type OperatorStep = Record<string, Template>

export type ElseRung = 'not_run' | 'go_on' | { wait: string } | { ask: string }

export interface EventsStep {
  type?: string
  where?: Record<string, Template>
  /** Id of the mark to count from; the latest one if absent. */
  since?: string
  /** How long to wait for what is expected. */
  within?: string
}

export interface HookStep {
  /** `main` where absent. */
  name?: string
  answer: number | 'hang_up' | { after: string; status?: number } | { redirect: Template }
  /** So many deliveries; all where absent. */
  times?: number
  type?: string
  where?: Record<string, Template>
}

export interface ReceiveStep {
  /** `main` where absent. */
  hook?: string
  type?: string
  where?: Record<string, Template>
  /** Only what came after that step. */
  since?: string
  within?: string
}

export interface OpenStep {
  url: string
  /** Whether redirects within the page's origin are followed; they are where absent. */
  follow?: boolean
  /** `fresh`: another browser from here on. */
  cookies?: 'keep' | 'fresh'
  /** Opens the page once for each changed character instead. */
  alter?: { query: string; at?: 'each' | number[]; how?: 'other' | 'case' }
}

export interface SubmitStep {
  /** `pay`, `cancel`, `decline`, or words that stand on the button. */
  button: string
  /** The step whose page it is; the latest where absent. */
  page?: string
  fill?: Record<string, Template>
  /** Sends the form once for each changed character of the address that it is sent to. */
  alter?: OpenStep['alter']
}

export interface QuietStep {
  events: string
  /** At this hook rather than in the history. */
  hook?: string
  where?: Record<string, Template>
  since?: string
  for?: string
}

export interface UntilStep {
  call: CallStep
  within?: string
  every?: string
}

/** A value to equal, or one or more conditions on it. */
export type Matcher = Template | MatcherConditions

export interface MatcherConditions {
  equals?: Template
  not?: Template
  matches?: string
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'
  at_least?: Template
  at_most?: Template
  one_of?: Template[]
  contains?: Template
  present?: boolean
  length?: Matcher
}

export interface Expectation {
  shows?: string | string[]
  /** For reports: what is asked for, in one line. Made from the rest if absent. */
  says?: string
  accepted?: boolean
  /** Not refused for its signature: accepted, or refused for what it asks for. */
  authenticated?: boolean
  refused?: string | string[] | true
  /** Key id and secret of whoever called carry the same environment word (CRED-01). */
  key_pair?: boolean
  /** Codes that another sentence of the document allows. */
  tolerate?: string[]
  status?: number | number[]
  roles?: Record<string, Matcher>
  headers?: Record<string, Matcher>
  same_as?:
    | string
    | {
        step: string
        by?: 'bytes' | 'body' | 'json' | 'status'
        roles?: string[]
        /** Of a list only the items for which this holds. */
        where?: Record<string, Matcher>
        unlike?: boolean
      }
  equal?: Template[]
  differ?: Template[]
  /** A list role; `count`, `includes`, `excludes`, `every`, `sorted`, `sums`, `distinct` speak about its items. */
  items?: string
  among?: 'accepted' | 'refused' | 'server_error' | 'all'
  count?: Matcher
  distinct?: string
  at_most?: number
  includes?: Record<string, Matcher>
  excludes?: Record<string, Matcher>
  every?: Record<string, Matcher>
  sorted?: { by: string; order?: 'ascending' | 'descending' | 'either' }
  sums?: { of: string; to: Template }
  /** Each `is` is the sum of `of` so far. */
  running?: { of: string; is: string; by?: string }
  matches?: string
  lacks?: Template
  /** A premise that the document leaves to the target, by its open point: where it does not hold, the rest is not run and not counted. */
  open?: string
  /** Nothing in the body tells how a failure came about. */
  hides_cause?: true
}

export interface ObserveItem {
  gap: string
  /** `outcome` (default), `status`, `code`, `count`, or a role. */
  take?: string
  /** Tells several observations of one gap apart. */
  as?: string
}

/** A checked scenario and where it came from. */
export interface LoadedScenario {
  /** Path under scenarios/ without its ending, e.g. `auth/nonce-reuse`. */
  id: string
  /** File as it was given to the loader. */
  file: string
  scenario: Scenario
}
