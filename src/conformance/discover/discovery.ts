/** What a read-only probe of a target found, as plain data. */

/** A request that shows something, and what in its answer does. */
export interface Evidence {
  /** Id of the exchange. */
  exchange: string
  /** Verb and address, without secrets. */
  request: string
  /** What was seen there, in one line. */
  shows: string
}

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
  /** `confirmed`: a second answer about something else agrees. */
  confidence: 'confirmed' | 'one answer' | null
  /** All that it could be, with `needs-dialect`. */
  candidates: string[]
  evidence: Evidence[]
  /** Why it was not found, or what to do about it; null if there is nothing to say. */
  note: string | null
  /** Requirements whose scenarios use it. */
  requirements: string[]
  /** Valid answers may lack it: a place in the target file would make its absence a fault. */
  optional: boolean
}

/** A finding of which nothing is known but this. */
export function findingAt(path: Finding['path'], known: Pick<Finding, 'state'> & Partial<Finding>): Finding {
  const nothing = { value: null, confidence: null, candidates: [], evidence: [], note: null, requirements: [] }
  return { path, ...nothing, optional: false, ...known }
}

export interface CredentialFacts {
  name: string
  environment: string
  /** Its calls were taken at all. */
  taken: boolean
  /** Scopes that a read has shown to be held, and to be lacking; no read can show the others. */
  holds: string[]
  lacks: string[]
  untold: string[]
}

export interface HttpFacts {
  date: boolean
  /** The target's clock minus ours; null without a Date header. */
  clockOffsetSeconds: number | null
  keepsConnections: boolean
  contentType: string | null
  /** Headers of answers about a rate limit. */
  rateLimitHeaders: string[]
}

export interface Pins {
  /** Observations that are the same each time. */
  observed: Record<string, unknown>
  /** What differed between two readings, and is not to be pinned. */
  unsteady: string[]
  /** Pins of the target file that the target no longer agrees with. */
  drift: { gap: string; pinned: unknown; observed: unknown }[]
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
  pins: Pins | null
}
