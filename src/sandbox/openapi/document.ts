import { SECTIONS } from '../../contract/endpoints/endpoint.ts'
import { DEFAULT_GAPS, type GapChoices } from '../../contract/gaps.ts'
import { HEADERS } from '../../contract/headers.ts'
import { collectComponents } from './components.ts'
import { gapDictionary } from './gap-marks.ts'
import { SHARED_HEADERS, sharedParameters } from './parameters.ts'
import { pathsOf, type Shared } from './paths.ts'
import { errorSchema } from './refusals.ts'
import { SECURITY, SECURITY_SCHEMES } from './security.ts'
import type { Json } from './standard-schema.ts'
import { deliverySchemas, webhooks } from './webhooks.ts'

const DESCRIPTION = `Selling domains on behalf of a service, server to server. Every call is signed; see the security scheme \`signature\`.

Money is in whole cents with its \`currency\` beside it. Times are ISO 8601 in UTC with milliseconds. Lists come in pages: \`next_cursor\` leads to the next one and is null on the last. Fields and parameters nobody knows are refused by name, unless an operation says otherwise.

This is how the sandbox behaves. Where the API document leaves something open, another service may do otherwise: \`x-gap\` marks such statuses, fields and parameters, and \`x-gaps\` lists the open points with their legal values and the choice made here. \`x-requirements\` names the statements an operation is judged by, \`x-scopes\` the scopes of which one is enough.`

/** What a document is made for. */
export interface DocumentOptions {
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
      parameters: { ...sharedParameters(gaps), DeliverySignature: DELIVERY_SIGNATURE },
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
