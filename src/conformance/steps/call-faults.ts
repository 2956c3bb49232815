import { edgeShift } from '../context/clock-edge.ts'
import type { ScenarioRun } from '../context/run.ts'
import { placeInBody, setAt } from '../dialect/body-templates.ts'
import type { CredentialChoice, Step, Template } from '../format/scenario.ts'
import { CALL_FAULT_NAMES } from '../format/schema-faults.ts'
import { isObject, parseJson } from '../http/json-body.ts'
import { filled } from '../judge/references.ts'
import { Open } from '../result/open.ts'
import type { Call } from '../signing/sign-call.ts'
import type { Fault } from '../signing/signature-faults.ts'

/**
 * A call with the fault of its step: one of the call itself changes it, one of the signature is left to the signer.
 *
 * @throws RangeError if the fault would leave the call as it is.
 */
export function withFault(scenarioRun: ScenarioRun, { fault }: Step, call: Call): Call {
  const [[name, template] = []] = Object.entries(fault ?? {})
  if (name === undefined || name === 'scope') return call
  const detail = withEdge(scenarioRun, filled(scenarioRun, template as Template))
  if (!CALL_FAULT_NAMES.includes(name)) return { ...call, fault: { [name]: detail } as unknown as Fault }
  return CHANGES[name as keyof typeof CHANGES](call, detail as never)
}

/** The credential that a step calls with; to lack a scope is a fault. */
export function credentialOf(scenarioRun: ScenarioRun, { fault, as }: Step): CredentialChoice | undefined {
  return fault?.scope === undefined ? as : (filled(scenarioRun, fault.scope as Template) as CredentialChoice)
}

/** A timestamp at the edge, as the shift that leads there. */
function withEdge({ run }: ScenarioRun, detail: unknown): unknown {
  return isObject(detail) && typeof detail.edge === 'number' ? { shift: edgeShift(run, detail.edge) } : detail
}

const CHANGES = {
  idempotency_key(call: Call): Call {
    const { idempotencyKey, ...rest } = call
    if (idempotencyKey === undefined) throw new RangeError('this call has no Idempotency-Key to drop')
    return rest
  },

  content_type: (call: Call, { raw }: { raw: string }): Call => ({ ...call, contentType: raw }),

  query(call: Call, detail: { unset?: string; set?: Record<string, unknown> }): Call {
    const { unset, set = {} } = detail
    if (unset !== undefined && !call.query.some(([key]) => key === unset))
      throw new RangeError(`this call has no parameter ${unset} to leave out`)
    const names = [...Object.keys(set), ...(unset === undefined ? [] : [unset])]
    const kept = call.query.filter(([key]) => !names.includes(key))
    return { ...call, query: [...kept, ...Object.entries(set).map(([key, value]) => [key, String(value)] as const)] }
  },

  body(call: Call, detail: 'not_json' | 'not_object' | 'not_utf_8' | 'empty' | BodyFault): Call {
    if (detail === 'empty') return withoutBody(call)
    if (detail === 'not_json') return { ...call, body: Buffer.from(`${text(call)}]`) }
    if (detail === 'not_utf_8') return { ...call, body: Buffer.from('{"domain":"caf\xe9.example"}', 'latin1') }
    if (detail === 'not_object') return { ...call, body: Buffer.from(`[${text(call)}]`) }
    if (detail.raw !== undefined) return { ...call, body: Buffer.from(detail.raw) }
    if (detail.oversized !== undefined) return { ...call, body: jsonOfSize(detail.oversized) }
    const body = structuredClone(parseJson(call.body ?? new Uint8Array())) as Record<string, unknown>
    const named = detail.unset ?? detail.wrong_type ?? Object.keys(detail.set ?? {})[0] ?? ''
    const field = placeInBody(body, named)
    const before = field === null ? undefined : valueAt(body, field)
    if (field === null || (before === undefined && detail.set === undefined))
      throw Open.notRun('needs-dialect', `the body that this target takes has no field that could be its ${named}`)
    const value =
      detail.unset !== undefined ? undefined : detail.wrong_type !== undefined ? otherType(before) : detail.set?.[named]
    setAt(body, field, value)
    return { ...call, body: Buffer.from(JSON.stringify(body)) }
  },
} as const

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

function withoutBody(call: Call): Call {
  const { body, ...rest } = call
  if (body === undefined) throw new RangeError('this call has no body to leave out')
  return rest
}

function text(call: Call): string {
  return new TextDecoder().decode(call.body ?? new Uint8Array())
}

function valueAt(body: Record<string, unknown>, path: string): unknown {
  return path.split('.').reduce((value: unknown, key) => (value as Record<string, unknown> | undefined)?.[key], body)
}

/** A value of a type that no reading of the field allows. */
function otherType(value: unknown): unknown {
  if (typeof value === 'string') return { not: 'a text' }
  if (typeof value === 'number') return [value]
  return typeof value === 'object' ? 17 : 'neither'
}
