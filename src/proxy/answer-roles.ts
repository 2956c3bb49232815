import { SHOWN_ROLES } from '../conformance/dialect/dialect.ts'
import { findRole } from '../conformance/dialect/find-role.ts'
import { moneyOf } from '../conformance/dialect/money.ts'
import { fits, type Ground, toldAddress } from '../conformance/dialect/place.ts'
import { ROLES, type RoleName, type RoleRow } from '../conformance/format/roles.ts'
import type { Answer } from '../conformance/http/exchange.ts'
import type { JsonObject } from '../conformance/http/json-body.ts'
import { rolesOf } from '../conformance/target/own-sandbox.ts'
import type { DialectFile } from '../conformance/target/target.ts'
import { DEFAULT_GAPS } from '../contract/choices.ts'
import type { EndpointId } from '../contract/endpoints.ts'
import { ROUTES } from '../sandbox/all-routes.ts'
import { quoted } from '../sandbox/wire/validation.ts'
import { membersOf, partAt, type SchemaPart } from './schema-parts.ts'

/** Where the sandbox has what. */
const OWN = rolesOf(DEFAULT_GAPS)

/**
 * What is wrong in an answer of a target that says things at other places than the sandbox: a value that the document names or the
 * target file places is missing, or of another type. The rows of a list are alike: what is wrong is said of the first.
 */
export function roleFaults(
  answer: Pick<Answer, 'json' | 'headers'>,
  op: EndpointId,
  roles: DialectFile['roles'],
): string[] {
  const own = ROUTES[op].answer.json as JsonObject
  const { answer: ofAnswer, lists } = SHOWN_ROLES[op]
  const ground = { json: answer.json, op, headers: answer.headers }
  return [
    ...faultsIn(ofAnswer, { ground, own, at: '' }, roles),
    ...lists.flatMap(({ of, roles: ofRow }) => {
      const list = findRole<readonly unknown[]>(roles, of, ground)
      const ownList = ownPart(of, own, op)
      if (!list.found || list.value.length === 0 || ownList === null) return []
      const row = { json: list.value[0], op }
      return faultsIn(ofRow, { ground: row, own: rowOf(ownList.schema), at: `${list.at}/0` }, roles)
    }),
  ]
}

/** An answer or a row of it, its place, and what the sandbox has for it. */
interface ComparedPlace {
  readonly ground: Ground & { readonly op: EndpointId }
  readonly own: JsonObject
  readonly at: string
}

function faultsIn(names: readonly RoleName[], compared: ComparedPlace, roles: DialectFile['roles']): string[] {
  return names.flatMap((name) => faultOf(name, compared, roles) ?? [])
}

function faultOf(name: RoleName, { ground, own, at }: ComparedPlace, roles: DialectFile['roles']): string | null {
  const row = ROLES[name]
  const part = ownPart(name, own, ground.op)
  const isTold = toldAddress(roles, name, ground.op) !== undefined
  if (part === null || !(isTold || (row.documented && !OF_UNSHOWN_RECORDS.test(name)))) return null
  const found = findRole(roles, name, ground)
  if (!found.found) {
    const isCertain = part.isCertain && found.why === 'absent' && !(at !== '' && isOfDetail(name, row))
    return isCertain ? found.detail : null
  }
  return hasType(row, part.schema, found.value)
    ? null
    : `${name} at ${at}${found.at} is ${quoted(found.value)}, not ${EXPECTED[row.kind]}`
}

/** The document names what links and cases have, and does not show how an answer calls it. */
const OF_UNSHOWN_RECORDS = /^(?:link|case)\.(?!id$)/

/** Whether a row of a list may leave it out, because there is a call that shows it of one thing. */
function isOfDetail(name: RoleName, { documented }: RoleRow): boolean {
  return documented !== true && IN_DETAILS.has(name)
}

const IN_DETAILS: ReadonlySet<RoleName> = new Set(Object.values(SHOWN_ROLES).flatMap(({ answer }) => answer))

/** Where the document names a field, its type is that of the document; else what the runner can read will do. */
function hasType(row: RoleRow, { type }: JsonObject, value: unknown): boolean {
  if (row.kind === 'money') return moneyOf(value) !== null
  if (!row.documented) return fits(row, value)
  if (type === 'integer') return Number.isInteger(value)
  return type === undefined || type === 'array' || type === 'object' ? fits(row, value) : typeof value === type
}

const EXPECTED: Record<RoleRow['kind'], string> = {
  text: 'text',
  time: 'a time',
  number: 'a number',
  money: 'an amount',
  flag: 'true or false',
  list: 'a list',
  object: 'an object',
  any: 'what the document has there',
}

/** What the sandbox has for a role; null where it has nothing of the kind. */
function ownPart(name: RoleName, own: JsonObject, op: EndpointId): SchemaPart | null {
  const told = toldAddress(OWN, name, op)
  if (told !== undefined) return partAt(own, typeof told === 'string' ? told : told.at)
  const { documented, names } = ROLES[name]
  const key = documented || name.endsWith('.items') ? names.find((known) => known in membersOf(own)) : undefined
  return key === undefined ? null : partAt(own, `/${key}`)
}

/** Of rows that differ in what is special to each, the first stands for all. */
function rowOf({ items }: JsonObject): JsonObject {
  const { anyOf } = items as { anyOf?: JsonObject[] }
  return anyOf?.[0] ?? (items as JsonObject)
}
