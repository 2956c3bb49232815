/** An answer of the partner API, complete: bytes that can be stored and repeated. */
export interface Answer {
  readonly status: number
  /** Beside Content-Type and X-Request-Id. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a handler decides: a body to be written as JSON, and whether something was created. */
export interface Reply {
  readonly created: boolean
  readonly body: unknown
}

export function ok(body: unknown): Reply {
  return { created: false, body }
}

/** Answered with 201 by default; the document leaves the status open (ORD-16). */
export function created(body: unknown): Reply {
  return { created: true, body }
}
