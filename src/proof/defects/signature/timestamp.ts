import type { Check } from '../../../sandbox/app/checks.ts'
import { checkTimestamp } from '../../../sandbox/app/checks.ts'
import { refusingWith } from '../answers.ts'
import { changing, type Defect, defect, type Tampered } from '../defect.ts'

/** Mistakes about when a call was signed. */
export const timestampDefects: readonly Defect[] = [
  defect('window-past-30-seconds', ['TIME-01'], {
    summary: 'A timestamp more than 30 seconds old is refused.',
    ...changing('timestamp', { pastSeconds: 30 }),
  }),
  defect('window-future-30-seconds', ['TIME-01'], {
    summary: 'A timestamp more than 30 seconds ahead is refused.',
    ...changing('timestamp', { futureSeconds: 30 }),
  }),
  defect('window-past-600-seconds', ['TIME-02'], {
    summary: 'A timestamp up to 600 seconds old passes.',
    ...changing('timestamp', { pastSeconds: 600 }),
  }),
  defect('window-future-600-seconds', ['TIME-03'], {
    summary: 'A timestamp up to 600 seconds ahead passes.',
    ...changing('timestamp', { futureSeconds: 600 }),
  }),
  defect('timestamp-in-milliseconds-passes', ['TIME-04'], {
    summary: 'A timestamp in milliseconds is accepted.',
    ...reading((timestamp) => (/^\d{13}$/.test(timestamp) ? timestamp.slice(0, -3) : timestamp)),
  }),
  defect('timestamp-any-number-passes', ['TIME-05'], {
    summary: 'Decimals, exponents, signs and hex numbers pass as timestamps.',
    ...reading((timestamp) => (timestamp.trim() === '' ? timestamp : String(Math.floor(Number(timestamp))))),
  }),
  defect('timestamp-with-underscores-passes', ['TIME-05'], {
    summary: 'Underscores between the digits of a timestamp are ignored, as Python reads a number.',
    ...reading((timestamp) => (/^[\d_]+$/.test(timestamp) ? String(Number(timestamp.replaceAll('_', ''))) : timestamp)),
  }),
  defect('timestamp-refused-as-validation-error', ['TIME-02', 'TIME-03', 'TIME-04', 'TIME-05'], {
    summary: 'Timestamps are refused with validation_error.',
    ...refusingWith((_, call) => call.refusedBy === 'timestamp', 400, 'validation_error'),
  }),
]

/** A server that judges another text than the timestamp header as it was sent. */
function reading(value: (timestamp: string) => string): Tampered {
  const timestamp: Check = (call) => checkTimestamp({ ...call, timestamp: value(call.timestamp) })
  return { hooks: { checks: { timestamp } } }
}
