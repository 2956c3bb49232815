import type { GapChoices, GapId } from '../../contract/choices.ts'
import { CASE_ID, DOMAIN, ORDER_ID } from '../../contract/endpoints/example-values.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { eventsPage, LIMITS } from '../../contract/limits.ts'
import { isDocumentedParameter, parameterNames } from '../../contract/wire-names.ts'
import { type Components, wholeSchema } from './components.ts'
import { freeFieldMark, gapMark } from './gap-marks.ts'
import type { Json } from './standard-schema.ts'

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

/** Examples of required parameters. */
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
  return [...pathParameters(endpoint), ...queryParameters(id, refer, gaps), ...key]
}

function pathParameters({ path }: Endpoint): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...PATH_PARAMETERS[name],
    schema: { type: 'string', minLength: 1 },
  }))
}

function queryParameters(id: EndpointId, refer: Components['refer'], gaps: GapChoices): Json[] {
  const query = wholeSchema(id, 'query', gaps)
  if (!query) return []
  const required = query['required'] as string[]
  const ours = new Map([...parameterNames(id, gaps)].map(([own, chosen]) => [chosen, own]))
  return Object.entries(query['properties'] as Record<string, Json>).map(([name, { description, ...schema }]) => {
    const own = ours.get(name) ?? name
    return {
      name,
      in: 'query',
      required: required.includes(name),
      description: description ?? QUERY_WORDS[own],
      schema: own === 'limit' ? { ...schema, default: usualLimit(id, gaps) } : refer(schema),
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

function usualLimit(id: EndpointId, gaps: GapChoices): number {
  return (id === 'events.list' ? eventsPage(gaps) : LIMITS.listPage).default
}

export function sharedParameters(gaps: GapChoices): Record<string, Json> {
  return { IdempotencyKey: idempotencyKey(gaps) }
}

function idempotencyKey(gaps: GapChoices): Json {
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
