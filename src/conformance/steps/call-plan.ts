import { isDeepStrictEqual } from 'node:util'
import { type QueryPair, wellFormed } from '../../contract/canonical-string.ts'
import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { isObject } from '../../contract/is-object.ts'
import { fillTemplate, leaseVariables, templateOf } from '../context/bodies.ts'
import { learnPaymentModels, paramName, paramValue } from '../context/params.ts'
import { edgeShift, firstExchange, type ScenarioRun } from '../context/run.ts'
import { hasField, placeInBody, placesOf, setAt, writeJson } from '../dialect/body-templates.ts'
import { inPriceUnit } from '../dialect/money.ts'
import { isFailure } from '../format/expectations/outcomes.ts'
import { CALL_FAULT_NAMES, type CallStep, type Step } from '../format/scenario.ts'
import {
  callOf,
  expectationsOf,
  expectsForbidden,
  expectsRefusal,
  lacksOnPurpose,
  OPERATIONS,
  onlyObserves,
} from '../format/step-facts.ts'
import { referencesIn, type Template } from '../format/values.ts'
import { atPath, type JsonObject, parseJson, withoutUndefined } from '../http/json-body.ts'
import { filled, filledText } from '../judge/references.ts'
import { isOpen, Open } from '../result/open.ts'
import { noteWith } from '../result/target-addition.ts'
import type { Call } from '../signing/sign-call.ts'
import { type Fault, FaultHasNoEffectError } from '../signing/signature-faults.ts'
import { mayWriteElsewhere, type TargetCredential } from '../target/target.ts'
import type { BodyName } from '../target/target-schema.ts'
import { noteJudgingClock } from './judging-clock.ts'

/** The call of a step as it will be sent, with its twin. */
export async function callToSend(scenarioRun: ScenarioRun, step: Step): Promise<Call> {
  const wish = callOf(step)
  if (!wish) throw new RangeError('the step has no call')
  const { fault, as } = step
  const choice = fault?.scope === undefined ? as : (filled(scenarioRun, fault.scope as Template) as typeof as)
  // A key of another partner will do only where a scope is lacking.
  const anyPartner = typeof choice === 'object' && expectsForbidden(step)
  const credential = scenarioRun.run.credentials.pick(choice, anyPartner)
  const isInvalid = step.fault !== undefined || expectsRefusal(step)
  if (!isInvalid && !onlyObserves(step) && scenarioRun.run.dialect.units.price === 'units')
    stopAtOddCents(scenarioRun, wish)
  const call = await filledCall(scenarioRun, wish, credential)
  if (isObject(fault?.timestamp) && 'edge' in fault.timestamp) await noteJudgingClock(scenarioRun)
  const wanted = expectationsOf(step).flatMap(({ refused, status }) => [refused, status].flat())
  if (choice === 'other_environment' && call.method !== 'GET' && !mayWriteElsewhere(scenarioRun.run.target, credential))
    throw new RangeError('this key of another environment only reads')
  return {
    ...(fault === undefined ? call : { ...withFault(scenarioRun, fault, call), context: faultContext(scenarioRun) }),
    invalid: isInvalid,
    wants429: wanted.some((word) => word === 'rate_limited' || word === 429),
    // Some steps are meant to meet a failure of the target.
    takesAnyAnswer:
      onlyObserves(step) || expectationsOf(step).some(({ status }) => status !== undefined && isFailure(status)),
    // The twin calls with a credential that should be able to make the call.
    twin: { ...call, credential: lacksOnPurpose(choice) ? scenarioRun.run.credentials.main : credential },
  }
}

/**
 * The document has expected_price as an integer (ORD-13 leaves its unit open), so that a target that takes whole units of the currency
 * has no way to accept odd cents.
 *
 * @throws Open (not_run) if the call needs them there.
 */
function stopAtOddCents(scenarioRun: ScenarioRun, { body }: CallStep): void {
  const price = body?.set?.['expected_price']
  const cents = price === undefined ? null : filled(scenarioRun, price)
  if (typeof cents === 'number' && cents % 100 !== 0)
    throw Open.notRun(
      'open-point',
      'expected_price is an integer in whole units here, so no order has odd cents (ORD-13)',
    )
}

function faultContext(scenarioRun: ScenarioRun): NonNullable<Call['context']> {
  return {
    earlierNonce(id) {
      const nonce = firstExchange(scenarioRun, id)?.nonce
      if (nonce === undefined) throw Open.unproven(`step ${id}, whose nonce is used again, was not sent`)
      return nonce
    },
    otherSecret: (name) => scenarioRun.run.credentials.called(name).secret,
  }
}

