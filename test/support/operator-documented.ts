import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { operatorOpenApi } from '../../src/operator/openapi.ts'
import type { SeenAnswer } from './documented.ts'
import { pathOf, shapeFaults, templatesOf } from './openapi-contract.ts'

type Document = ReturnType<typeof operatorOpenApi>

interface DocumentedOperation {
  readonly responses: { readonly '2XX': { readonly content?: Readonly<Record<string, object>> } }
}

/**
 * Holds an answer of the operator API against its OpenAPI document. What is no operation, such as a file of the console, is
 * only held against it if it is refused.
 *
 * @throws Error with method, path, status and what the validator says.
 */
export function expectOperatorAnswer(seen: SeenAnswer): void {
  // No body comes with the answer to a HEAD.
  if (seen.method === 'HEAD') return
  const faults = seen.status >= 400 ? refusalFaults(seen) : answerFaults(seen)
  if (faults.length === 0) return
  throw new Error(
    `undocumented answer: ${seen.method} ${seen.target} ${seen.status}: ${faults.join('; ')}\n${seen.text.slice(0, 500)}`,
  )
}

function refusalFaults({ headers, text }: SeenAnswer): string[] {
  return [
    ...typeFaults(headers, ['application/problem+json']),
    ...shapeFaults(contract(), ['components', 'schemas', 'Problem'], JSON.parse(text)),
  ]
}

function answerFaults({ method, target, headers, text }: SeenAnswer): string[] {
  const path = pathOf(contract(), target)
  const verb = method.toLowerCase()
  const operation = path && (contract().document.paths[path]?.[verb] as DocumentedOperation | undefined)
  if (!operation) return []
  const { content } = operation.responses['2XX']
  if (!content) return text === '' ? [] : ['a body is not documented']
  const faults = typeFaults(headers, Object.keys(content))
  if (faults.length > 0 || !isJson(headers)) return faults
  const at = ['paths', path as string, verb, 'responses', '2XX', 'content', 'application/json', 'schema']
  return shapeFaults(contract(), at, JSON.parse(text))
}

function isJson(headers: SeenAnswer['headers']): boolean {
  return String(headers['content-type']).startsWith('application/json')
}

function typeFaults(headers: SeenAnswer['headers'], types: readonly string[]): string[] {
  const sent = String(headers['content-type'])
  return types.some((type) => sent.startsWith(type)) ? [] : [`the body is announced as ${sent}, not as ${types.join()}`]
}

function contract() {
  made ??= contractOf(operatorOpenApi({ version: '0' }))
  return made
}

/** Made once a process. */
let made: ReturnType<typeof contractOf> | undefined

function contractOf(document: Document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addSchema(document, 'openapi')
  return { document, ajv, compiled: new Map<string, ValidateFunction>(), templates: templatesOf(document.paths) }
}
