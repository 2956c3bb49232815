import { DEFAULT_GAPS } from '../contract/choices.ts'
import type { EndpointId } from '../contract/endpoints.ts'
import { ApiError, ERRORS, isErrorCode, statusOf } from '../contract/errors.ts'
import { HEADERS } from '../contract/headers.ts'
import type { Schema } from '../contract/schema.ts'
import { codeOf } from '../operator/present-request.ts'
import { ROUTES } from '../sandbox/all-routes.ts'
import type { Call } from '../sandbox/wire/call.ts'
import type { Exchange } from '../sandbox/wire/exchange.ts'
import { jsonObjectOf } from '../sandbox/wire/json-body.ts'
import { type Answer, NO_QUERY } from '../sandbox/wire/route.ts'
import { validated, validatedQuery } from '../sandbox/wire/validation.ts'

/** Which messages are compared with the shapes of this program: not those that a target file describes otherwise. */
export interface ComparedMessages {
  readonly requests: boolean
  readonly answers: boolean
}

/**
 * Compares calls and answers with the API document.
 *
 * @returns gives a sentence for each difference.
 */
export function createContractCheck(compared: ComparedMessages): (finished: Exchange) => string[] {
  const answerShapes = new Map<EndpointId, Schema<unknown>>()
  const shapeOf = (endpoint: EndpointId) => {
    const shape = answerShapes.get(endpoint) ?? {
      json: openly(ROUTES[endpoint].answer.json) as Schema<unknown>['json'],
    }
    answerShapes.set(endpoint, shape)
    return shape
  }
  return ({ call, answer }) => {
    const { endpoint } = call
    if (endpoint === null) return []
    const isAccepted = answer.status >= 200 && answer.status < 300
    // A target that refuses a request says itself why.
    const isRefused = answer.status >= 400 && answer.status < 500
    return [
      ...(compared.requests && !isRefused ? requestFindings(call, endpoint, isAccepted) : []),
      ...(isAccepted ? [] : errorFindings(answer)),
      ...(compared.answers && isAccepted && call.method !== 'HEAD' ? answerFindings(answer, shapeOf(endpoint)) : []),
    ]
  }
}

function requestFindings(call: Call, endpoint: EndpointId, isAccepted: boolean): string[] {
  const { query = NO_QUERY, body } = ROUTES[endpoint]
  const isWithBody = call.method === 'GET' && call.body.length > 0
  const faults = [
    faultOf(() => validatedQuery(query, call.query)),
    body ? faultOf(() => validated(body, jsonObjectOf(call), 'body')) : null,
    isWithBody ? 'a GET carries no body, and its signature covers none' : null,
  ]
  const though = isAccepted ? '; the target accepted it' : ''
  return faults.flatMap((fault) =>
    fault === null ? [] : [`The request differs from what the sandbox takes: ${fault}${though}.`],
  )
}

function errorFindings(answer: Answer): string[] {
  const { status, headers } = answer
  const found: string[] = []
  if (status === 429 && headers[HEADERS.retryAfter] === undefined)
    found.push('The target sent a 429 without Retry-After.')
  if (status < 400) return found
  const code = codeOf(answer)
  if (code === null) found.push(`The target answered ${status} without an error code of the API document.`)
  else if (!isErrorCode(code)) found.push(`The error code ${code} is not in the API document.`)
  else if (ERRORS[code].status !== null && statusOf(code, DEFAULT_GAPS) !== status && !NEAR[code]?.includes(status))
    found.push(`The target answered ${code} with ${status}; the API document says ${statusOf(code, DEFAULT_GAPS)}.`)
  return found
}

/** HTTP has more exact statuses for some of what the document calls a validation error. */
const NEAR: Readonly<Record<string, readonly number[]>> = {
  validation_error: [405, 413, 414, 415, 417, 431],
  internal_error: [502, 503, 504],
}

function answerFindings({ body }: Answer, shape: Schema<unknown>): string[] {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    return ['The answer is not JSON.']
  }
  const fault = faultOf(() => validated(shape, withShortLists(json), 'body'))
  return fault === null ? [] : [`The answer differs from that of the sandbox: ${fault}.`]
}

function faultOf(check: () => unknown): string | null {
  try {
    check()
    return null
  } catch (error) {
    if (error instanceof ApiError) return inShort(error.message)
    throw error
  }
}

/** A line has room for so many faults. */
const MOST_FAULTS = 3

function inShort(message: string): string {
  const faults = message.split('; ')
  return faults.length > MOST_FAULTS ? `${faults.slice(0, MOST_FAULTS).join('; ')}; and more` : message
}

/** The rows of a list are alike: what is wrong is said of the first. */
function withShortLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(withShortLists)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withShortLists(inner)]))
}

/** What every server forms in its own way: ids, and how exact a date is. */
const OF_EACH_SERVER = new Set(['pattern', 'format', 'minLength', 'maxLength'])

/** A schema that asks for members and their types only. */
function openly(schema: unknown, isProperties = false): unknown {
  if (Array.isArray(schema)) return schema.map((item) => openly(item))
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([name]) => isProperties || !OF_EACH_SERVER.has(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, openly(value, name === 'properties' && !isProperties)]))
}
