import { placeInBody, placesOf } from '../conformance/dialect/body-templates.ts'
import type { JsonObject } from '../conformance/http/json-body.ts'
import type { DialectFile } from '../conformance/target/target.ts'
import type { BodyName } from '../conformance/target/target-schema.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../contract/endpoints.ts'
import { isObject } from '../contract/is-object.ts'
import type { Schema } from '../contract/schema.ts'
import { isDocumentedParameter } from '../contract/wire-names.ts'
import { ROUTES } from '../sandbox/all-routes.ts'
import { NO_QUERY } from '../sandbox/wire/route.ts'
import { legalParameters } from './legal-choices.ts'
import { loosened, membersOf, requiredOf } from './schema-parts.ts'

/** What a server takes with calls of an endpoint. */
export interface RequestShapes {
  readonly query: Schema<unknown>
  /** Null where it takes none. */
  readonly body: Schema<unknown> | null
}

/**
 * What a target takes: what the sandbox does, where a target file names nothing otherwise.
 *
 * @param dialect null if there is no target file.
 */
export function requestShapesOf(endpoint: EndpointId, dialect: DialectFile | null): RequestShapes {
  const { query = NO_QUERY, body = null } = ROUTES[endpoint]
  if (dialect === null) return { query: { json: withLegalNames(endpoint, query.json) }, body }
  return {
    query: { json: renamedQuery(endpoint, query.json, dialect.params) },
    body: body && { json: placedBody(body.json, templatesOf(endpoint, dialect), dialect.priceUnit === 'units') },
  }
}

/** Parameters under every name that a sandbox may have for them. */
function withLegalNames(endpoint: EndpointId, own: JsonObject): JsonObject {
  const members = membersOf(own)
  const others = [...legalParameters(endpoint)].flatMap(([name, ours]) =>
    members[ours] === undefined ? [] : [[name, members[ours]] as const],
  )
  return { ...own, properties: { ...Object.fromEntries(others), ...members } }
}

/** Parameters under the names of the target. Which values a filter takes is the target's choice. */
function renamedQuery(endpoint: EndpointId, own: JsonObject, params: DialectFile['params']): JsonObject {
  const group = endpoint === 'orders.list' ? 'orders' : 'reports'
  const names = new Map(Object.entries(params))
  const nameOf = (name: string) =>
    (isDocumentedParameter(endpoint, name) && name !== 'domain' ? null : names.get(`${group}.${name}`)) ?? name
  const members = Object.entries(membersOf(own)).map(([name, { type }]) => [nameOf(name), { type }])
  return { ...own, properties: Object.fromEntries(members) }
}

/** One for each kind of body that the target file shows; an empty one, which renames nothing, where it shows none. */
function templatesOf(endpoint: EndpointId, { bodies }: DialectFile): JsonObject[] {
  const { bodies: names }: Endpoint = ENDPOINTS[endpoint]
  const shown = names.flatMap((name) => (name in bodies ? [bodies[name as BodyName] as JsonObject] : []))
  return shown.length > 0 ? shown : [{}]
}

/** Fields that some servers ask for and others do not (ORD-13). */
const ASKED_FOR_BY_SOME = new Set(['currency', 'buyer'])

/** The fields of the sandbox at the places of the target, and what else its templates show. */
function placedBody(own: JsonObject, templates: readonly JsonObject[], inUnits: boolean): JsonObject {
  const root: ObjectSchema = emptyObject()
  const required = requiredOf(own).filter((field) => !ASKED_FOR_BY_SOME.has(field))
  for (const template of templates) {
    const leaves = leavesOf(template)
    const places = new Set<string>()
    for (const [field, schema] of Object.entries(membersOf(own))) {
      const found = field === 'kind' ? [placeInBody(template, field) ?? field] : placesOf(template, field)
      for (const at of found) {
        const isTaken = leaves.length === 0 || leaves.some((leaf) => isWithin(leaf, at))
        put(root, at, loosened(schema, inUnits), isTaken && required.includes(field))
        places.add(at)
      }
    }
    const others = leaves.filter((leaf) => ![...places].some((place) => isWithin(leaf, place)))
    for (const at of others) put(root, at, {}, false)
  }
  return root
}

interface ObjectSchema extends JsonObject {
  readonly type: 'object'
  readonly properties: Record<string, JsonObject>
  readonly required: string[]
  readonly additionalProperties: false
}

function emptyObject(): ObjectSchema {
  return { type: 'object', properties: {}, required: [], additionalProperties: false }
}

/** Puts a schema at a dotted path. Where two templates mean different things by one place, it may be either. */
function put({ properties, required }: ObjectSchema, path: string, schema: JsonObject, isRequired: boolean): void {
  const [key = '', ...rest] = path.split('.')
  if (isRequired && !required.includes(key)) required.push(key)
  const before = properties[key]
  if (rest.length > 0) {
    const inner = before?.['properties'] === undefined ? emptyObject() : (before as ObjectSchema)
    properties[key] = inner
    put(inner, rest.join('.'), schema, isRequired)
  } else {
    properties[key] = before === undefined || JSON.stringify(before) === JSON.stringify(schema) ? schema : {}
  }
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`)
}

function leavesOf(template: JsonObject): string[] {
  return Object.entries(template).flatMap(([key, value]) =>
    isObject(value) ? leavesOf(value).map((inner) => `${key}.${inner}`) : [key],
  )
}
