import type { Check } from '../../../sandbox/app/checks.ts'
import { checkTimestamp } from '../../../sandbox/app/checks.ts'
import { crashing, refusingWith } from '../answers.ts'
import { changing, type Defect, defect, type Tampered } from '../defect.ts'

/** A limit beyond any age in seconds. Milliseconds are beyond it, so they are still refused. */
const AGES_SECONDS = 99_000_000_000

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
  defect('window-past-unlimited', ['TIME-02'], {
    summary: 'A timestamp is never too old.',
    ...changing('timestamp', { pastSeconds: AGES_SECONDS }),
  }),
  defect('window-future-unlimited', ['TIME-03'], {
    summary: 'Only the past is limited: a timestamp is never too far ahead.',
    ...changing('timestamp', { futureSeconds: AGES_SECONDS }),
  }),
  defect('timestamp-in-milliseconds-passes', ['TIME-04'], {
    summary: 'A timestamp in milliseconds is accepted.',
    ...reading((timestamp) => (/^\d{13}$/.test(timestamp) ? timestamp.slice(0, -3) : timestamp)),
  }),
  defect('timestamp-any-number-passes', ['TIME-05'], {
    summary: 'Decimals, exponents, signs and hex numbers pass as timestamps.',
    ...reading((timestamp) => (timestamp.trim() === '' ? timestamp : String(Math.floor(Number(timestamp))))),
  }),
  defect('timestamp-leading-digits-read', ['TIME-05'], {
    summary: 'Characters after the digits of a timestamp are ignored.',
    ...reading((timestamp) => String(Number.parseInt(timestamp, 10))),
  }),
  defect('timestamp-in-hex-passes', ['TIME-05'], {
    summary: 'A timestamp in hex, with 0x in front, passes.',
    ...reading(secondsOfHex),
  }),
  defect('timestamp-iso-date-passes', ['TIME-05'], {
    summary: 'An ISO date passes as a timestamp.',
    ...reading(secondsOfDate),
  }),
  defect('timestamp-malformed-crashes', ['TIME-05'], {
    summary: 'A timestamp that is not a number is answered 500.',
    ...crashing((_, call) => call.refusedBy === 'timestamp' && !/^\d+$/.test(call.timestamp)),
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

function secondsOfDate(text: string): string {
  const ms = text.includes('T') ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? text : String(Math.floor(ms / 1_000))
}

function secondsOfHex(text: string): string {
  return /^0x[0-9a-f]+$/i.test(text) ? String(Number.parseInt(text, 16)) : text
}
