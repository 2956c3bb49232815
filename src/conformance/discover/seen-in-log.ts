import { ENDPOINTS, type EndpointId, endpointAt } from '../../contract/endpoints.ts'
import { isObject } from '../../contract/is-object.ts'
import type { Run } from '../context/run.ts'
import { type Answer, isAccepted } from '../http/exchange.ts'
import { parseJson } from '../http/json-body.ts'
import type { RedactedExchange } from '../result/result.ts'
import type { Sighting } from './discovery.ts'
import { acceptedOf, type Scout, type SeenRead, shownAt } from './scout.ts'

/** Of one operation, no more answers are looked at: further ones show the same. */
const MOST_OF_OPERATION = 20

/** The answers in the log of a run, as if they had been read: what the run has made is in them, and what writes are answered. */
export function seenInLog(run: Run, logged: readonly RedactedExchange[]): SeenRead[] {
  const counts = new Map<EndpointId, number>()
  return logged.flatMap((exchange) => {
    const seen = seenIn(run, exchange)
    if (!seen || !isAccepted(seen.answer)) return []
    const count = (counts.get(seen.op) ?? 0) + 1
    counts.set(seen.op, count)
    return count > MOST_OF_OPERATION ? [] : [seen]
  })
}

function seenIn(run: Run, exchange: RedactedExchange): SeenRead | null {
  const { method, target, status, responseBody, responseHeaders, requestBody, speaker, origin } = exchange
  const [path = '', query = ''] = target.split('?')
  const op = status === null || speaker || origin ? null : endpointAt(method, path)
  // What was cut off, or has a secret taken out that made it JSON, shows nothing.
  const json = parseJson(Buffer.from(responseBody))
  if (op === null || json === undefined) return null
  const answer = { op, status, headers: responseHeaders, body: new Uint8Array(), json } as unknown as Answer
  run.dialect.learn(answer, exchange.id)
  const parts = path.split('/')
  const named = ENDPOINTS[op].path.split('/').flatMap((part, at) => (part.startsWith('{') ? (parts[at] ?? '') : []))
  // As a read says it: the same thing, seen twice, confirms nothing.
  const about = [...named, ...new URLSearchParams(query).values(), ...(requestBody ? [requestBody] : [])].join(' ')
  const sent = parseJson(Buffer.from(requestBody)) ?? null
  return { op, subject: about, answer, exchange: exchange.id, request: `${method} ${target}`, sent }
}

/** The unit in which orders were accepted at the price that their answers show in cents. */
export function priceUnitsIn(scout: Scout): Sighting[] {
  return acceptedOf(scout, 'orders.create').flatMap((seen) => {
    const asked = isObject(seen.sent) ? Number(seen.sent['expected_price']) : Number.NaN
    const sold = scout.run.dialect.find('order.sale_price_cents', seen.answer)
    if (!sold.found || typeof sold.value !== 'number' || sold.value === 0) return []
    const unit = asked === sold.value ? 'cents' : Math.round(asked * 100) === sold.value ? 'units' : null
    return unit === null ? [] : [{ value: unit, about: seen.subject, evidence: shownAt(seen, sold.at, sold.value) }]
  })
}
