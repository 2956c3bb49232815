/** The header names of the document, once. Node hands incoming names over in lower case, so {@link AUTH_HEADERS} holds both spellings. */
export const HEADERS = {
  keyId: 'X-Partner-Key-Id',
  timestamp: 'X-Partner-Timestamp',
  nonce: 'X-Partner-Nonce',
  signature: 'X-Partner-Signature',
  idempotencyKey: 'Idempotency-Key',
  /** Ours, not the document's: the handle under which the request log keeps a call. */
  requestId: 'X-Request-Id',
  /** Ours: marks an answer that was stored by an earlier call with the same key (ORD-16). */
  idempotentReplayed: 'Idempotent-Replayed',
  retryAfter: 'Retry-After',
} as const

/** The four headers every call carries (document: Authentication, Required headers). */
export const AUTH_HEADERS = [HEADERS.keyId, HEADERS.timestamp, HEADERS.nonce, HEADERS.signature] as const

/** What the signature header's value starts with (document: Versioning, 2). */
export const SIGNATURE_PREFIX = 'v1='

/**
 * The four headers of a signed call.
 *
 * @param signature lower-case hex, without the scheme prefix.
 * @example signedHeaders('pk_test_1', { timestampSeconds: 1_700_000_000, nonce: 'n' }, '9b74…')['X-Partner-Signature'] // 'v1=9b74…'
 */
export function signedHeaders(
  keyId: string,
  { timestampSeconds, nonce }: { readonly timestampSeconds: number; readonly nonce: string },
  signature: string,
): Record<string, string> {
  return {
    [HEADERS.keyId]: keyId,
    [HEADERS.timestamp]: String(timestampSeconds),
    [HEADERS.nonce]: nonce,
    [HEADERS.signature]: SIGNATURE_PREFIX + signature,
  }
}

/** The value of a header, the first where it came twice; its name in any case. Where no answer came, there are no headers. */
export function headerIn(
  headers: readonly (readonly [name: string, value: string])[] | undefined,
  name: string,
): string | undefined {
  const wanted = name.toLowerCase()
  return headers?.find(([key]) => key.toLowerCase() === wanted)?.[1]
}
