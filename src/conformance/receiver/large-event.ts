import type { Bench } from './bench.ts'
import { caseFacts, type Envelope } from './event-maker.ts'

/**
 * An event of more than so many bytes. It tells of a case, whose payload the document does not show, so that nothing but its
 * length could be minded.
 */
export function largeEvent(bench: Bench, bytes: number): Envelope {
  return bench.event('brokerage.case_completed', { data: { case: { ...caseFacts(), note: 'x'.repeat(bytes) } } })
}
