import { DOMAIN } from '../../contract/endpoints/example-values.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { shellQuote } from '../../contract/shell-quote.ts'
import type { OpenApiDocument } from './document.ts'
import type { FindSchema, ShownSchema } from './flatten-schema.ts'

/** An operation or webhook as the document writes it. */
export interface ShownOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters?: readonly ShownParameter[]
  readonly requestBody?: { content: ShownContent }
  readonly responses: Readonly<Record<string, ShownResponse>>
  readonly 'x-scopes'?: { anyOf: readonly string[] }
  readonly 'x-affiliate'?: true
  readonly 'x-merchant-of-record'?: true
}

export interface ShownParameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: ShownSchema
  readonly example?: unknown
  readonly 'x-gap'?: ShownSchema['x-gap']
}

export interface ShownResponse {
  readonly description: string
  readonly content?: ShownContent
  readonly 'x-gap'?: readonly { id: string; code?: string; values: readonly unknown[] }[]
}

type ShownContent = Readonly<Record<string, { schema: ShownSchema; example?: unknown }>>

/** An operation with the path or name and the verb under which the document has it. */
interface FoundOperation {
  readonly verb: string
  readonly path: string
  readonly operation: ShownOperation
}

export function finderOf(api: OpenApiDocument): FindSchema {
  return (ref: string) => at(api, ref) as ShownSchema
}

/** What a reference within the document points at; names of components hold no character that would be escaped. */
function at(api: OpenApiDocument, ref: string): unknown {
  return ref
    .split('/')
    .slice(1)
    .reduce((value: unknown, name) => (value as Record<string, unknown>)[name], api)
}

/** Every operation under these paths or names, with every reference resolved except schemas. */
function entriesOf(api: OpenApiDocument, paths: Record<string, unknown>): FoundOperation[] {
  return Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs as Record<string, ShownOperation>).map(([verb, operation]) => ({
      verb: verb.toUpperCase(),
      path,
      operation: withoutReferences(api, operation),
    })),
  )
}

/** With what operations share in its place; schemas keep their names. */
function withoutReferences(api: OpenApiDocument, operation: ShownOperation): ShownOperation {
  return JSON.parse(JSON.stringify(operation), (_name, value: { $ref?: string } | null) => {
    const ref = value?.$ref
    return ref === undefined || ref.startsWith('#/components/schemas/') ? value : at(api, ref)
  }) as ShownOperation
}

/** The operations of a section, or what is delivered by webhook. */
export interface OperationGroup {
  readonly name: string
  readonly description: string
  /** Webhooks are received instead of called. */
  readonly isCalled: boolean
  readonly entries: readonly FoundOperation[]
}

/** Every operation by its section, and the webhooks at the end. */
export function groupsOf(api: OpenApiDocument): OperationGroup[] {
  const operations = entriesOf(api, api.paths)
  const sections = api.tags.map(({ name, description }) => ({
    name,
    description,
    isCalled: true,
    entries: operations.filter(({ operation }) => operation.tags.includes(name)),
  }))
  return [...sections, { ...DELIVERIES, entries: entriesOf(api, api.webhooks) }]
}

const DELIVERIES = {
  name: 'Webhook deliveries',
  description: 'What the service sends to your receiver.',
  isCalled: false,
}

/** @example groupId('Hosted checkout') // 'group-hosted-checkout' */
export function groupId(name: string): string {
  return `group-${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`
}

/** A read that any credential of the sandbox with the scope of search may make. */
export const EXAMPLE_READ = `${ENDPOINTS.availability.path}?domain=${DOMAIN}`

/** Pasted again it is a retry, as with any key of a partner's own. */
const IDEMPOTENCY_KEY = 'docs-1'

/**
 * A command line that signs an operation's example and sends it.
 *
 * @example commandOf('GET', 'http://127.0.0.1:4600/api/partner/v1/pricing', operation)
 */
export function commandOf(verb: string, address: string, { parameters = [], requestBody }: ShownOperation): string {
  const example = requestBody?.content['application/json']?.example
  const demandsKey = parameters.some(({ name }) => name === HEADERS.idempotencyKey)
  const pieces = [
    `npx partner-sandbox sign ${verb} ${shellQuote(withParameters(address, parameters))}`,
    `--key-id "$PARTNER_KEY_ID"`,
    example !== undefined && `--body ${shellQuote(JSON.stringify(example))}`,
    demandsKey && `--idempotency-key ${IDEMPOTENCY_KEY}`,
    '--curl | sh',
  ]
  return pieces.filter(Boolean).join(' \\\n  ')
}

function withParameters(address: string, parameters: readonly ShownParameter[]): string {
  let filled = address
  const query: string[] = []
  for (const { name, in: place, required, example } of parameters) {
    if (place === 'path') filled = filled.replace(`{${name}}`, String(example))
    if (place === 'query' && required) query.push(`${name}=${encodeURIComponent(String(example))}`)
  }
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled
}
