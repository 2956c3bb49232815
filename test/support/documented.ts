import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { DEFAULT_GAPS, type GapChoices } from '../../src/contract/gaps.ts'
import { type OpenApiDocument, openApiDocument } from '../../src/sandbox/openapi/document.ts'
import { SEEN_FOLDER } from './seen-folder.ts'

/** An answer of the partner API as a test saw it. */
export interface SeenAnswer {
  method: string
  /** Path and query as sent. */
  target: string
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  text: string
}

interface DocumentedResponse {
  headers?: Record<string, unknown>
  content: { 'application/json': { schema: object } }
}

interface Contract {
  document: OpenApiDocument
  ajv: Ajv2020
  compiled: Map<string, ValidateFunction>
  /** Where an operation is found: static paths before those with parameters. */
  templates: { path: string; pattern: RegExp }[]
}

/** What HTTP itself adds, and what every answer of ours has; no document lists these. */
const ORDINARY_HEADERS =
  /^(?:content-type|content-length|cache-control|date|connection|keep-alive|transfer-encoding|x-request-id)$/

/**
 * Holds an answer of the partner API against the OpenAPI document: its status is documented for the operation, its body
 * has the documented shape and nothing else, and so do its headers. What belongs to no operation has an error body.
 *
 * @throws Error with method, path, status and what the validator says.
 */
export function expectDocumented(seen: SeenAnswer, gaps: GapChoices = DEFAULT_GAPS): void {
  const contract = contractFor(gaps)
  const path = pathOf(contract, seen.target)
  const operation = path === null ? null : operationAt(contract, path, seen.method)
  const faults = operation ? faultsOf(contract, seen, path as string, operation) : strangerFaults(contract, seen)
  if (faults.length === 0) return
  throw new Error(
    `undocumented answer: ${seen.method} ${seen.target} ${seen.status}: ${faults.join('; ')}\n${seen.text.slice(0, 500)}`,
  )
}

/** `fetch` of the partner API, its answer held against the document. */
export async function fetchDocumented(address: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(address, init)
  const { pathname, search } = new URL(address)
  expectDocumented({
    method: init.method ?? 'GET',
    target: pathname + search,
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    text: await answer.clone().text(),
  })
  return answer
}

/**
 * Holds the bytes of a webhook delivery against the document's webhooks.
 *
 * @throws Error with the event's type and what the validator says.
 */
export function expectDocumentedDelivery(bytes: Uint8Array): void {
  const contract = contractFor(DEFAULT_GAPS)
  const event = JSON.parse(Buffer.from(bytes).toString('utf8')) as { type: string }
  const webhooks = contract.document.webhooks as Record<string, unknown>
  if (!Object.hasOwn(webhooks, event.type)) throw new Error(`undocumented delivery: no webhook is called ${event.type}`)
  const faults = shapeFaults(
    contract,
    ['webhooks', event.type, 'post', 'requestBody', 'content', 'application/json', 'schema'],
    event,
  )
  if (faults.length > 0) throw new Error(`undocumented delivery: ${event.type}: ${faults.join('; ')}`)
}

const contracts = new Map<string, Contract>()

function contractFor(gaps: GapChoices): Contract {
  const key = JSON.stringify(gaps)
  const known = contracts.get(key)
  if (known) return known
  const document = openApiDocument({ gaps })
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, formats: FORMATS })
  ajv.addSchema(document, 'openapi')
  const paths = Object.keys(document.paths).sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
  const templates = paths.map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }))
  const contract = { document, ajv, compiled: new Map(), templates }
  contracts.set(key, contract)
  return contract
}

/** The formats the document uses, as strictly as RFC 3339 and RFC 3986 have them. */
const FORMATS = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: (text: string) => /^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(text) && URL.canParse(text),
  hostname: /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/i,
  'idn-hostname': true,
} as const

function pathOf({ templates }: Contract, target: string): string | null {
  const [path = ''] = target.split('?')
  return templates.find(({ pattern }) => pattern.test(path))?.path ?? null
}

function operationAt({ document }: Contract, path: string, method: string): string | null {
  const verb = method.toLowerCase()
  return Object.hasOwn(document.paths[path] as object, verb) ? verb : null
}

function faultsOf(contract: Contract, seen: SeenAnswer, path: string, verb: string): string[] {
  const operation = (contract.document.paths[path] as Record<string, { operationId: string; responses: object }>)[verb]
  const responses = operation?.responses as Record<string, { $ref?: string } & DocumentedResponse>
  const found = responses[seen.status]
  if (!found) return [`the status is not among ${Object.keys(responses).join(', ')}`]
  note(`${operation?.operationId} ${seen.status}`)
  const name = found.$ref?.split('/').at(-1)
  const at = name ? ['components', 'responses', name] : ['paths', path, verb, 'responses', String(seen.status)]
  const response = name ? (contract.document.components.responses[name] as unknown as DocumentedResponse) : found
  return [
    ...headerFaults(seen, response),
    ...bodyFaults(contract, [...at, 'content', 'application/json', 'schema'], seen),
  ]
}

/** A path or verb that the document does not have: refused, in the words of every refusal. */
function strangerFaults(contract: Contract, seen: SeenAnswer): string[] {
  if (seen.status < 400 || seen.status >= 500) return ['the document has no such operation, so it must be refused']
  // No body comes with the answer to a HEAD.
  return seen.method === 'HEAD' ? [] : bodyFaults(contract, ['components', 'schemas', 'Error'], seen)
}

function headerFaults(seen: SeenAnswer, response: DocumentedResponse): string[] {
  const documented = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase())
  const extra = Object.keys(seen.headers).filter((name) => !ORDINARY_HEADERS.test(name) && !documented.includes(name))
  const missing = ['x-request-id', ...documented.filter((name) => name === 'retry-after')].filter(
    (name) => !seen.headers[name],
  )
  return [
    ...extra.map((name) => `the header ${name} is not documented`),
    ...missing.map((name) => `the header ${name} is missing`),
  ]
}

function bodyFaults(contract: Contract, at: readonly string[], { text }: SeenAnswer): string[] {
  try {
    return shapeFaults(contract, at, JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return ['the body is not JSON']
    throw error
  }
}

function shapeFaults({ ajv, compiled }: Contract, at: readonly string[], value: unknown): string[] {
  const pointer = at.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
  let validate = compiled.get(pointer)
  if (!validate) {
    validate = ajv.compile({ $ref: `openapi#/${pointer}` })
    compiled.set(pointer, validate)
  }
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`,
  )
}

const noted = new Set<string>()

/** Remembers for the end of the run that a test saw this answer. */
function note(line: string): void {
  const folder = process.env[SEEN_FOLDER]
  if (!folder || noted.has(line)) return
  noted.add(line)
  appendFileSync(join(folder, `${process.pid}.txt`), `${line}\n`)
}
