import type { EndpointId } from '../../contract/endpoints.ts'
import { allRows } from '../operator/all-rows.ts'
import type { OperatorContext } from '../operator/operator-command.ts'
import { CliError } from '../operator/session.ts'
import { isRecord, rowsOf } from '../output/records.ts'

/** A call as the request log tells of it. */
export interface RecordedCall {
  kind: 'call'
  requestId: string
  position: number
  atMs: number
  worldAtMs: number
  method: string
  target: string
  endpoint: EndpointId | null
  credential: string | null
  status: number
  code: string | null
  /** The authentication check that refused it. */
  refusedBy: string | null
  headers: Readonly<Record<string, string>>
  body: string
  bodyIsText: boolean
  answer: unknown
  /** Ids of the mistakes that explain a refused signature. */
  mistakes: string[]
  /** What went wrong with it on purpose. */
  mishap: 'refuse' | 'delay' | 'drop' | 'garbage' | null
  /** Id of the operator's fault by which it did; null for a magic name. */
  fault: string | null
}

/** Something an operator did. */
export interface RecordedAct {
  kind: 'act'
  afterRequest: number
  atMs: number
  /** World time before and after it, in milliseconds. */
  fromMs: number
  toMs: number
  operation: string
  params: Readonly<Record<string, string>>
  body: Readonly<Record<string, unknown>>
}

/** A hosted checkout that was paid, by whomever: no call tells of it. */
export interface RecordedSale {
  kind: 'sale'
  sessionId: string
  publicId: string
  domain: string
}

export type Recorded = RecordedCall | RecordedAct | RecordedSale

/** More than a scenario that anybody would read. */
const MOST = 300

/**
 * What happened in a world since a moment, calls and acts in the order in which they were done.
 *
 * @param since wall time in milliseconds, or the request after which it begins; null for all that the log still has.
 */
export async function readHistory(context: OperatorContext, since: number | string | null): Promise<Recorded[]> {
  const newestFirst = await allRows(context, 'requests.list', 'requests', { limit: 1_000 })
  const summaries = newestFirst.reverse()
  const first = typeof since === 'string' ? positionOf(summaries, since) : 0
  const sinceMs = typeof since === 'number' ? since : Number.NEGATIVE_INFINITY
  const wanted = summaries.filter((row) => Number(row['position']) > first && Date.parse(String(row['at'])) >= sinceMs)
  const allActs = (await allRows(context, 'acts.list', 'acts', { limit: 1_000 })).map(asAct)
  const acts = allActs.filter((act) => act.atMs >= sinceMs && act.afterRequest >= first)
  if (wanted.length + acts.length > MOST) {
    throw new CliError(
      `${wanted.length} calls and ${acts.length} acts are too much for one scenario (${MOST}); begin later, with --since`,
    )
  }
  const calls: RecordedCall[] = []
  for (const row of wanted) {
    calls.push(asCall(await context.call('requests.show', { request_id: String(row['request_id']) })))
  }
  return inOrder(calls, acts)
}

function positionOf(rows: readonly Record<string, unknown>[], requestId: string): number {
  const found = rows.find((row) => row['request_id'] === requestId)
  if (!found) throw new CliError(`--since: the log of this world has no request ${JSON.stringify(requestId)}`)
  return Number(found['position'])
}

/** An act stands behind the last call that had been answered when it was done. */
function inOrder(calls: readonly RecordedCall[], acts: readonly RecordedAct[]): Recorded[] {
  const left = [...acts]
  const before = (position: number) => left.splice(0, left.filter((act) => act.afterRequest < position).length)
  return [...calls.flatMap((call): Recorded[] => [...before(call.position), call]), ...left]
}

function asAct(row: Record<string, unknown>): RecordedAct {
  const time = (isRecord(row['world_time']) ? row['world_time'] : {}) as Record<string, string>
  return {
    kind: 'act',
    afterRequest: Number(row['after_request']),
    atMs: Date.parse(String(row['at'])),
    fromMs: Date.parse(String(time['from'])),
    toMs: Date.parse(String(time['to'])),
    operation: String(row['operation']),
    params: (isRecord(row['params']) ? row['params'] : {}) as Record<string, string>,
    body: isRecord(row['body']) ? row['body'] : {},
  }
}

function asCall(answer: unknown): RecordedCall {
  const row = isRecord(answer) ? answer : {}
  const request = isRecord(row['request']) ? row['request'] : {}
  const sent = isRecord(row['answer']) ? row['answer'] : {}
  const headers = (Array.isArray(request['headers']) ? request['headers'] : []) as [string, string][]
  const diagnosis = isRecord(row['diagnosis']) ? row['diagnosis'] : {}
  return {
    kind: 'call',
    requestId: String(row['request_id']),
    position: Number(row['position']),
    atMs: Date.parse(String(row['at'])),
    worldAtMs: Date.parse(String(row['world_time'])),
    method: String(row['method']),
    target: String(row['target']),
    endpoint: (row['endpoint'] ?? null) as EndpointId | null,
    credential: textOrNull(row['credential']),
    status: Number(row['status']),
    code: textOrNull(row['code']),
    refusedBy: textOrNull(rowsOf(row, 'checks').find(({ verdict }) => verdict === 'refused')?.['check']),
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: String(request['body'] ?? ''),
    bodyIsText: request['body_encoding'] === 'utf-8',
    answer: jsonOf(sent['body']),
    mistakes: rowsOf(diagnosis, 'mistakes').map(({ id }) => String(id)),
    mishap: (row['mishap'] ?? null) as RecordedCall['mishap'],
    fault: textOrNull(row['fault']),
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Undefined where it is no JSON. */
export function jsonOf(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}
