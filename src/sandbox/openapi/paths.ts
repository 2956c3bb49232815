import type { GapChoices, GapId } from '../../contract/choices.ts'
import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { CASE_ID, DOMAIN, ORDER_ID } from '../../contract/endpoints/example-values.ts'
import { ENDPOINTS, type Endpoint, isForMerchants } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { eventsPage, LIMITS } from '../../contract/limits.ts'
import { isDocumentedParameter, parameterNames } from '../../contract/wire-names.ts'
import { wireNamesOf } from '../wire/wire-names.ts'
import { type Components, freeFieldMark, gapMark, wholeSchema } from './components.ts'
import { refusalResponse, refusalsOf } from './refusals.ts'
import { type Json, pathParameters } from './standard-schema.ts'

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
        example: wireNamesOf(gaps)?.answer(id, endpoint.example.answer) ?? endpoint.example.answer,
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

/** Words about the parameters that several operations share. */
const QUERY_WORDS: Readonly<Record<string, string>> = {
  q: 'The text to search for.',
  domain:
    'A domain name in any spelling: letter case, a dot at the end and the form of an international name do not matter.',
  from: 'From this instant on (inclusive).',
  to: 'Before this instant (exclusive).',
  status: 'Only those in this state.',
  payment_model: 'Only sales with this payment model.',
  cursor: 'The cursor of the next page, from the previous page.',
  after_id: 'Only events after this one.',
  limit: 'The maximum number of results.',
}

const QUERY_EXAMPLES: Readonly<Record<string, string>> = { q: 'solar', domain: DOMAIN }

const PATH_PARAMETERS: Readonly<Record<string, { description: string; example: string }>> = {
  name: { description: 'A domain name in any spelling.', example: DOMAIN },
  public_id: { description: 'The id of an order.', example: ORDER_ID },
  case_id: { description: 'The id of a brokerage case.', example: CASE_ID },
}

/** The parameters of an operation: path, query, and the idempotency key if it is required. */
export function parametersOf(
  id: EndpointId,
  { components: { refer }, gaps }: { components: Components; gaps: GapChoices },
): Json[] {
  const endpoint: Endpoint = ENDPOINTS[id]
  const key = endpoint.idempotencyKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []
  const inPath = pathParameters(endpoint.path, (name) => PATH_PARAMETERS[name])
  return [...inPath, ...queryParameters(id, refer, gaps), ...key]
}

function queryParameters(id: EndpointId, refer: Components['refer'], gaps: GapChoices): Json[] {
  const query = wholeSchema(id, 'query', gaps)
  if (!query) return []
  const required = query['required'] as string[]
  const usualLimit = (id === 'events.list' ? eventsPage(gaps) : LIMITS.listPage).default
  const ours = new Map([...parameterNames(id, gaps)].map(([own, chosen]) => [chosen, own]))
  return Object.entries(query['properties'] as Record<string, Json>).map(([name, { description, ...schema }]) => {
    const own = ours.get(name) ?? name
    return {
      name,
      in: 'query',
      required: required.includes(name),
      description: description ?? QUERY_WORDS[own],
      schema: own === 'limit' ? { ...schema, default: usualLimit } : refer(schema),
      ...(required.includes(name) && { example: QUERY_EXAMPLES[own] }),
      ...markOf(id, own, gaps),
    }
  })
}

/** The open points that decide how parameters are called (ORD-14). */
const NAMED_BY: Readonly<Record<string, GapId>> = {
  from: 'window-parameters',
  to: 'window-parameters',
  cursor: 'cursor-parameter',
  limit: 'limit-parameter',
}

function markOf(id: EndpointId, own: string, gaps: GapChoices): Json {
  if (id === 'orders.list' && own === 'domain') return { 'x-gap': gapMark('domain-parameter', gaps) }
  if (isDocumentedParameter(id, own)) return {}
  const gap = NAMED_BY[own]
  return gap ? { 'x-gap': gapMark(gap, gaps) } : freeFieldMark
}

export function idempotencyKeyParameter(gaps: GapChoices): Json {
  return {
    name: HEADERS.idempotencyKey,
    in: 'header',
    required: true,
    description:
      'Identifies the operation, so that a retry cannot do it twice. Use a UUID v4. The same key with another body is a conflict.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: gaps['idempotency-key-max-length'],
      pattern: '^[\\x21-\\x7e]+$',
      description: 'Visible ASCII characters.',
    },
    example: '6f0c1c7e-2f5b-4b7e-9d1c-0a4f6f1d2e33',
    'x-gap': gapMark('idempotency-key-max-length', gaps),
  }
}

export const SHARED_HEADERS: Readonly<Record<string, Json>> = {
  RequestId: {
    description: 'The id of the call in the request log. The sandbox adds it; the API document does not have it.',
    schema: { type: 'string', pattern: '^req_[0-9a-z]+$' },
    'x-gap': freeFieldMark['x-gap'],
  },
  RetryAfter: {
    description: 'Whole seconds to wait; waiting that long is enough.',
    schema: { type: 'integer', minimum: 1 },
  },
  IdempotentReplayed: {
    description: '`true` if an earlier call with the same key stored the answer; otherwise the header is absent.',
    schema: { type: 'string', enum: ['true'] },
    'x-gap': freeFieldMark['x-gap'],
  },
}
