import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_GAPS, type GapChoices } from '../../src/contract/choices.ts'
import { type Contract, contractFor, operationAt, pathOf, shapeFaults } from './openapi-contract.ts'
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
  content: Record<string, { schema: object }>
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
    ...mediaFaults(seen, response),
    ...bodyFaults(contract, [...at, 'content', mediaTypeOf(response), 'schema'], seen),
  ]
}

function mediaTypeOf({ content }: DocumentedResponse): string {
  return Object.keys(content)[0] as string
}

function mediaFaults({ headers }: SeenAnswer, response: DocumentedResponse): string[] {
  const type = headers['content-type']
  if (type === undefined || String(type).startsWith(mediaTypeOf(response))) return []
  return [`the body is announced as ${type}, not as ${mediaTypeOf(response)}`]
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

const noted = new Set<string>()

/** Remembers for the end of the run that a test saw this answer. */
function note(line: string): void {
  const folder = process.env[SEEN_FOLDER]
  if (!folder || noted.has(line)) return
  noted.add(line)
  appendFileSync(join(folder, `${process.pid}.txt`), `${line}\n`)
}
