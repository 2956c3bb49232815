import { findRole } from '../../src/conformance/dialect/find-role.ts'
import type { RunCall } from '../../src/conformance/format/expectations/kind.ts'
import { readRun } from '../../src/conformance/format/expectations/run-facts.ts'
import { RUN_RULES } from '../../src/conformance/format/expectations/run-rules.ts'
import type { EndpointId } from '../../src/contract/endpoint-ids.ts'

export interface AcceptedCall {
  readonly op: EndpointId
  readonly json: unknown
  readonly query?: string
  /** Whose call it is. */
  readonly realm?: string
  /** The body of a write. */
  readonly sent?: object
}

/** Accepted calls of a run, one a second. */
export function callsOfRun(...calls: readonly AcceptedCall[]): RunCall[] {
  return calls.map(({ op, json, query = '', realm = 'main', sent }, second) => ({
    op,
    method: sent ? 'POST' : 'GET',
    exchange: `x${second}`,
    world: '',
    realm,
    isValid: true,
    target: `/api/partner/v1/path?${query}`,
    body: sent ? JSON.stringify(sent) : '',
    answer: { op, status: 200, headers: [], body: Buffer.from(JSON.stringify(json)), json },
    sentAtMs: 1_000 * second,
    answeredAtMs: 1_000 * second + 10,
    recordsAtMs: Number.NaN,
  }))
}

/** What breaks a rule. */
export function breaking(rule: keyof typeof RUN_RULES, of: readonly EndpointId[], calls: readonly RunCall[]): string[] {
  const find = (role: Parameters<typeof findRole>[1], item: Parameters<typeof findRole>[2]) => findRole({}, role, item)
  return RUN_RULES[rule].rule(readRun(calls, find), of).flatMap(({ says }) => says ?? [])
}
