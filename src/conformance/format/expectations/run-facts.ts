import { ENDPOINTS, type EndpointId } from '../../../contract/endpoints.ts'
import { type Answer, isAccepted } from '../../http/exchange.ts'
import { atPath, parseJson } from '../../http/json-body.ts'
import { lastSegment } from '../../http/last-segment.ts'
import type { Found, RoleName } from '../roles.ts'
import { instantMs } from '../values.ts'
import type { Item, RunCall, RunFacts } from './kind.ts'

// What rules about a whole run ask of its calls. Each question is answered once for all rules.

/** What names a thing: ids may be counted for each partner and environment. */
export const keyOf = ({ world, realm }: RunCall, id: unknown): string => `${world} ${realm} ${String(id)}`

/** @param findRole looks a role up; the verdict does not rest on where it was found. */
export function readRun(calls: readonly RunCall[], findRole: (role: RoleName, item: Item) => Found): RunFacts {
  const found = new WeakMap<Item, Map<RoleName, Found>>()
  const bodies = new WeakMap<RunCall, unknown>()
  const lists = new Map<string, readonly { call: RunCall; item: Item }[]>()
  const all: { call: RunCall; answer: Answer }[] = []
  const cut: RunCall[] = []
  for (const call of calls) {
    const { op, method, answer } = call
    if (op === null || method === 'HEAD' || !isAccepted(answer)) continue
    if (answer.leftOutBytes === undefined) all.push({ call, answer })
    else cut.push(call)
  }
  const find = (role: RoleName, item: Item): Found => {
    const known = found.get(item) ?? new Map<RoleName, Found>()
    found.set(item, known)
    const value = known.get(role) ?? findRole(role, item)
    known.set(role, value)
    return value
  }
  const accepted = (ops: readonly string[]) => all.filter(({ call }) => ops.includes(String(call.op)))
  const bodyOf = (call: RunCall): unknown => {
    if (!bodies.has(call)) bodies.set(call, parseJson(Buffer.from(call.body)))
    return bodies.get(call)
  }
  let made: RunFacts['made'] | undefined
  let beganAtMs: number | undefined
  return {
    calls,
    find,
    accepted,
    leftOut: (ops) => cut.filter(({ op }) => ops.includes(String(op))),
    get made() {
      made ??= madeIn(all, find)
      return made
    },
    get beganAtMs() {
      beganAtMs ??= beginningOf(this)
      return beganAtMs
    },
    rows(op, list) {
      const key = `${op} ${list}`
      const known = lists.get(key)
      if (known) return known
      const rows = accepted([op]).flatMap(({ call, answer }): { call: RunCall; item: Item }[] => {
        if (list === null) return [{ call, item: answer }]
        return listIn({ find }, list, answer).map((json) => ({ call, item: { json, op } }))
      })
      lists.set(key, rows)
      return rows
    },
    bodyOf,
    sent(call, from) {
      const [path = '', query = ''] = call.target.split('?')
      if (from === '/') return lastSegment(path)
      if (!from.startsWith('?')) return atPath(bodyOf(call), from)
      const [value, ...more] = new URLSearchParams(query).getAll(from.slice(1))
      return more.length === 0 ? value : undefined
    },
  }
}

/**
 * The event of the run's own first order shows when it began, or that order does, or its first call where it has made none. An earlier
 * run may have moved the clock of the target, which no call shows before.
 */
function beginningOf({ calls, made, rows, find }: Omit<RunFacts, 'beganAtMs'>): number {
  const told = rows('events.list', 'events.items').flatMap(({ call, item: { json } }) => {
    const isOwn = made.has(keyOf(call, atPath(json, 'data.order.public_id')))
    return isOwn ? [instantMs(String(atPath(json, 'created_at')))] : []
  })
  const ordered = [...made.values()].flatMap(({ op, answer }) => {
    const at = op === 'orders.create' ? find('order.created_at', answer) : null
    return at?.found ? [instantMs(String(at.value))] : []
  })
  const known = [told, ordered].map((times) => times.filter((time) => !Number.isNaN(time)))
  const times = known.find(({ length }) => length > 0)
  return times ? Math.min(...times) : (calls[0]?.recordsAtMs ?? Number.NaN)
}

/** The entries of a list in an answer; none if it is not there. */
export function listIn({ find }: Pick<RunFacts, 'find'>, role: RoleName, item: Item): readonly unknown[] {
  const found = find(role, item)
  return found.found && Array.isArray(found.value) ? found.value : []
}

/** Things by their keys, as the first accepted answer to their making says. */
function madeIn(all: readonly { call: RunCall; answer: Answer }[], find: RunFacts['find']): RunFacts['made'] {
  const made = new Map<string, { op: EndpointId; id: string; call: RunCall; answer: Answer }>()
  for (const { call, answer } of all) {
    const op = call.op as EndpointId
    const { creates } = ENDPOINTS[op]
    if (creates === null || creates.kind === 'webhook') continue
    const id = find(creates.handles[0].role, answer)
    if (!id.found) continue
    const key = keyOf(call, id.value)
    if (!made.has(key)) made.set(key, { op, id: String(id.value), call, answer })
  }
  return made
}