/**
 * A call as a scenario wrote it, with everything filled in, ready to be signed.
 *
 * @throws Open (not_run), Open (inconclusive) if a value cannot be had.
 */
export async function filledCall(
  scenarioRun: ScenarioRun,
  call: CallStep,
  credential: TargetCredential,
): Promise<Call> {
  if (referencesIn(call).some(([first]) => first === 'model')) await learnPaymentModels(scenarioRun)
  const headers = Object.entries(call.headers ?? {}).map(
    ([name, value]) => [name, filledText(scenarioRun, value)] as const,
  )
  if (call.op === undefined) {
    const body = call.body ? await rawBody(scenarioRun, call.body) : undefined
    return {
      op: null,
      credential,
      method: call.method ?? 'GET',
      path: '',
      query: [],
      rawTarget: filledText(scenarioRun, call.target ?? '/'),
      headers,
      ...(body ? { body } : {}),
    }
  }
  const endpoint = OPERATIONS[call.op]
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const value = call.path?.[name]
    if (value === undefined) throw new RangeError(`the path ${endpoint.path} needs a value for ${name}`)
    return encodeURIComponent(wellFormed(filledText(scenarioRun, value)))
  })
  const said = await bodyOf(scenarioRun, call.op, call.body)
  const body = said && call.body?.size !== undefined ? inSize(said, call.body.size) : said
  const key = call.idempotency_key === undefined ? undefined : filledText(scenarioRun, call.idempotency_key)
  const idempotencyKey = key ?? (endpoint.idempotencyKey ? scenarioRun.run.uuid() : undefined)
  return {
    op: call.op,
    credential,
    method: call.method ?? endpoint.method,
    path,
    query: call.query && call.query_raw === undefined ? await queryOf(scenarioRun, call.op, call.query) : [],
    ...withoutUndefined({
      rawTarget: call.query_raw === undefined ? undefined : `${path}?${filledText(scenarioRun, call.query_raw)}`,
      body,
      contentType: call.content_type,
      idempotencyKey,
      hasLowerCaseHeaders: call.header_names && true,
    }),
    headers,
  }
}

async function queryOf(
  scenarioRun: ScenarioRun,
  op: EndpointId,
  query: NonNullable<CallStep['query']>,
): Promise<QueryPair[]> {
  const pairs: QueryPair[] = []
  const given = Array.isArray(query)
    ? query.map(([key, value]) => [filledText(scenarioRun, key), value] as const)
    : Object.entries(query)
  for (const [wish, template] of given) {
    const param = wish.replace(/\?$/, '')
    const name = await nameOf(scenarioRun, op, param, wish !== param)
    if (name === null) continue
    const value = filled(scenarioRun, template)
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined) pairs.push([name, await paramValue(scenarioRun.run, op, param, one)])
    }
  }
  return pairs
}

/** Null for an optional parameter, if the target is not known to have it. */
async function nameOf(
  scenarioRun: ScenarioRun,
  op: EndpointId,
  param: string,
  mayLack: boolean,
): Promise<string | null> {
  try {
    return await paramName(scenarioRun.run, op, param)
  } catch (error) {
    if (mayLack && isOpen(error, 'not_run')) return null
    throw error
  }
}

async function bodyOf(
  scenarioRun: ScenarioRun,
  op: EndpointId,
  spec: CallStep['body'],
): Promise<Uint8Array | undefined> {
  if (spec?.bytes_of !== undefined || spec?.raw !== undefined || spec?.json !== undefined || spec?.like !== undefined)
    return rawBody(scenarioRun, spec)
  if (OPERATIONS[op].effect === 'read') return spec ? rawBody(scenarioRun, spec) : undefined
  const bodies: readonly BodyName[] = ENDPOINTS[op].bodies
  if (bodies.length === 0) return undefined
  const set = filled(scenarioRun, spec?.set ?? {}) as Record<string, unknown>
  // What is asked for decides among several templates.
  const kind = spec?.sparse ? 'sparse' : set.kind
  const named = bodies.find((name) => name === `${bodies[0]}_${kind}`) ?? bodies[0]
  const template = await templateOf(scenarioRun.run, op, named)
  // It is about the scenario's first sellable domain, or the one that `set` names, at its price.
  const { leases } = scenarioRun
  const lease = leases.find(({ domain }) => domain === (set.domain ?? set['domain?'])) ?? leases[0]
  const webhook = op === 'webhooks.put' ? await webhookVariables(scenarioRun) : {}
  const body = fillTemplate(scenarioRun.run, template, { ...leaseVariables(scenarioRun.run, lease), ...webhook })
  for (const [field, value] of Object.entries(set))
    if (isTaken(op, template, field))
      for (const place of placesOf(template, field.replace(OPTIONAL, '')))
        setAt(body, place, wireValue(scenarioRun, field, value))
  for (const place of (spec?.unset ?? []).flatMap((field) => placesOf(template, field))) setAt(body, place, undefined)
  return writeJson(body, spec?.format ?? 'compact')
}

