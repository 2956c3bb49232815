/** The answer of an operator API that refused something, as a problem (RFC 9457). */
export interface ProblemBody {
  readonly detail?: unknown
  readonly title?: unknown
  readonly [member: string]: unknown
}

/**
 * The sandbox said no: a 4xx or 5xx of the operator API. What helps to do better is in `members`, for instance the state of an
 * order and the steps that it allows.
 *
 * @example
 * await world.orders.clear(publicId).catch((error) => {
 *   if (error instanceof SandboxRefusal) console.log(error.code, error.detail, error.members.steps)
 * })
 */
export class SandboxRefusal extends Error {
  override name = 'SandboxRefusal'
  readonly status: number
  /** What was wrong, for a program: `no_order`, `validation_error`. `refused` if the server gave no code. */
  readonly code: string
  /** One sentence: what was wrong. */
  readonly detail: string
  /** Further members of the problem. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(status: number, { detail, title, type: _type, status: _status, ...members }: ProblemBody, what: string) {
    const sentence = typeof detail === 'string' ? detail : String(title ?? `the operator answered ${status}`)
    super(`${what}: ${sentence} (${status})`)
    this.status = status
    this.code = typeof members['code'] === 'string' ? members['code'] : 'refused'
    this.detail = sentence
    this.members = members
  }
}

/** Why nothing can be asked: no answer came, or the partner API or something else gave one. */
export type UnreachableReason =
  | { kind: 'no-answer'; why: string }
  | { kind: 'not-json' }
  | { kind: 'partner-api' | 'no-problem'; status: number }

/**
 * No operator API answers at the address: nothing does, or something else.
 *
 * @example await connectSandbox({ url: 'http://127.0.0.1:1' }).catch((error) => error instanceof SandboxUnreachable) // true
 */
export class SandboxUnreachable extends Error {
  override name = 'SandboxUnreachable'
  /** Undefined where the address itself is wrong. */
  readonly reason: UnreachableReason | undefined

  constructor(message: string, { reason, ...options }: ErrorOptions & { reason?: UnreachableReason } = {}) {
    super(message, options)
    this.reason = reason
  }
}
