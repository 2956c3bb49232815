import { type Check, checkTimestamp } from '../../../sandbox/app/checks.ts'
import type { Call } from '../../../sandbox/wire/call.ts'
import { refusingWith } from '../answers.ts'
import { changing, type Defect, defect, type Tampered } from '../defect.ts'

/** Writes whose timestamps a server misreads in one direction. */
const TAKEN_AS = [
  { verb: 'POST', seconds: -100 },
  { verb: 'POST', seconds: 100 },
  { verb: 'PUT', seconds: 100 },
] as const

/** Mistakes about when a call was signed. */
export const timestampDefects: readonly Defect[] = [
  defect('window-past-30-seconds', ['TIME-01'], {
    summary: 'A timestamp more than 30 seconds old is refused.',
    ...changing('timestamp', { pastSeconds: 30 }),
  }),
  ...[295, 296].flatMap((seconds) => [
    defect(`window-past-${seconds}-seconds`, ['TIME-01'], {
      summary: `A timestamp more than ${seconds} seconds old is refused.`,
      ...changing('timestamp', { pastSeconds: seconds }),
    }),
    defect(`window-future-${seconds}-seconds`, ['TIME-01'], {
      summary: `A timestamp more than ${seconds} seconds ahead is refused.`,
      ...changing('timestamp', { futureSeconds: seconds }),
    }),
  ]),
  ...TAKEN_AS.map(({ verb, seconds }) =>
    defect(`timestamp-of-a-${verb.toLowerCase()}-is-taken-as-${seconds < 0 ? 'earlier' : 'later'}`, ['TIME-01'], {
      summary: `The timestamp of a ${verb} is judged as if it were ${Math.abs(seconds)} seconds ${seconds < 0 ? 'earlier' : 'later'}.`,
      ...reading((timestamp, { method }) =>
        method === verb && /^\d+$/.test(timestamp) ? String(Number(timestamp) + seconds) : timestamp,
      ),
    }),
  ),
  defect('timestamp-refused-as-validation-error', ['TIME-02', 'TIME-03', 'TIME-04', 'TIME-05'], {
    summary: 'Timestamps are refused with validation_error.',
    ...refusingWith((_, call) => call.refusedBy === 'timestamp', 400, 'validation_error'),
  }),
  ...(['POST', 'PUT'] as const).map((verb) =>
    defect(`fraction-in-a-timestamp-of-a-${verb.toLowerCase()}-passes`, ['TIME-05'], {
      summary: `The timestamp of a ${verb} may have a fraction, which is ignored.`,
      ...reading((timestamp, { method }) => (method === verb ? timestamp.replace(/\.\d+$/, '') : timestamp)),
    }),
  ),
]

/** A server that judges another text than the timestamp header as it was sent. */
function reading(value: (timestamp: string, call: Call) => string): Tampered {
  const timestamp: Check = (call) => checkTimestamp({ ...call, timestamp: value(call.timestamp, call) })
  return { hooks: { checks: { timestamp } } }
}
