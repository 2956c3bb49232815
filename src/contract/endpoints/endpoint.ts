import type { GapId } from '../choices.ts'
import type { ErrorCode } from '../errors.ts'
import type { Scope } from '../scopes.ts'

/**
 * One operation of the partner API: all that is known of it but its schemas and its handler, which are in `routes.ts` of its
 * feature. Every table that has a line per endpoint is made from these rows.
 */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Full path; a segment in braces is a parameter. */
  readonly path: `/api/partner/${string}`
  /** Whether the call changes anything of its own accord. */
  readonly effect: 'read' | 'write'
  /** Any one of these is enough. */
  readonly scopes: readonly Scope[]
  /** Heading of the document that lists it. */
  readonly section: Section
  /** The credential must be linked to an affiliate account (SCOPE-09). */
  readonly affiliate?: true
  /** The partner must be merchant of record (SCOPE-10). */
  readonly merchantOfRecord?: true
  /** Idempotency-Key is demanded (IDEM-01). */
  readonly idempotencyKey?: 'required'

  /** A heading in a few words. */
  readonly summary: string
  /** In Markdown. */
  readonly description: string
  /** The statements of fixtures/requirements.yaml that it is judged by. */
  readonly requirements: readonly string[]
  /** Refusals beyond those that any call can meet; by the open point that decides the code where one does. */
  readonly refusals: readonly (ErrorCode | { readonly gap: GapId })[]
  /** Query parameters that the document names; those of all other names are of our choosing. */
  readonly documentedQuery: readonly string[]
  /** One call and its answer. A test holds both against the schemas. */
  readonly example: { readonly body?: unknown; readonly answer: unknown }
  /** How to make a call that is answered with 2xx: what the coverage sheet says while none was. */
  readonly hint: Hint

  /** What its calls are about, as far as they say so themselves; null for lists and totals. */
  readonly subject: Subject | null
  /** Whose timelines its answer shows. */
  readonly timeline: 'order' | 'case' | null
  /** The list that it answers with, page by page. */
  readonly list: List | null
  /** The roles of its answer that the document leaves open; null where a read has none, and for writes. */
  readonly openRoles: OpenRoles | null
  readonly creates: Created | null
  /** Names of its body in a target file: the usual one first, then those for a kind (`link_domain`). */
  readonly bodies: readonly string[]
  /** What a scenario has to do beside calling it; null for nothing. */
  readonly inScenario: InScenario | null
}

/**
 * The way to an accepted call, as data: the address of a read, the body of a write, the name whose order is to be recorded at
 * its price, or words where only the client knows what to send. `see` is the command that shows what there is already.
 */
export type Hint =
  | { readonly read: `/${string}` }
  | { readonly body: unknown }
  | { readonly orderOf: string }
  | { readonly words: string; readonly see: string }

/** A domain or an order, and the name it goes by: a parameter of the path if it has that one, else of the query or the body. */
export interface Subject {
  readonly kind: 'domain' | 'order'
  readonly name: string
}

/** The role of a list, and the one of what leads to its next page. A role is the meaning of a field; servers name it differently. */
export interface List {
  readonly items: string
  readonly next: string
}

/** What can be learned from the answers of a read: roles of the answer, of each item of its list, of the entries of an inner list. */
interface OpenRoles {
  readonly answer: readonly string[]
  readonly items?: { readonly of: string; readonly roles: readonly string[] }
  readonly inner?: { readonly of: string; readonly roles: readonly string[] }
}

/** What a call makes: its kind, the roles and our fields of its handles (its id first), and the role of when it was made. */
export interface Created {
  readonly kind: 'order' | 'quote' | 'checkout_session' | 'case' | 'link' | 'refund' | 'webhook'
  readonly handles: readonly { readonly role: string; readonly field: string }[]
  readonly at: string | null
  /** Whether it takes a domain off the market, so that a scenario needs one of its own. */
  readonly takesDomain: boolean
}

interface InScenario {
  readonly argument: { readonly in: 'path' | 'query' | 'body'; readonly name: string; readonly value: string } | null
  /** What has to be made before, in a step named `made`. */
  readonly after: Created['kind'] | null
}

/** A named shape of the OpenAPI document: where it is found, and how much of it is the API document's. */
export interface Shape {
  readonly endpoint: string
  readonly part: 'body' | 'answer'
  /** From the whole body or answer to the shape, by names of fields; `[]` steps into a list, a digit into an alternative. */
  readonly at: readonly string[]
  readonly description: string
  /** Fields the API document names; all others are of our choosing and marked so. */
  readonly documented: readonly string[]
  /** Values of its status whose names are ours. */
  readonly ourStates?: readonly string[]
}

/** The headings of the document that describe endpoints, in its order. */
export const SECTIONS = {
  Inventory: 'What is for sale, and for how much.',
  'Partner-collected sales': 'Sales for which the partner charges the buyer itself.',
  'Hosted checkout': 'Sales on a payment page of the service.',
  'Settlement and reporting': 'What was sold, owed, paid out and taken back.',
  Brokerage: 'Acquisitions that the service conducts for a buyer.',
  Referral: 'Tracking links and what they earn; for credentials linked to an affiliate account.',
  Webhooks: 'Receive events, and read their history.',
} as const

type Section = keyof typeof SECTIONS

export const API_ROOT = '/api/partner/v1'

/** What most rows have none of. All else is in the row, so that one which forgets something does not compile. */
const USUAL = { documentedQuery: [], timeline: null, list: null, inScenario: null } as const

export const WRITE = { ...USUAL, openRoles: null, effect: 'write' } as const

/** A read. It makes nothing; its path is the hint, unless it takes parameters. */
export function get<const Path extends `/${string}`, const Scopes extends readonly Scope[]>(
  path: Path,
  scopes: Scopes,
  section: Section,
) {
  return {
    ...USUAL,
    method: 'GET',
    path: `${API_ROOT}${path}`,
    scopes,
    section,
    effect: 'read',
    creates: null,
    bodies: [],
    hint: { read: path },
  } as const
}

export function post<const Path extends `/${string}`, const Scopes extends readonly Scope[]>(
  path: Path,
  scopes: Scopes,
  section: Section,
) {
  return { ...WRITE, method: 'POST', path: `${API_ROOT}${path}`, scopes, section } as const
}

/**
 * What a list in pages answers with: its rows, the sums beside them and what leads to the next page, by their roles. It refuses
 * nothing of its own, and is about nothing in particular.
 *
 * @param roles those of a row, without the name of the row before them.
 */
export function listOf<
  const Items extends string,
  const Item extends string,
  const Role extends string,
  const Sums extends readonly string[] = readonly [],
>(items: Items, item: Item, roles: readonly Role[], ...sums: Sums) {
  return {
    list: { items, next: 'list.next' },
    openRoles: {
      answer: [items, ...sums, 'list.next'],
      items: { of: items, roles: roles.map((role) => `${item}.${role}` as const) },
    },
    refusals: [],
    subject: null,
  } as const
}

/** What a call makes, whose id is a role and a field of its answer. */
export function makes<const Kind extends Created['kind'], const Role extends string>(
  kind: Kind,
  role: Role,
  field: string,
) {
  return { kind, handles: [{ role, field }], at: null, takesDomain: false } as const
}

export const answerShape = shapeIn('answer')

export const bodyShape = shapeIn('body')

function shapeIn<const Part extends Shape['part']>(part: Part) {
  return <const Id extends string>(endpoint: Id, description: string, documented: readonly string[], ...at: string[]) =>
    ({ endpoint, part, description, documented, at }) as const
}
