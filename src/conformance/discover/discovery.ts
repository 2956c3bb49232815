/** What a read-only probe of a target found, as plain data. */

import type { RoleAddress } from '../target/target.ts'

/** One value of the dialect: where it belongs in a target file, and where it comes from. */
export interface Finding {
  /** Keys from the root of the target file to its place. */
  path: readonly [string, ...string[]]
  state:
    | 'found'
    /** The target file has it already, and the target does not contradict. */
    | 'told'
    /** The target file has it, and the target shows something else. */
    | 'differs'
    /** Several candidates, or none although there was something to look at: a person has to say. */
    | 'needs-dialect'
    /** There was nothing to look at. */
    | 'not-seen'
    /** No read can show it. */
    | 'needs-write'
  /** As the target file would have it; null if nothing was found. */
  value: unknown
  /** `confirmed`: a second answer about something else agrees. `guess`: one answer has something under a likely name. */
  confidence: 'confirmed' | 'one answer' | 'guess' | null
  /** All that it could be, with `needs-dialect`. */
  candidates: string[]
  /** The requests that show it, and what in their answers does. */
  evidence: {
    /** Id of the exchange. */
    exchange: string
    /** Verb and address, without secrets. */
    request: string
    /** What was seen there, in one line. */
    shows: string
  }[]
  /** Why it was not found, or what to do about it; null if there is nothing to say. */
  note: string | null
  /** Requirements whose scenarios use it. */
  requirements: string[]
  /** Valid answers may lack it: a place in the target file would make its absence a fault. */
  optional: boolean
}

/** A value of the dialect that an answer shows: a place, a name or a word. */
export interface Sighting {
  /** As the target file would have it. */
  readonly value: RoleAddress
  /** What it was seen of: a second sighting of the same thing confirms nothing. Null if that was empty, which confirms nothing either. */
  readonly about: string | null
  readonly evidence: Finding['evidence'][number] | null
}

/** Everything that is known of one value of the dialect. */
interface ValueSoFar {
  /** What the target file says. */
  readonly told: unknown
  readonly sightings: readonly Sighting[]
  /** What else it could be, by answers that leave it open. */
  readonly unclear?: readonly Sighting[]
  /** What to do about several candidates. */
  readonly severalNote?: string
  /** Why nothing was seen. */
  readonly nothing?: Pick<Finding, 'state' | 'note'>
  readonly optional?: boolean
  /** Nothing but a likely name leads to it. */
  readonly isGuessed?: boolean
}

/**
 * What a value of the dialect is. What has several candidates is none of them; what the target file says is kept, unless the target
 * shows one other value.
 */
export function findingOf(
  path: Finding['path'],
  { told, sightings, unclear = [], severalNote, nothing, optional = false, isGuessed = false }: ValueSoFar,
): Finding {
  const evidence = evidenceOf(sightings.length > 0 ? sightings : unclear)
  const rest = { path, value: null, confidence: null, candidates: [], evidence, note: null, requirements: [], optional }
  const candidates = [...new Set([...sightings, ...unclear].map(({ value }) => textOf(value)))]
  const [seen] = candidates.length === 1 && unclear.length === 0 ? sightings : []
  const confidence = seen ? confidenceOf(sightings, isGuessed) : null
  if (told !== undefined && told !== null) {
    if (!seen || comparable(told) === comparable(seen.value))
      return { ...rest, state: 'told', value: told, confidence: seen ? confidenceOf(sightings, false) : null }
    return { ...rest, state: 'differs', value: seen.value, confidence }
  }
  if (seen) return { ...rest, state: 'found', value: seen.value, confidence }
  if (candidates.length > 0) return { ...rest, state: 'needs-dialect', candidates, note: severalNote ?? null }
  return { ...rest, state: 'not-seen', ...nothing }
}

function confidenceOf(sightings: readonly Sighting[], isGuessed: boolean): Finding['confidence'] {
  const things = new Set(sightings.flatMap(({ about }) => about ?? []))
  if (things.size > 1) return 'confirmed'
  return isGuessed ? 'guess' : 'one answer'
}

/** Of an address, its place. */
function textOf(value: RoleAddress): string {
  return typeof value === 'string' ? value : value.at
}

/**
 * A place without the index of an entry in a list, and without the key of a currency.
 *
 * @example placeInEach('/totals/EUR/gmv') // one for EUR and USD
 */
export function placeInEach(place: string): string {
  return place.replace(/\/(?:\d+|[A-Z]{3})(?=\/|$)/g, '/*')
}

/** Only names of headers are the same in capitals. */
function comparable(value: unknown): string {
  const text = textOf(value as RoleAddress)
  return text.startsWith('header:') ? text.toLowerCase() : text
}

/** At most two requests for each value. */
function evidenceOf(sightings: readonly Sighting[]): Finding['evidence'] {
  const shown = new Map<string, Finding['evidence']>()
  for (const { value, evidence } of sightings) {
    const kept = shown.get(textOf(value)) ?? []
    if (evidence && kept.length < 2 && !kept.some(({ request }) => request === evidence.request)) kept.push(evidence)
    shown.set(textOf(value), kept)
  }
  return [...new Set([...shown.values()].flat())]
}

interface CredentialFacts {
  name: string
  environment: string
  /** Its calls were taken at all. */
  taken: boolean
  /** Scopes that a read has shown to be held, and to be lacking; no read can show the others. */
  holds: string[]
  lacks: string[]
  untold: string[]
}

interface HttpFacts {
  date: boolean
  /** The target's clock minus ours; null without a Date header. */
  clockOffsetSeconds: number | null
  keepsConnections: boolean
  /** For how long after an answer, as its Keep-Alive says; null where none does. */
  keepAliveSeconds: number | null
  contentType: string | null
  /** Headers of answers about a rate limit. */
  rateLimitHeaders: string[]
}

export interface Discovery {
  target: { url: string; environment: string }
  requests: number
  http: HttpFacts
  credentials: CredentialFacts[]
  /** The dialect was read from the operator of a sandbox of ours. */
  ownSandbox: boolean
  findings: Finding[]
  /** Reads that were refused, by operation. */
  refused: { op: string; answer: string; exchange: string }[]
  /** Null unless pins were asked for. */
  pins: {
    /** Observations that are the same each time. */
    observed: Record<string, unknown>
    /** What differed between two readings, and is not to be pinned. */
    unsteady: string[]
    /** Pins of the target file that the target no longer agrees with. */
    drift: { gap: string; pinned: unknown; observed: unknown }[]
  } | null
}