/** The mark of a field that a target may lack. */
const OPTIONAL = /\?$/

/**
 * Whether a field that a step sets goes into the body. The template of a kind of link says which kind it is, under the target's own
 * name; and a target may take no domain for a case (BRK-06).
 *
 * @throws Open (not_run) if a case is to be about a domain that it cannot name.
 */
function isTaken(op: EndpointId, template: JsonObject, field: string): boolean {
  if (op === 'links.create' && field === 'kind') return false
  const isThere = hasField(template, field.replace(OPTIONAL, ''))
  if (OPTIONAL.test(field)) return isThere
  if (op === 'brokerage.create' && field === 'domain' && !isThere) {
    const brokerage = { ...template, DOMAIN: '${domain}' }
    const why = 'the body of a case that this target takes has no member that names the domain'
    throw Open.notRun('needs-dialect', noteWith(why, { dialect: { bodies: { brokerage } } }))
  }
  return true
}

/** The same JSON with as much white space behind its first character as the size takes. */
function inSize(body: Uint8Array, size: number): Uint8Array {
  if (body.length >= size) return body
  return Buffer.concat([body.subarray(0, 1), Buffer.alloc(size - body.length, ' '), body.subarray(1)])
}

/** Bodies that do not start from a template. */
async function rawBody(scenarioRun: ScenarioRun, spec: NonNullable<CallStep['body']>): Promise<Uint8Array> {
  if (spec.raw !== undefined) return Buffer.from(filledText(scenarioRun, spec.raw))
  if (spec.bytes_of !== undefined) return sentBody(scenarioRun, spec.bytes_of)
  const start =
    spec.like === undefined ? filled(scenarioRun, spec.json ?? {}) : parseJson(sentBody(scenarioRun, spec.like))
  if (spec.set === undefined && spec.unset === undefined) return writeJson(start, spec.format ?? 'compact')
  const body = structuredClone(start) as Record<string, unknown>
  for (const [field, value] of Object.entries(filled(scenarioRun, spec.set ?? {}) as JsonObject))
    setAt(body, field, wireValue(scenarioRun, field, value))
  for (const field of spec.unset ?? []) setAt(body, field, undefined)
  return writeJson(body, spec.format ?? 'compact')
}

function sentBody(scenarioRun: ScenarioRun, step: string): Uint8Array {
  const body = firstExchange(scenarioRun, step)?.call.body
  if (!body) throw Open.unproven(`step ${step}, whose body is used again, sent none`)
  return body
}

/** Prices are written in cents in scenarios, and in the target's unit on the wire. */
function wireValue(scenarioRun: ScenarioRun, field: string, value: unknown): unknown {
  return field === 'expected_price' && typeof value === 'number'
    ? inPriceUnit(scenarioRun.run.dialect.units, value)
    : value
}

/** The scenario's hook main, if it uses the receiver at all. */
async function webhookVariables(scenarioRun: ScenarioRun): Promise<JsonObject> {
  const main = scenarioRun.hooks.get('main')
  if (main) return { url: main.url, secret: main.secret }
  return { url: await scenarioRun.run.fixtures.webhookUrl(), secret: webhookSecret(scenarioRun) }
}

/** The secret under which this run registers webhooks; long enough for any target, and never shown. */
function webhookSecret(scenarioRun: ScenarioRun): string {
  const secret = `whsec-conformance-${scenarioRun.run.runId}`
  scenarioRun.run.redactor.add(secret)
  return secret
}

/**
 * A call with the fault of its step: one of the call itself changes it, one of the signature is left to the signer.
 *
 * @throws FaultHasNoEffectError if the fault would leave the call as it is.
 */
