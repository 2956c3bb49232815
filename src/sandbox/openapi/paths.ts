import type { GapChoices } from '../../contract/choices.ts'
import { ENDPOINT_IDS, ENDPOINTS, type Endpoint, type EndpointId, isForMerchants } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { wireNamesOf } from '../wire/wire-names.ts'
import { type Components, wholeSchema } from './components.ts'
import { gapMark } from './gap-marks.ts'
import { parametersOf } from './parameters.ts'
import { refusalResponse, refusalsOf } from './refusals.ts'
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
  const { summary, description, requirements } = endpoint
  const parameters = parametersOf(id, shared)
  return {
    operationId: id,
    summary,
    description,
    tags: [endpoint.section],
    'x-scopes': { anyOf: endpoint.scopes },
    ...(endpoint.affiliate && { 'x-affiliate': true }),
    ...(isForMerchants(id, shared.gaps) && { 'x-merchant-of-record': true }),
    'x-requirements': requirements,
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.effect === 'write' && { requestBody: requestBodyOf(id, shared) }),
    responses: { ...acceptedResponse(id, shared), ...refusalResponses(id, shared) },
  }
}

function requestBodyOf(id: EndpointId, { components, gaps }: Shared): Json {
  const schema = components.refer(wholeSchema(id, 'body', gaps))
  return { required: true, content: { 'application/json': { schema, example: bodyExampleOf(id, gaps) } } }
}

function acceptedResponse(id: EndpointId, { gaps, components }: Shared): Json {
  const endpoint: Endpoint = ENDPOINTS[id]
  const creates = endpoint.method === 'POST'
  const response = {
    description: creates
      ? 'Success. Returns the created object.'
      : endpoint.method === 'PUT'
        ? 'Success. Returns the current state.'
        : 'Success. Returns the requested data.',
    headers: {
      [HEADERS.requestId]: { $ref: '#/components/headers/RequestId' },
      ...(endpoint.idempotencyKey &&
        gaps['replay-mark'] !== 'no' && {
          [HEADERS.idempotentReplayed]: { $ref: '#/components/headers/IdempotentReplayed' },
        }),
    },
    content: {
      'application/json': {
        schema: components.refer(wholeSchema(id, 'answer', gaps)),
        example: answerExampleOf(id, gaps),
      },
    },
    ...(creates && { 'x-gap': [gapMark('created-status', gaps)] }),
  }
  const repeated = endpoint.idempotencyKey && gaps['repeated-order-status'] === '200' ? { 200: response } : {}
  return { ...repeated, [creates ? gaps['created-status'] : 200]: response }
}

function refusalResponses(id: EndpointId, { gaps, responses }: Shared): Json {
  const entries = [...refusalsOf(id, gaps)].map(([status, codes]) => {
    const name = [status, ...codes].join('.')
    responses[name] ??= refusalResponse(status, codes, gaps)
    return [status, { $ref: `#/components/responses/${name}` }]
  })
  return Object.fromEntries(entries)
}

/** The example of an answer as the choices have it. */
function answerExampleOf(id: EndpointId, gaps: GapChoices): unknown {
  const { answer } = ENDPOINTS[id].example
  return wireNamesOf(gaps)?.answer(id, answer) ?? answer
}

/** The example of a body as the choices have it. */
function bodyExampleOf(id: EndpointId, gaps: GapChoices): unknown {
  const { example, creates }: Endpoint = ENDPOINTS[id]
  if (creates?.kind !== 'order') return example.body
  const order = example.body as { expected_price: number }
  return {
    ...order,
    ...(gaps['expected-price-unit'] === 'units' && { expected_price: order.expected_price / 100 }),
    ...(gaps['order-required-fields'].includes('return_url') && ADDRESSES),
  }
}

const ADDRESSES = { return_url: 'https://shop.example.com/thanks', cancel_url: 'https://shop.example.com/basket' }
