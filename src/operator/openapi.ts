import { readFileSync } from 'node:fs'
import type { Operation } from '../operator-api/operation.ts'
import { OPERATION_IDS, type OperationId, operationOf } from '../operator-api/operations.ts'
import { ANSWER_SCHEMAS_FILE } from '../package-files.ts'
import { type Json, pathParameters, standardSchema } from '../sandbox/openapi/standard-schema.ts'
import { PROBLEM_TYPE } from '../sandbox/wire/error-answer.ts'
import { PROBLEM_CODES } from './problems.ts'

const DESCRIPTION = `Move what the staff of the service would move: worlds, clocks, orders, cases, faults. The command line, the library and the console are clients of this API.

Amounts are whole cents, times are ISO 8601 in UTC, durations are texts such as \`10m30s\`. Unknown fields and parameters are refused by name. Lists come in pages: pass \`next_cursor\` of the last page as \`cursor\`; it is null at the end.

Answers are JSON objects of exactly the members that their schemas list.`

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  w: 'The name of a world; the first one is `default`.',
  name: 'The name of a domain.',
  public_id: 'The id of an order.',
  session_id: 'The id of a checkout session.',
  run_id: 'The id of a settlement run or a payout run.',
  case_id: 'The id of a brokerage case.',
  key_id: 'The key id of a credential.',
  id: 'The id of a fault.',
  request_id: 'The id of a call, as in the header `X-Request-Id` of its answer.',
  event_id: 'The id of an event.',
  delivery_id: 'The id of a delivery.',
}

/** A refusal, whatever its status. */
const PROBLEM: Json = {
  type: 'object',
  description: 'A problem of RFC 9457.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', const: 'about:blank' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'What is wrong, where, and what to do.' },
    code: {
      type: 'string',
      enum: PROBLEM_CODES,
      description:
        'What is wrong, for a program. Every 400 has `validation_error`. What the rules of the partner API refuse has the code that a partner would get.',
    },
    state: { type: 'string', description: 'Of a refused step: the state of the order, case or checkout session.' },
    steps: { ...strings(), description: 'The steps that the state of an order or case allows.' },
    actions: { ...strings(), description: 'The actions that the state of a checkout session allows.' },
    quote_expires_at: { type: 'string', description: 'When the quote ends that reserves the domain of a case.' },
    run_id: { type: 'string', description: 'The settlement run that has begun.' },
  },
  additionalProperties: false,
}

function strings(): Json {
  return { type: 'array', items: { type: 'string' } }
}

/** What is answered: of each operation, and the types that answers have in common. Made by docs/generate.mjs. */
interface AnswerSchemas {
  readonly answers: Readonly<Record<string, Json>>
  readonly schemas: Readonly<Record<string, Json>>
}

/**
 * The operator API as OpenAPI 3.1, made from the rows that its routes are made from.
 *
 * @param url where the operator port is; `/` in a document that is served by it.
 * @example operatorOpenApi({ version: '0.1.0' }).openapi // '3.1.1'
 */
export function operatorOpenApi({ version, url = 'http://127.0.0.1:4601' }: { version: string; url?: string }) {
  const { answers, schemas }: AnswerSchemas = JSON.parse(readFileSync(ANSWER_SCHEMAS_FILE, 'utf8'))
  return {
    openapi: '3.1.1',
    info: {
      title: 'partner-sandbox operator API',
      version,
      summary: 'Control a running sandbox.',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url, description: 'The operator port.' }],
    // On loopback without `serve --operator-token` there is no token.
    security: [{ token: [] }, {}],
    tags: tags(),
    paths: paths(answers),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The operator token that `serve` prints or was given.' },
      },
      responses: {
        Refused: {
          description: 'Refused; nothing has changed.',
          content: { [PROBLEM_TYPE]: { schema: ref('Problem') } },
        },
        Failed: {
          description: 'A fault of the sandbox or of its disk.',
          content: { [PROBLEM_TYPE]: { schema: ref('Problem') } },
        },
      },
      schemas: { Problem: PROBLEM, ...schemas },
    },
  }
}

function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}

/** A tag for each resource, in the order of the operations. */
function tags(): Json[] {
  const names = new Set(OPERATION_IDS.map(tagOf))
  return [...names].map((name) => ({ name, description: `Operations of ${name}.` }))
}

/** `settlementRuns.list` is one of `settlement runs`. */
function tagOf(id: OperationId): string {
  return (id.split('.')[0] as string).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function paths(answers: AnswerSchemas['answers']): Record<string, Json> {
  const found: Record<string, Json> = {}
  for (const id of OPERATION_IDS) {
    const row = operationOf(id)
    found[row.path] = { ...found[row.path], [row.method.toLowerCase()]: operation(id, row, answers[id]) }
  }
  return found
}

function operation(id: OperationId, row: Operation, schema: Json | undefined): Json {
  const inPath = pathParameters(row.path, (name) => ({ description: PATH_PARAMETERS[name] }))
  const parameters = [...inPath, ...queryParameters(id, row)]
  return {
    operationId: id,
    tags: [tagOf(id)],
    // The first sentence says what it does.
    summary: (/^(.*?)[.:;,](?= |$)/.exec(row.summary)?.[1] ?? row.summary).replaceAll('`', ''),
    description: row.summary,
    ...(parameters.length > 0 && { parameters }),
    ...((row.body || row.takes) && { requestBody: requestBody(row) }),
    responses: {
      '2XX': { description: 'Done.', ...answer(row, schema) },
      '4XX': { $ref: '#/components/responses/Refused' },
      '5XX': { $ref: '#/components/responses/Failed' },
    },
  }
}

/** Each with the words of its schema, or else those of its flag. */
function queryParameters(id: OperationId, { query, commands }: Operation): Json[] {
  const { properties, required } = partsOf(query?.json)
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = standardSchema(schema, 'request') as Json
    const flag = commands.map(({ flags }) => flags?.[name as never] as readonly string[] | undefined).find(Boolean)
    const words = description ?? flag?.[1] ?? PAGING[name]
    if (words === undefined) throw new Error(`${id}: the parameter ${name} has no description`)
    return { name, in: 'query', required: required.includes(name), description: words, schema: rest }
  })
}

/** What lists without a command have in common. */
const PAGING: Readonly<Record<string, string>> = {
  limit: 'number of rows',
  cursor: 'continue after this row (from the page before)',
  partner_id: 'only of this partner (ptr_...)',
}

function partsOf(schema: object = {}): { properties: Json; required: readonly string[] } {
  return { properties: {}, required: [], ...schema }
}

function requestBody({ body, takes }: Operation): Json {
  return {
    required: !body || partsOf(body.json).required.length > 0,
    content: {
      ...(body && { 'application/json': { schema: standardSchema(body.json, 'request') } }),
      ...(takes && { [takes.type]: { schema: bytesOf(takes.type) } }),
    },
  }
}

function answer({ gives }: Operation, schema: Json | undefined): Json {
  if (!schema && !gives) return {}
  return {
    content: {
      ...(schema && { 'application/json': { schema } }),
      ...(gives && { [gives]: { schema: bytesOf(gives) } }),
    },
  }
}

/** As OpenAPI 3.1 has it: bytes have no schema, texts are strings. */
function bytesOf(type: string): Json {
  return type.startsWith('text/') ? { type: 'string' } : {}
}
