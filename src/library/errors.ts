/** The answer of an operator API that refused something, as a problem (RFC 9457). */
export interface Problem {
  readonly detail?: unknown
  readonly title?: unknown
  readonly [member: string]: unknown
}

/**
 * The sandbox said no: a 4xx of the operator API. What helps to do better is in `members`, for instance the state of an
 * order and the steps that it allows.
 *
 * @example
 * await world.orders.clear(publicId).catch((error) => {
 *   if (error instanceof SandboxRefusal) console.log(error.status, error.detail, error.members.steps)
 * })
 */
export class SandboxRefusal extends Error {
  override name = 'SandboxRefusal'
  readonly status: number
  /** One sentence: what was wrong. */
  readonly detail: string
  /** Whatever else the problem says. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(status: number, { detail, title, type: _type, status: _status, ...members }: Problem, what: string) {
    const sentence = typeof detail === 'string' ? detail : String(title ?? `the operator answered ${status}`)
    super(`${what}: ${sentence} (${status})`)
    this.status = status
    this.detail = sentence
    this.members = members
  }
}

/**
 * Nobody answers at the operator's address, or something that is no operator API does.
 *
 * @example await connectSandbox({ url: 'http://127.0.0.1:1' }).catch((error) => error instanceof SandboxUnreachable) // true
 */
export class SandboxUnreachable extends Error {
  override name = 'SandboxUnreachable'
}

/**
 * What was waited for did not come in time. The message says what did happen: events, refused calls with the reason of
 * each, and where time stands.
 *
 * @example await expect(world.waitFor('order.settled', { timeoutMs: 50 })).rejects.toThrow(WaitTimeout)
 */
export class WaitTimeout extends Error {
  override name = 'WaitTimeout'
}
