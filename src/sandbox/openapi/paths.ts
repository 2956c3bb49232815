import { ENDPOINT_IDS, ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import type { GapChoices } from '../../contract/gaps.ts'
import { HEADERS } from '../../contract/headers.ts'
import { type Components, wholeSchema } from './components.ts'
import { EXAMPLES } from './examples.ts'
import { gapMark } from './gap-marks.ts'
import { OPERATIONS } from './operations.ts'
import { parametersOf } from './parameters.ts'
import { hasBody, refusalResponse, refusalsOf } from './refusals.ts'
import type { Json } from './standard-schema.ts'

/** What is collected while the operations are written, because several of them share it. */
export interface Shared {
  readonly gaps: GapChoices
  readonly components: Components
  /** Responses by name; alike ones are there once. */
  readonly responses: Record<string, Json>
}

/** Every operation under its path. */
export function pathsOf(shared: Shared): Json {
  const paths: Record<string, Json> = {}
  for (const id of ENDPOINT_IDS) {
    const { path, method }: Endpoint = ENDPOINTS[id]
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(id, shared) }
  }
  return paths
}

function operationOf(id: EndpointId, shared: Shared): Json {
  const endpoint: Endpoint = ENDPOINTS[id]
  const { summary, description, requirements } = OPERATIONS[id]
  const parameters = parametersOf(id, shared.components)
  return {
    operationId: id,
    summary,
    description,
    tags: [endpoint.section],
    'x-scopes': { anyOf: endpoint.scopes },
    ...(endpoint.affiliate && { 'x-affiliate': true }),
    ...(endpoint.merchantOfRecord && { 'x-merchant-of-record': true }),
    'x-requirements': requirements,
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody(endpoint) && { requestBody: requestBodyOf(id, shared.components) }),
    responses: { ...acceptedResponse(id, shared), ...refusalResponses(id, shared) },
  }
}

function requestBodyOf(id: EndpointId, { refer }: Components): Json {
  const schema = refer(wholeSchema(id, 'body'))
  return { required: true, content: { 'application/json': { schema, ...example(EXAMPLES[id].body) } } }
}

function acceptedResponse(id: EndpointId, { gaps, components }: Shared): Json {
  const endpoint: Endpoint = ENDPOINTS[id]
  const creates = endpoint.method === 'POST'
  const response = {
    description: creates
      ? 'Done; what was made.'
      : endpoint.method === 'PUT'
        ? 'Done; what holds now.'
        : 'What was asked for.',
    headers: {
      [HEADERS.requestId]: { $ref: '#/components/headers/RequestId' },
      ...(endpoint.idempotencyKey && {
        [HEADERS.idempotentReplayed]: { $ref: '#/components/headers/IdempotentReplayed' },
      }),
    },
    content: {
      'application/json': { schema: components.refer(wholeSchema(id, 'answer')), ...example(EXAMPLES[id].answer) },
    },
    ...(creates && { 'x-gap': [gapMark('created-status', gaps)] }),
  }
  return { [creates ? gaps['created-status'] : 200]: response }
}

function refusalResponses(id: EndpointId, { gaps, responses }: Shared): Json {
  const entries = [...refusalsOf(id, gaps)].map(([status, codes]) => {
    const name = [status, ...codes].join('.')
    responses[name] ??= refusalResponse(status, codes, gaps)
    return [status, { $ref: `#/components/responses/${name}` }]
  })
  return Object.fromEntries(entries)
}

function example(value: unknown): Json {
  return value === undefined ? {} : { example: value }
}
