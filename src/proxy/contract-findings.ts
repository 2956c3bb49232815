import { findRole } from '../conformance/dialect/find-role.ts'
import { type JsonObject, parseJson } from '../conformance/http/json-body.ts'
import type { DialectFile } from '../conformance/target/target.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../contract/endpoints.ts'
import { ApiError, ERRORS, isErrorCode } from '../contract/errors.ts'
import { isShownEventType } from '../contract/event-types.ts'
import { HEADERS } from '../contract/headers.ts'
import { isObject } from '../contract/is-object.ts'
import { LIMITS } from '../contract/limits.ts'
import { jsonIn } from '../contract/words.ts'
import { codeOf, messageOf } from '../operator/present-request.ts'
import { ROUTES } from '../sandbox/all-routes.ts'
import { type Call, headerValues } from '../sandbox/wire/call.ts'
import { jsonObjectOf } from '../sandbox/wire/json-body.ts'
import type { Answer, Exchange } from '../sandbox/wire/route.ts'
import { SchemaRefusal, validated, validatedQuery } from '../sandbox/wire/validation.ts'
import { roleFaults } from './answer-roles.ts'
import { inUsualNames, legalFields } from './legal-choices.ts'
import { type RequestShapes, requestShapesOf } from './request-shapes.ts'
import { openly, requiredOf } from './schema-parts.ts'

/**
 * Compares calls and answers with the API document, where a target file says how the target fills its gaps.
 *
 * @param dialect null if there is no target file: then the sandbox fills them.
 * @returns gives a sentence for each difference. It takes the answer also as the sandbox would write it.
 */
export function createContractCheck(dialect: DialectFile | null): (finished: Exchange, read: Answer) => string[] {
  const requestShapes = remembering((endpoint: EndpointId) => requestShapesOf(endpoint, dialect))
  const answerShapes = remembering((endpoint: EndpointId) => ({ json: openly(ROUTES[endpoint].answer.json) }))
  const fieldsOf = remembering(legalFields)
  const norm = dialect === null ? 'what the sandbox takes' : 'the document and the target file'
  return ({ call, answer }, read) => {
    const { endpoint } = call
    if (endpoint === null) return []
    // A target that refuses a request says itself why.
    const isRefused = answer.status >= 400 && answer.status < 500
    if (answer.status < 200 || answer.status >= 300)
      return [
        ...(isRefused ? [] : requestFindings(call, endpoint, '')),
        ...(call.method === 'HEAD' ? [] : errorFindings(endpoint, read)),
      ]
    const told = parseJson(Buffer.from(answer.body))
    const json = dialect === null ? inUsualNames(told, fieldsOf(endpoint)) : told
    const places = placesIn(endpoint, json)
    return [
      ...requestFindings(call, endpoint, '; the target accepted it'),
      ...(call.method === 'HEAD' ? [] : answerFindings(endpoint, answer, json, places)),
    ]
  }

  /** Where a target has what; null if it answers in the shapes of the sandbox. */
  function placesIn(endpoint: EndpointId, json: unknown): DialectFile['roles'] | null {
    if (dialect !== null) return saysWhere(dialect) ? dialect.roles : null
    return json === undefined || isAlike(json, ROUTES[endpoint].answer.json) ? null : {}
  }

  function requestFindings(call: Call, endpoint: EndpointId, though: string): string[] {
    const faults = requestFaults(call, requestShapes(endpoint), ENDPOINTS[endpoint])
    return faults.flatMap((ofOne) => findingsOf(`The request differs from ${norm}`, ofOne, though))
  }

  function answerFindings(
    endpoint: EndpointId,
    { headers }: Answer,
    json: unknown,
    places: DialectFile['roles'] | null,
  ): string[] {
    if (json === undefined) return [NOT_JSON]
    return [
      ...tooMany(endpoint, json),
      ...(places === null ? shapeFindings(endpoint, json) : placeFindings(endpoint, headers, json, places)),
    ]
  }

  /** A list of any length has the right shape (INV-01). */
  function tooMany(endpoint: EndpointId, json: unknown): string[] {
    if (endpoint !== 'domains.search') return []
    const found = findRole<readonly unknown[]>(dialect?.roles ?? {}, 'search.items', { json, op: endpoint })
    const count = found.found ? found.value.length : 0
    return count <= LIMITS.searchResults
      ? []
      : [`The answer has ${count} domains; the API document allows ${LIMITS.searchResults}.`]
  }

  function shapeFindings(endpoint: EndpointId, json: unknown): string[] {
    const faults = faultsOf(() => validated(answerShapes(endpoint), withShortLists(withShownEvents(json)), 'body'))
    return findingsOf('The answer differs from that of the sandbox', faults)
  }
}

