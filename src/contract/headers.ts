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

/** The characters of a nonce and of an Idempotency-Key. */
export const VISIBLE_ASCII = /^[\x21-\x7e]+$/

/** The form of a timestamp: Unix time in whole seconds. */
export const WHOLE_SECONDS = /^(?:0|[1-9][0-9]{0,14})$/

/** Later than any second of this millennium: milliseconds, sent by mistake. */
export const FIRST_MILLISECONDS = 100_000_000_000

/** Names and values in turn, as Node reads them off the wire. */
export type RawHeaders = readonly string[]

export function headerPairsOf(rawHeaders: RawHeaders): [name: string, value: string][] {
  const pairs: [string, string][] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) pairs.push([rawHeaders[i] as string, rawHeaders[i + 1] as string])
  return pairs
}

/** A header's values, each occurrence one by one; names are compared without regard to case. */
export function headerValuesOf(rawHeaders: RawHeaders, name: string): string[] {
  const wanted = name.toLowerCase()
  const values: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const found = rawHeaders[i] as string
    if (found.length === wanted.length && found.toLowerCase() === wanted) values.push(rawHeaders[i + 1] as string)
  }
  return values
}

/** The value of a header, the first where it came twice; its name in any case. Where no answer came, there are no headers. */
export function headerIn(
  headers: readonly (readonly [name: string, value: string])[] | undefined,
  name: string,
): string | undefined {
  const wanted = name.toLowerCase()
  return headers?.find(([key]) => key.toLowerCase() === wanted)?.[1]
}
