import { edgeShift } from '../context/clock-edge.ts'
import type { ScenarioRun } from '../context/scenario-run.ts'
import { placeInBody, setAt } from '../dialect/body-templates.ts'
import type { CredentialChoice, Step, Template } from '../format/scenario.ts'
import { CALL_FAULT_NAMES } from '../format/schema-faults.ts'
import { isObject, parseJson } from '../http/json-body.ts'
import { filled } from '../judge/references.ts'
import { Open } from '../result/open.ts'
import type { CallPlan } from '../signing/sign-plan.ts'
import type { Fault } from '../signing/signature-faults.ts'

/** A call whose fault, where it is one of the call rather than of its signature, has been put into the plan. */
export interface FaultyCall {
  plan: CallPlan
  /** For the signer. */
  fault: Fault | undefined
  /** Another credential, where that is the fault. */
  as: CredentialChoice | undefined
}

/**
 * Splits a step's fault: those of the call change the plan, those of the signature are left to the signer.
 *
 * @throws RangeError if the fault would leave the call as it is.
 */
export function applyFault(scenarioRun: ScenarioRun, step: Step, plan: CallPlan): FaultyCall {
  const [[name, template] = []] = Object.entries(step.fault ?? {})
  if (name === undefined) return { plan, fault: undefined, as: undefined }
  const detail = withEdge(scenarioRun, filled(scenarioRun, template as Template))
  if (!CALL_FAULT_NAMES.includes(name)) return { plan, fault: { [name]: detail } as unknown as Fault, as: undefined }
  if (name === 'scope') return { plan, fault: undefined, as: detail as CredentialChoice }
  return { plan: CHANGES[name as keyof typeof CHANGES](plan, detail as never), fault: undefined, as: undefined }
}

/** A timestamp at the edge, as the shift that leads there. */
function withEdge({ run }: ScenarioRun, detail: unknown): unknown {
  return isObject(detail) && typeof detail.edge === 'number' ? { shift: edgeShift(run, detail.edge) } : detail
}

const CHANGES = {
  idempotency_key(plan: CallPlan): CallPlan {
    const { idempotencyKey, ...rest } = plan
    if (idempotencyKey === undefined) throw new RangeError('this call has no Idempotency-Key to drop')
    return rest
  },

  content_type: (plan: CallPlan, { raw }: { raw: string }): CallPlan => ({ ...plan, contentType: raw }),

  query(plan: CallPlan, detail: { unset?: string; set?: Record<string, unknown> }): CallPlan {
    const { unset, set = {} } = detail
    if (unset !== undefined && !plan.query.some(([key]) => key === unset))
      throw new RangeError(`this call has no parameter ${unset} to leave out`)
    const names = [...Object.keys(set), ...(unset === undefined ? [] : [unset])]
    const kept = plan.query.filter(([key]) => !names.includes(key))
    return { ...plan, query: [...kept, ...Object.entries(set).map(([key, value]) => [key, String(value)] as const)] }
  },

  body(plan: CallPlan, detail: 'not_json' | 'not_object' | 'not_utf_8' | 'empty' | BodyFault): CallPlan {
    if (detail === 'empty') return withoutBody(plan)
    if (detail === 'not_json') return { ...plan, body: Buffer.from(`${text(plan)}]`) }
    if (detail === 'not_utf_8') return { ...plan, body: Buffer.from('{"domain":"caf\xe9.example"}', 'latin1') }
    if (detail === 'not_object') return { ...plan, body: Buffer.from(`[${text(plan)}]`) }
    if (detail.raw !== undefined) return { ...plan, body: Buffer.from(detail.raw) }
    if (detail.oversized !== undefined) return { ...plan, body: jsonOfSize(detail.oversized) }
    const body = structuredClone(parseJson(plan.body ?? new Uint8Array())) as Record<string, unknown>
    const named = detail.unset ?? detail.wrong_type ?? Object.keys(detail.set ?? {})[0] ?? ''
    const field = placeInBody(body, named)
    const before = field === null ? undefined : valueAt(body, field)
    if (field === null || (before === undefined && detail.set === undefined))
      throw Open.notRun('needs-dialect', `the body that this target takes has no field that could be its ${named}`)
    const value =
      detail.unset !== undefined ? undefined : detail.wrong_type !== undefined ? otherType(before) : detail.set?.[named]
    setAt(body, field, value)
    return { ...plan, body: Buffer.from(JSON.stringify(body)) }
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

function withoutBody(plan: CallPlan): CallPlan {
  const { body, ...rest } = plan
  if (body === undefined) throw new RangeError('this call has no body to leave out')
  return rest
}

function text(plan: CallPlan): string {
  return new TextDecoder().decode(plan.body ?? new Uint8Array())
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
