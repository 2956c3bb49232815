import { ENDPOINT_IDS, ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { ERROR_CODES } from '../../contract/errors.ts'
import { type Met, NOTHING } from './facts.ts'
import { codeHint, endpointHint, LOST_REPLY_HINT } from './hints.ts'
import { isRetryable, RETRYABLE, type Setback } from './retries.ts'
import { type DraftRow, type Evidence, section } from './row.ts'

export function endpointSection(evidence: Evidence) {
  return section(
    'endpoints',
    'Endpoints',
    ENDPOINT_IDS.map((id) => endpointRow(evidence, id)),
  )
}

function endpointRow(evidence: Evidence, id: EndpointId): DraftRow {
  const { seen, command } = evidence
  const [called, accepted] = [seen('called', id), seen('accepted', id)]
  const isPartly = accepted.count === 0 && called.count > 0
  const { method, path } = ENDPOINTS[id]
  return {
    id,
    title: `${method} ${path}`,
    seen: accepted,
    happened: called,
    ...(isPartly && { state: 'partly', says: 'called, but no 2xx answer yet' }),
    hint: isPartly ? `see why: ${command(`request list --endpoint ${id}`)}` : endpointHint(id, evidence),
  }
}

export function codeSection(evidence: Evidence) {
  return section(
    'codes',
    'Error codes',
    ERROR_CODES.map((code) => {
      return { id: code, title: code, seen: evidence.seen('code', code), hint: codeHint(code, evidence) }
    }),
  )
}

export function retrySection(evidence: Evidence) {
  const rows = [...RETRYABLE, ...ERROR_CODES.filter((code) => !isRetryable(code))]
  return section(
    'retries',
    'After a refusal',
    rows.map((setback) => retryRow(evidence, setback)),
  )
}

/** What a client should do next. */
const RIGHT_NEXT: Partial<Record<Setback, string>> = {
  rate_limited: 'wait for Retry-After, sign again, retry',
  internal_error: 'retry with a new nonce, the same Idempotency-Key and the same bytes',
  lost_reply: 'retry with a new nonce, the same Idempotency-Key and the same bytes',
  replay_detected: 'retry with a new nonce',
  invalid_timestamp: 'retry with the current time in seconds and a new nonce',
}

const FINAL_NEXT = 'do not retry the same call'

function retryRow(evidence: Evidence, setback: Setback): DraftRow {
  const right = evidence.seen('retry-right', setback)
  const wrong = evidence.seen('retry-wrong', setback)
  const title = setback === 'lost_reply' ? 'no answer, or an unreadable one' : setback
  const row = { id: setback, title: `${title}: ${RIGHT_NEXT[setback] ?? FINAL_NEXT}` }
  if (wrong.count > 0) return { ...row, ...wrongly(evidence, right, wrong) }
  // A final refusal was handled correctly as long as the client did not retry the same call.
  const met = isRetryable(setback) ? right : evidence.seen('code', setback)
  const isOpen = met.count === 0 && setback !== 'lost_reply' && evidence.seen('code', setback).count > 0
  return {
    ...row,
    ...(isOpen && { state: 'partly' }),
    seen: met,
    says: saysOf(setback, met, isOpen),
    hint: setback === 'lost_reply' ? LOST_REPLY_HINT(evidence) : codeHint(setback, evidence),
  }
}

function saysOf(setback: Setback, met: Met, isOpen: boolean): string | null {
  if (isOpen) return 'received, but not retried since'
  if (met.count === 0) return null
  return isRetryable(setback) ? 'retried correctly' : 'never retried unchanged'
}

function wrongly({ command }: Evidence, right: Met, wrong: Met & { detail: string | null }) {
  const { request_id: requestId, wrong: what } = JSON.parse(wrong.detail ?? '{}') as Record<string, string | null>
  return {
    state: 'wrong' as const,
    seen: right.count > 0 ? right : NOTHING,
    says: `${times(wrong.count)} wrong, ${times(right.count)} right; last mistake: ${what ?? 'unknown'}`,
    requestId: requestId ?? null,
    hint: `see ${command(`request show ${requestId}`)}; start over: ${command('coverage reset')}`,
  }
}

function times(count: number): string {
  return count === 1 ? 'once' : count === 0 ? 'never' : `${count} times`
}