const NOT_JSON = 'The answer is not JSON.'

function placeFindings(
  endpoint: EndpointId,
  headers: Answer['headers'],
  json: unknown,
  places: DialectFile['roles'],
): string[] {
  const faults = roleFaults({ json, headers: Object.entries(headers) }, endpoint, places)
  return findingsOf('The answer differs from the document', faults)
}

/** Whether an answer has half of the members that the sandbox gives, or no others: one of another service shares few by chance. */
function isAlike(json: unknown, own: JsonObject): boolean {
  if (!isObject(json)) return false
  const names = requiredOf(own)
  const shared = names.filter((name) => name in json).length
  return 2 * shared >= names.length || shared === Object.keys(json).length
}

/** Whether a target file describes answers otherwise than the sandbox gives them. */
function saysWhere({ roles, statuses, paymentModels }: DialectFile): boolean {
  return [roles, statuses, paymentModels].some((names) => Object.keys(names).length > 0)
}

function remembering<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return (key) => {
    const value = known.get(key) ?? make(key)
    known.set(key, value)
    return value
  }
}

function requestFaults(call: Call, { query, body }: RequestShapes, { idempotencyKey }: Endpoint): string[][] {
  const isWithBody = call.method === 'GET' && call.body.length > 0
  const isWithoutKey = idempotencyKey === 'required' && headerValues(call, HEADERS.idempotencyKey).length === 0
  return [
    faultsOf(() => validatedQuery(query, call.query)),
    body ? faultsOf(() => validated(body, jsonObjectOf(call), 'body')) : [],
    isWithoutKey ? [`${HEADERS.idempotencyKey} is required`] : [],
    isWithBody ? ['a GET carries no body, and its signature covers none'] : [],
  ]
}

function errorFindings(endpoint: EndpointId, answer: Answer): string[] {
  const { status, headers } = answer
  const found: string[] = []
  const wait = headers[HEADERS.retryAfter]
  if (status === 429 && wait === undefined) found.push('The target sent a 429 without Retry-After.')
  if (wait !== undefined && !/^\d+$/.test(wait)) found.push('Retry-After must be a number of seconds.')
  if (status < 400) return found
  const code = codeOf(answer)
  if (code === null && answer.body !== '' && jsonIn(answer.body) === undefined) return [...found, NOT_JSON]
  if (code === null) return [...found, `The target answered ${status} without an error code of the API document.`]
  if (messageOf(answer) === null) found.push(`The target answered ${code} without a message.`)
  if (endpoint === 'availability' && code === 'not_found')
    found.push('The API document answers an unlisted name with 200 and available false, never with not_found.')
  if (!isErrorCode(code)) found.push(`The error code ${code} is not in the API document.`)
  else if (ERRORS[code].status !== null && ERRORS[code].status !== status && !NEAR[code]?.includes(status))
    found.push(`The target answered ${code} with ${status}; the API document says ${ERRORS[code].status}.`)
  return found
}

/** HTTP has more exact statuses for some of what the document calls a validation error. */
const NEAR: Readonly<Record<string, readonly number[]>> = {
  validation_error: [405, 413, 414, 415, 417, 431],
  internal_error: [502, 503, 504],
}

function faultsOf(check: () => unknown): string[] {
  try {
    check()
    return []
  } catch (error) {
    if (error instanceof SchemaRefusal) return [...error.faults]
    if (error instanceof ApiError) return [error.message]
    throw error
  }
}

/** A line has room for so many faults. */
const MOST_IN_LINE = 5
/** What the log has of the others, however many a hostile server makes. */
const MOST_OTHERS = 50

/** What differs, in a line, and beside it what the line had no room for. */
function findingsOf(what: string, faults: readonly string[], though = ''): string[] {
  if (faults.length === 0) return []
  const others = faults.slice(MOST_IN_LINE)
  const [line, beside] = [listed(faults, MOST_IN_LINE), listed(others, MOST_OTHERS)]
  return [`${what}: ${line}${though}.`, ...(others.length === 0 ? [] : [`The other differences: ${beside}.`])]
}

function listed(faults: readonly string[], most: number): string {
  const left = faults.length - most
  return faults.slice(0, most).join('; ') + (left > 0 ? `; and ${left} more` : '')
}

/** Of a history, the events whose form the document shows: it only names those of the family `transfer.*` (EVT-03). */
function withShownEvents(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value.events)) return value
  const isShown = (event: unknown): boolean => !isObject(event) || isShownEventType(String(event.type))
  return { ...value, events: value.events.filter(isShown) }
}

/** The rows of a list are alike: what is wrong is said of the first. */
function withShortLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(withShortLists)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withShortLists(inner)]))
}
