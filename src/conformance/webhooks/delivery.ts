/** How a delivery ended, as the receiver saw it. Times are milliseconds since its arrival. */
type Ending =
  | { kind: 'answered'; status: number; afterMs: number }
  /** We closed the connection without an answer, as the scenario asked. */
  | { kind: 'hung-up'; afterMs: number }
  /** The target closed it before it had its answer. */
  | { kind: 'given-up'; afterMs: number }

/** One request, usually a POST, that arrived at a hook, kept as it came. */
export interface Delivery {
  /** Wall time of its arrival, in milliseconds. */
  readonly atMs: number
  /** The same on the clock that never goes back. */
  readonly arrivedMs: number
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The raw bytes, cut at the receiver's limit. */
  readonly body: Buffer
  /** The body as JSON; undefined if it is not one. */
  readonly json: unknown
  /** Null while it waits for its answer. */
  ending: Ending | null
  /** The exchange under which the run has recorded it, once it has. */
  exchange?: string
}

/** What a delivery is answered with. */
export interface HookAnswer {
  /** Null: the connection is closed instead. */
  status: number | null
  afterMs: number
  /** Where a redirect points to. */
  location?: string
}

/** How a hook behaves towards some of its deliveries. */
export interface HookRule {
  answer: HookAnswer
  /** So many deliveries; all where null. */
  times: number | null
  fits(json: unknown): boolean
}

/** One address at the receiver, of one scenario, with everything that has arrived there. */
export interface Hook {
  readonly name: string
  readonly url: string
  readonly secret: string
  readonly registrations: readonly Registration[]
  readonly deliveries: readonly Delivery[]
  /** From here on; the latest rule that fits decides. */
  behave(rule: HookRule): void
  /** The target has accepted this hook's address with this secret. */
  register(registration: Registration): void
}

/** That a secret was registered for an address: when the call was sent, and when it was accepted. */
export interface Registration {
  readonly secret: string
  readonly sentAtMs: number
  readonly acceptedAtMs: number
}

/**
 * The secrets that a delivery may be signed under: the one registered last before it came, and any whose registration
 * was under way at that moment.
 *
 * @example validSecrets([{ secret: 'a', sentAtMs: 0, acceptedAtMs: 5 }], 10) // ['a']
 */
export function validSecrets(registrations: readonly Registration[], atMs: number): string[] {
  const accepted = registrations.filter(({ acceptedAtMs }) => acceptedAtMs <= atMs)
  const underWay = registrations.filter(({ sentAtMs, acceptedAtMs }) => sentAtMs <= atMs && acceptedAtMs > atMs)
  return [...accepted.slice(-1), ...underWay].map(({ secret }) => secret)
}
