/** A value that was sent beside the one that was expected, as both were when the call was refused; null for none. */
export interface Compared {
  readonly name: string
  readonly sent: string | null
  readonly expected: string | null
}

/** What to do about a refusal, in words, and what does it: a call of the partner API, or a command of this program. */
export interface Remedy {
  readonly says: string
  readonly call?: {
    readonly method: string
    /** Below the API root, query included; a whole path where it begins with `/api`. */
    readonly path: string
    readonly body?: unknown
    readonly idempotencyKey?: string
    /** Name of the credential that signs; that of the refused call unless given. */
    readonly as?: string
  }
  readonly command?: string
}

/**
 * What a refusal was decided by, as it was at that moment. The operator reads it; a caller never does, so it may name what
 * belongs to another partner.
 */
export interface Grounds {
  /** The reason in a clause, where more is known than the message says. */
  readonly says?: string
  readonly compared?: readonly Compared[]
  readonly remedies?: readonly Remedy[]
  /** Fingerprint of the body that its Idempotency-Key was used for: the request log has the call. */
  readonly keyUsedFor?: string
  /** A name that nothing is listed under. */
  readonly unlisted?: string
  /** A listing whose price decided: the log of acts has when an operator set it. */
  readonly pricedDomain?: string
}
