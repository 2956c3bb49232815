import { HEADERS } from '../../contract/headers.ts'
import type { Json } from './standard-schema.ts'

/** The scheme of the four headers, told once; the other three point here. */
const SIGNATURE = `\`v1=\` and the HMAC-SHA256, in lower-case hex, of the canonical string under the secret of the credential (both as UTF-8).

The canonical string has six lines, put together with single line feeds and without one at the end:

1. the verb in capitals,
2. the path exactly as it is requested, from the first slash on, without the query,
3. the canonical query, or nothing,
4. the text of ${HEADERS.timestamp},
5. the text of ${HEADERS.nonce},
6. the SHA-256 of the body's bytes in lower-case hex; of no bytes at all for a GET, a HEAD and any call without a body.

The canonical query: take the pairs apart and decode them (\`a\` alone is \`a\` with an empty value, a plus sign is a space), sort them by key and, among equal keys, by value, then percent-encode every key and value, leaving only letters, digits and \`- . _ ~\` as they are, with hex digits in capitals; join as \`key=value\` with \`&\`.

\`partner-sandbox sign METHOD URL --key-id KEY\` shows the string and the headers of a call, with \`--curl\` as a line to paste. A refused signature is taken apart in the request log: \`partner-sandbox request show REQUEST_ID\`.`

/** The four headers, all of them demanded of every call. */
export const SECURITY_SCHEMES: Readonly<Record<string, Json>> = {
  keyId: header(
    HEADERS.keyId,
    'The public half of the credential: `pk_`, its environment word (`sandbox`, `test` or `live`), an opaque part.',
    ['AUTH-02', 'AUTH-15', 'CRED-01', 'CRED-02'],
  ),
  timestamp: header(
    HEADERS.timestamp,
    'The Unix time in whole seconds when the call was signed. Up to 300 seconds off in either direction is let through.',
    ['TIME-01', 'TIME-02', 'TIME-03', 'TIME-04', 'TIME-05', 'TIME-06'],
  ),
  nonce: header(
    HEADERS.nonce,
    'A text never used before by this credential, for instance a UUID v4; up to 128 visible ASCII characters. A repeated call needs a fresh one.',
    ['NONCE-01', 'NONCE-02', 'NONCE-03', 'NONCE-04', 'NONCE-09'],
  ),
  signature: header(HEADERS.signature, SIGNATURE, [
    ...['AUTH-01', 'AUTH-04', 'AUTH-06', 'AUTH-07', 'AUTH-14', 'CANON-01', 'CANON-02', 'CANON-03', 'CANON-04'],
    ...['CANON-05', 'CANON-06', 'CANON-07', 'CANON-08', 'CANON-09', 'CANON-10', 'CANON-11', 'CANON-13'],
  ]),
}

/** All four together, none instead of another. */
export const SECURITY: Json = Object.fromEntries(Object.keys(SECURITY_SCHEMES).map((name) => [name, []]))

function header(name: string, description: string, requirements: readonly string[]): Json {
  return { type: 'apiKey', in: 'header', name, description, 'x-requirements': requirements }
}
