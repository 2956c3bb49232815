import { escapeLine } from '../../../conformance/reports/escape.ts'
import { EVENT_TYPES } from '../../../contract/event-types.ts'
import { isRecord, type Row } from '../../output/records.ts'
import { lastAnswer } from './deliveries.ts'
import { subjectOf } from './events.ts'
import { injectedFault } from './fault.ts'

const LONGEST_TYPE = Math.max(...EVENT_TYPES.map((type) => type.length))

/** Cells of a line whose neighbours above and below are not known: each as wide as its kind usually is. */
function cells(values: readonly (readonly [value: unknown, width: number])[]): string {
  return values
    .map(([value, width]) => escapeLine(String(value ?? '-')).padEnd(width))
    .join('  ')
    .trimEnd()
}

/** An event in one line. */
export function eventLine(event: Row): string {
  const about = subjectOf(event)
  return cells([
    [event['created_at'], 24],
    [event['type'], LONGEST_TYPE],
    [event['id'], 20],
    [about['public_id'] ?? about['case_id'], 20],
    [about['domain'], 24],
    [about['status'], 20],
    [event['partner_id'], 0],
  ])
}

/** A call in one line. */
export function requestLine(request: Row): string {
  return cells([
    [request['at'], 24],
    [request['status'], 3],
    [request['method'], 6],
    [request['target'], 48],
    [request['code'], 19],
    [request['credential'] ?? request['key_id'], 12],
    [request['request_id'], 20],
    [injectedFault(request) ?? '', 0],
  ])
}

const ANSWER_WIDTH = 31

/** A delivery in one line: the attempt that was just made, what came of it, and how the delivery stands now. */
export function deliveryLine(delivery: Row): string {
  const { next_attempt_at: next, last_attempt: last } = delivery
  return cells([
    [isRecord(last) ? last['at'] : null, 24],
    [delivery['delivery_id'], 20],
    [isRecord(last) ? `attempt ${String(last['number'])}` : 'no attempt', 10],
    [lastAnswer(delivery), ANSWER_WIDTH],
    [delivery['state'], 9],
    [delivery['type'], LONGEST_TYPE],
    [delivery['event_id'], 20],
    [delivery['partner_id'], 20],
    [typeof next === 'string' ? `next ${next}` : '', 0],
  ])
}
