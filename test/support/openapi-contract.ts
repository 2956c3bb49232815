import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { GapChoices } from '../../src/contract/choices.ts'
import { type OpenApiDocument, openApiDocument } from '../../src/sandbox/openapi/document.ts'

/** The OpenAPI document, ready to be held against something. */
export interface Contract {
  document: OpenApiDocument
  ajv: Ajv2020
  compiled: Map<string, ValidateFunction>
  /** Where an operation is found: static paths before those with parameters. */
  templates: { path: string; pattern: RegExp }[]
}

const contracts = new Map<string, Contract>()

/** The document under these choices of the open points; made once a process. */
export function contractFor(gaps: GapChoices): Contract {
  const key = JSON.stringify(gaps)
  const known = contracts.get(key)
  if (known) return known
  const document = openApiDocument({ gaps })
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, formats: FORMATS })
  ajv.addSchema(document, 'openapi')
  const contract = { document, ajv, compiled: new Map(), templates: templatesOf(document.paths) }
  contracts.set(key, contract)
  return contract
}

/** The formats the document uses; addresses as the URL standard has them, which is what browsers and the sandbox go by. */
const FORMATS = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: (text: string) => URL.canParse(text),
  hostname: /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/i,
  'idn-hostname': true,
} as const

/** Where each path of a document matches: static paths before those with parameters. */
export function templatesOf(paths: object): Contract['templates'] {
  const sorted = Object.keys(paths).sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
  return sorted.map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }))
}

/** The template of a path, or null where the document has none. */
export function pathOf({ templates }: Pick<Contract, 'templates'>, target: string): string | null {
  const [path = ''] = target.split('?')
  return templates.find(({ pattern }) => pattern.test(path))?.path ?? null
}

export function operationAt({ document }: Contract, path: string, method: string): string | null {
  const verb = method.toLowerCase()
  return Object.hasOwn(document.paths[path] as object, verb) ? verb : null
}

/** What a schema of the document has against a value. @param at where the schema stands, step by step */
export function shapeFaults(
  { ajv, compiled }: Pick<Contract, 'ajv' | 'compiled'>,
  at: readonly string[],
  value: unknown,
): string[] {
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