function withFault(scenarioRun: ScenarioRun, fault: NonNullable<Step['fault']>, call: Call): Call {
  const [[name, template] = []] = Object.entries(fault)
  if (name === undefined || name === 'scope') return call
  const said = filled(scenarioRun, template as Template)
  // A timestamp at the edge, as the shift that leads there.
  const isEdge = isObject(said) && typeof said.edge === 'number'
  const detail = isEdge ? { shift: edgeShift(scenarioRun.run, Number(said.edge)) } : said
  if (!CALL_FAULT_NAMES.includes(name)) return { ...call, fault: { [name]: detail } as unknown as Fault }
  const changed = CHANGES[name as keyof typeof CHANGES](call, detail as never)
  if (isDeepStrictEqual(partsOf(changed), partsOf(call)))
    throw new FaultHasNoEffectError({ [name]: detail } as never, SAME)
  return changed
}

const SAME = 'what is sent is the same with it and without'

const JSON_TYPE = 'application/json'

/** What a fault may change; the order of parameters says nothing. */
function partsOf({ query, body = new Uint8Array(), contentType = JSON_TYPE, idempotencyKey }: Call) {
  return [query.map(String).sort(), Buffer.from(body), contentType, idempotencyKey]
}

const CHANGES = {
  idempotency_key(call: Call): Call {
    const { idempotencyKey: _, ...rest } = call
    return rest
  },

  content_type: (call: Call, { raw }: { raw: string }): Call => ({ ...call, contentType: raw }),

  query(call: Call, detail: { unset?: string; set?: Record<string, unknown> }): Call {
    const { unset, set = {} } = detail
    const names = [...Object.keys(set), ...(unset === undefined ? [] : [unset])]
    const kept = call.query.filter(([key]) => !names.includes(key))
    return { ...call, query: [...kept, ...Object.entries(set).map(([key, value]) => [key, String(value)] as const)] }
  },

  body(call: Call, detail: BodyWord | BodyFault): Call {
    if (detail === 'empty') return withoutBody(call)
    if (detail === 'not_json') return { ...call, body: Buffer.from(`${text(call)}]`) }
    if (detail === 'trailing_comma') return { ...call, body: Buffer.from(text(call).replace(/\}$/, ',}')) }
    if (detail === 'not_a_number') return { ...call, body: Buffer.from(text(call).replace(/\}$/, ',"note":NaN}')) }
    if (detail === 'not_utf_8') return { ...call, body: Buffer.from('{"domain":"caf\xe9.example"}', 'latin1') }
    if (detail === 'deeply_nested') return { ...call, body: nestedJson(5000) }
    if (detail === 'not_object') return { ...call, body: Buffer.from(`[${text(call)}]`) }
    if (detail.raw !== undefined) return { ...call, body: Buffer.from(detail.raw) }
    if (detail.oversized !== undefined) return { ...call, body: jsonOfSize(detail.oversized) }
    const body = structuredClone(parseJson(call.body ?? new Uint8Array())) as Record<string, unknown>
    const named = detail.unset ?? detail.wrong_type ?? Object.keys(detail.set ?? {})[0] ?? ''
    const field = placeInBody(body, named)
    const before = field === null ? undefined : atPath(body, field)
    if (field === null || (before === undefined && detail.set === undefined))
      throw Open.notRun('needs-dialect', `the body that this target takes has no field that could be its ${named}`)
    const value =
      detail.unset !== undefined ? undefined : detail.wrong_type !== undefined ? otherType(before) : detail.set?.[named]
    setAt(body, field, value)
    return { ...call, body: Buffer.from(JSON.stringify(body)) }
  },
} as const

type BodyWord = 'not_json' | 'trailing_comma' | 'not_a_number' | 'not_object' | 'not_utf_8' | 'deeply_nested' | 'empty'

interface BodyFault {
  unset?: string
  wrong_type?: string
  set?: Record<string, unknown>
  raw?: string
  oversized?: number
}

/** Valid JSON of a given number of bytes without meaning. */
function jsonOfSize(bytes: number): Uint8Array {
  const frame = JSON.stringify({ domain: '' })
  return Buffer.from(JSON.stringify({ domain: 'a'.repeat(Math.max(0, bytes - frame.length)) }))
}

/** Valid JSON whose lists are within each other, so many levels deep. */
function nestedJson(levels: number): Uint8Array {
  return Buffer.from(`{"domain":${'['.repeat(levels)}${']'.repeat(levels)}}`)
}

function withoutBody(call: Call): Call {
  const { body, ...rest } = call
  if (body === undefined) throw new RangeError('this call has no body to leave out')
  return rest
}

function text(call: Call): string {
  return new TextDecoder().decode(call.body ?? new Uint8Array())
}

/** A value of a type that no reading of the field allows. */
function otherType(value: unknown): unknown {
  if (typeof value === 'string') return { not: 'a text' }
  if (typeof value === 'number') return [value]
  return typeof value === 'object' ? 17 : 'neither'
}
