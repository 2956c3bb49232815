import { curlCommand } from '../../contract/curl-command.ts'
import { API_ROOT } from '../../contract/endpoints/endpoint.ts'
import { ENDPOINTS, endpointAt } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { isObject } from '../../contract/is-object.ts'
import { anything, nullable, object, oneOf, optional, record, string } from '../../contract/schema.ts'
import type { CallOptions, PartnerClient, PartnerVerb } from '../../library/partner-client.ts'
import { pageOf, placeOf } from '../pages.ts'
import { count, cursor, data, PAGE, ToolError, tool, world, worldOf } from '../tool.ts'

const VERBS = ['GET', 'POST', 'PUT'] as const satisfies readonly PartnerVerb[]

/** What both tools take. */
const CALL = {
  method: oneOf(VERBS),
  path: string(`Path with its query, relative to ${API_ROOT}, or a whole path from /api/.`),
  body: optional(anything('JSON value, or a text that is sent as it is.')),
  credential: optional(string('Name of a credential (default: "main").')),
  idempotency_key: optional(string('Required for POST /orders; a new one for each order.')),
  world,
}

interface CallInput {
  method: PartnerVerb
  path: string
  body?: unknown
  credential?: string
  idempotency_key?: string
  world?: string
}

/** Calls of the partner API. */
export const CALL_PARTNER_API = tool({
  name: 'call_partner_api',
  title: 'Call the partner API',
  description:
    'Makes one signed call, as a partner does: search, quote, order, refund, register a webhook. Prices are whole cents.',
  input: object({
    ...CALL,
    headers: optional(
      record('Headers to add, or to replace, for example to send a wrong signature.', { values: string() }),
    ),
    cursor,
  }),
  output: object({
    status: count,
    code: nullable(string()),
    request_id: string('For explain_call.'),
    data: data('the answer'),
    ...PAGE,
  }),
  hints: { isOpenWorld: true },
  async run({ cursor: from, headers, ...call }, context) {
    if (from !== undefined && call.method !== 'GET') throw new ToolError('cursor: only a GET is made again for a page')
    const options = { ...optionsOf(call), ...(headers && { headers }) }
    const client = await clientOf(call, await context.sandbox())
    const { status, requestId, text, json } = await client.call(call.method, pathOf(call), call.body, options)
    const place = placeOf(from)
    const page = pageOf(json === undefined ? { text } : { body: json }, place)
    const code = isObject(json) && typeof json['code'] === 'string' ? json['code'] : null
    return { status, code, request_id: requestId, ...page }
  },
})

export const SIGN = tool({
  name: 'sign',
  title: 'Sign a call',
  description:
    'The canonical string, the headers and a curl command of a call, without making it: to compare with your client. No secret is shown.',
  input: object(CALL),
  output: object({
    url: string(),
    canonical_string: string('What is signed, line by line.'),
    headers: record('All that the call needs.', { values: string() }),
    curl: nullable(string()),
    note: optional(string('What is missing from the call.')),
  }),
  hints: { isReadOnly: true },
  async run(call, context) {
    const access = await context.sandbox()
    const client = await clientOf(call, access)
    const { headers, canonicalString } = await client.sign(call.method, pathOf(call), call.body, optionsOf(call))
    const target = pathOf(call).startsWith('/api/') ? pathOf(call) : API_ROOT + pathOf(call)
    const body = call.body === undefined ? null : textOf(call.body)
    const { url: origin } = access
    const curl = curlCommand({ method: call.method, origin, target, headers: Object.entries(headers), body })
    return {
      url: origin + target,
      canonical_string: canonicalString,
      headers,
      curl: 'line' in curl ? curl.line : null,
      ...(lacksKey(call.method, target, headers) && {
        note: 'This call needs an Idempotency-Key: without idempotency_key the answer is 400 missing_idempotency_key.',
      }),
    }
  },
})

function lacksKey(method: string, target: string, headers: Readonly<Record<string, string>>): boolean {
  const endpoint = endpointAt(method, target.replace(/\?.*$/s, ''))
  return endpoint !== null && 'idempotencyKey' in ENDPOINTS[endpoint] && !(HEADERS.idempotencyKey in headers)
}

function clientOf(
  { world, credential = 'main' }: CallInput,
  access: { as(w: string, name: string): Promise<PartnerClient> },
) {
  return access.as(worldOf(world), credential)
}

function pathOf({ path }: CallInput): string {
  if (!/^\/[!-~]*$/.test(path))
    throw new ToolError('path: it must begin with / and hold no space; percent-encode other characters')
  return path
}

function optionsOf({ idempotency_key: key }: CallInput): CallOptions {
  return key === undefined ? {} : { idempotencyKey: key }
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}
