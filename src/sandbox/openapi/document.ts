import { DEFAULT_GAPS, type GapChoices } from '../../contract/choices.ts'
import { SECTIONS } from '../../contract/endpoints/endpoint.ts'
import { HEADERS } from '../../contract/headers.ts'
import type { PageRequest, PageRoute } from '../wire/page.ts'
import { collectComponents, gapDictionary } from './components.ts'
import { idempotencyKeyParameter, pathsOf, SHARED_HEADERS, type Shared } from './paths.ts'
import { errorSchema } from './refusals.ts'
import type { Json } from './standard-schema.ts'
import { deliverySchemas, webhooks } from './webhooks.ts'

const DESCRIPTION = `Sell domains on behalf of a service, from server to server. Every call is signed; see the security scheme \`signature\`.

Money is in whole cents with its \`currency\` beside it. Times are ISO 8601 in UTC with milliseconds. Lists come in pages: \`next_cursor\` leads to the next one and is null on the last. Unknown fields and parameters are refused by name, unless an operation says otherwise.

This is how the sandbox behaves. Where the API document leaves something open, other services may differ: \`x-gap\` marks such statuses, fields and parameters, and \`x-gaps\` lists the open points with their legal values and the choice made here. \`x-requirements\` lists the statements that an operation is tested against. \`x-scopes\` lists the scopes; one of them is enough.`

/** The scheme of the four headers, described once; the other three point here. */
const SIGNATURE = `\`v1=\` and the HMAC-SHA256, in lower-case hex, of the canonical string under the secret of the credential (both as UTF-8).

The canonical string has six lines, joined with single line feeds, without one at the end:

1. the verb in capitals,
2. the path exactly as it is requested, from the first slash on, without the query,
3. the canonical query, which may be empty,
4. the text of ${HEADERS.timestamp},
5. the text of ${HEADERS.nonce},
6. the SHA-256 of the body's bytes in lower-case hex; for a GET, a HEAD and any call without a body, that of zero bytes.

The canonical query: take the pairs apart and decode them (\`a\` alone is \`a\` with an empty value, a plus sign is a space), sort them by key and, among equal keys, by value, then percent-encode every key and value, leaving only letters, digits and \`- . _ ~\` as they are, with hex digits in capitals; join as \`key=value\` with \`&\`.

\`npx partner-sandbox sign METHOD URL --key-id KEY\` shows the string and the headers of a call, with \`--curl\` as a line to paste. The request log explains a refused signature: \`npx partner-sandbox request show REQUEST_ID\`.`

/** The four headers that every call needs. */
const SECURITY_SCHEMES: Readonly<Record<string, Json>> = {
  keyId: header(
    HEADERS.keyId,
    'The public half of the credential: `pk_`, its environment word (`sandbox`, `test` or `live`), an opaque part.',
    ['AUTH-02', 'AUTH-15', 'CRED-01', 'CRED-02'],
  ),
  timestamp: header(
    HEADERS.timestamp,
    'The Unix time in whole seconds when the call was signed. Up to 300 seconds off in either direction is accepted.',
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
const SECURITY: Json = Object.fromEntries(Object.keys(SECURITY_SCHEMES).map((name) => [name, []]))

function header(name: string, description: string, requirements: readonly string[]): Json {
  return { type: 'apiKey', in: 'header', name, description, 'x-requirements': requirements }
}

interface DocumentOptions {
  /** Where the API is reached. */
  readonly publicUrl?: string
  /** The open points as the sandbox at that address decides them. */
  readonly gaps?: GapChoices
}

/**
 * The partner API as OpenAPI 3.1, made from the rows and schemas that serve and validate its calls.
 *
 * @example openApiDocument({ publicUrl: 'http://127.0.0.1:4600' }).openapi // '3.1.1'
 */
export function openApiDocument({ publicUrl = 'http://127.0.0.1:4600', gaps = DEFAULT_GAPS }: DocumentOptions = {}) {
  const components = collectComponents(gaps)
  const shared: Shared = { gaps, components, responses: {} }
  const paths = pathsOf(shared)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Partner Commerce API',
      version: 'v1',
      summary: 'Search, sell and broker domains; get paid for it.',
      description: DESCRIPTION.replace('`next_cursor`', `\`${gaps['next-cursor-field']}\``),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl, description: 'The sandbox.' }],
    security: [SECURITY],
    tags: Object.entries(SECTIONS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooks(gaps),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: { IdempotencyKey: idempotencyKeyParameter(gaps), DeliverySignature: DELIVERY_SIGNATURE },
      headers: SHARED_HEADERS,
      responses: shared.responses,
      schemas: { ...components.schemas, ...deliverySchemas(components), Error: errorSchema(gaps) } as Record<
        string,
        Json
      >,
    },
    'x-gaps': gapDictionary(gaps),
  }
}

const DELIVERY_SIGNATURE = {
  name: HEADERS.signature,
  in: 'header',
  required: true,
  description: 'Lower-case hex HMAC-SHA256 of the bytes of the body, without a prefix.',
  schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>

/** The document of this very server: its address, and the choices of its first world. */
export function documentOf({ worlds: { main } }: PageRequest): OpenApiDocument {
  return openApiDocument({ publicUrl: main.publicUrl(), gaps: main.gaps })
}

/** The API as OpenAPI 3.1, for programs. Needs no signature: it holds no data of any partner. */
export const openApiPage: PageRoute = {
  writes: false,
  worldOf: () => null,
  handle: (request) => ({ status: 200, type: 'application/json', body: JSON.stringify(documentOf(request)) }),
}
