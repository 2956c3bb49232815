import { checkTimestamp } from '../../../sandbox/app/authenticate/check-timestamp.ts'
import type { AuthenticatedCall } from '../../../sandbox/wire/call.ts'
import { BARE_500, refusingWith } from '../answers.ts'
import { changing, type Defect } from '../defect.ts'

/** Far beyond any seconds, and short of milliseconds, which are refused still. */
const AGES_SECONDS = 99_000_000_000

/** Mistakes about when a call was signed. */
export const timestampDefects: readonly Defect[] = [
  {
    id: 'window-past-30-seconds',
    breaks: ['TIME-01'],
    summary: 'A timestamp more than 30 seconds old is refused.',
    ...changing('timestamp', { pastSeconds: 30 }),
  },
  {
    id: 'window-future-30-seconds',
    breaks: ['TIME-01'],
    summary: 'A timestamp more than 30 seconds ahead is refused.',
    ...changing('timestamp', { futureSeconds: 30 }),
  },
  {
    id: 'window-past-600-seconds',
    breaks: ['TIME-02'],
    summary: 'A timestamp up to 600 seconds old passes.',
    ...changing('timestamp', { pastSeconds: 600 }),
  },
  {
    id: 'window-future-600-seconds',
    breaks: ['TIME-03'],
    summary: 'A timestamp up to 600 seconds ahead passes.',
    ...changing('timestamp', { futureSeconds: 600 }),
  },
  {
    id: 'window-past-unlimited',
    breaks: ['TIME-02'],
    summary: 'A timestamp is never too old.',
    ...changing('timestamp', { pastSeconds: AGES_SECONDS }),
  },
  {
    id: 'window-future-unlimited',
    breaks: ['TIME-03'],
    summary: 'Only the past is limited: a timestamp is never too far ahead.',
    ...changing('timestamp', { futureSeconds: AGES_SECONDS }),
  },
  {
    id: 'timestamp-in-milliseconds-passes',
    breaks: ['TIME-04'],
    summary: 'Milliseconds are recognised and taken for seconds.',
    ...changing('timestamp', { form: 'milliseconds-too' }),
  },
  {
    id: 'timestamp-any-number-passes',
    breaks: ['TIME-05'],
    summary: 'Decimals, exponents, signs and hex numbers pass as timestamps.',
    ...changing('timestamp', { form: 'any-number' }),
  },
  {
    id: 'timestamp-leading-digits-read',
    breaks: ['TIME-05'],
    summary: 'Whatever follows the digits of a timestamp is ignored.',
    hooks: {
      checks: { timestamp: (call) => checkTimestamp(reading(call, String(Number.parseInt(call.timestamp, 10)))) },
    },
  },
  {
    id: 'timestamp-in-hex-passes',
    breaks: ['TIME-05'],
    summary: 'A timestamp in hex, with 0x in front, passes.',
    hooks: { checks: { timestamp: (call) => checkTimestamp(reading(call, secondsOfHex(call.timestamp))) } },
  },
  {
    id: 'timestamp-iso-date-passes',
    breaks: ['TIME-05'],
    summary: 'An ISO date passes as a timestamp.',
    hooks: { checks: { timestamp: (call) => checkTimestamp(reading(call, secondsOfDate(call.timestamp))) } },
  },
  {
    id: 'timestamp-malformed-crashes',
    breaks: ['TIME-05'],
    summary: 'A timestamp that is no number is answered 500.',
    ...refusingWith((_, call) => call.refusedBy === 'timestamp' && !/^\d+$/.test(call.timestamp), BARE_500),
  },
  {
    id: 'timestamp-refused-as-validation-error',
    breaks: ['TIME-02', 'TIME-03', 'TIME-04', 'TIME-05'],
    summary: 'Timestamps are refused with validation_error.',
    ...refusingWith((_, call) => call.refusedBy === 'timestamp', { status: 400, code: 'validation_error' }),
  },
]

/** The call as if its timestamp header said something else. */
function reading(call: AuthenticatedCall, timestamp: string): AuthenticatedCall {
  return { ...call, timestamp }
}

function secondsOfDate(text: string): string {
  const ms = text.includes('T') ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? text : String(Math.floor(ms / 1_000))
}

function secondsOfHex(text: string): string {
  return /^0x[0-9a-f]+$/i.test(text) ? String(Number.parseInt(text, 16)) : text
}
