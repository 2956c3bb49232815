import type { Bench } from './bench.ts'
import type { Delivery } from './delivery.ts'
import { bodyTextOf, caseFacts, type Envelope } from './event-maker.ts'
import { keysSorted } from './forgeries.ts'
import type { SoundStep } from './judge-sound.ts'

/** A way to write an event down that is as sound as the usual one. */
type Row = readonly [step: string, write: (event: Envelope) => string, type?: string]

const AS_JSON = (change: (text: string) => string) => (event: Envelope) => change(bodyTextOf(event))

/**
 * Sound bodies that come out differently where they are parsed and written anew. Text and numbers that do so stand in the payload
 * of a case, which the document does not show, so that nobody can have good reason to refuse them.
 */
const FORMS: readonly Row[] = [
  ['indented', (event) => JSON.stringify(event, null, 2)],
  ['tabs_and_crlf', (event) => JSON.stringify(event, null, '\t').replaceAll('\n', '\r\n')],
  ['spaced', AS_JSON((text) => text.replaceAll('":', '": ').replaceAll(',"', ', "'))],
  ['newline_at_the_end', AS_JSON((text) => `${text}\n`)],
  ['blanks_around', AS_JSON((text) => ` ${text} `)],
  ['sorted_keys', (event) => JSON.stringify(keysSorted(event))],
  [
    'keys_in_another_order',
    ({ data, partner_id, created_at, type, id }) => JSON.stringify({ data, partner_id, created_at, type, id }),
  ],
  ['escaped_letters', AS_JSON((text) => text.replace('"type":"o', '"type":"\\u006f'))],
  [
    'escaped_slashes',
    (event) => bodyTextOf(withNote(event, 'a/b')).replace('a/b', 'a\\/b'),
    'brokerage.case_completed',
  ],
  ['beyond_ascii', (event) => bodyTextOf(withNote(event, 'Müller & Söhne <größer> 鍵 🔑')), 'brokerage.case_completed'],
  ['beyond_ascii_escaped', (event) => ascii(bodyTextOf(withNote(event, 'Müller 鍵 🔑'))), 'brokerage.case_completed'],
  ['line_separator', (event) => bodyTextOf(withNote(event, 'one\u2028two')), 'brokerage.case_completed'],
  ['composed_and_not', (event) => bodyTextOf(withNote(event, 'u\u0308 \u00fc')), 'brokerage.case_completed'],
  [
    'large_number',
    (event) => bodyTextOf(withNote(event, '#')).replace('"#"', '12345678901234567890'),
    'brokerage.case_completed',
  ],
  [
    'number_with_a_zero',
    (event) => bodyTextOf(withNote(event, '#')).replace('"#"', '[1.0, 1e2, -0, 0.10]'),
    'brokerage.case_completed',
  ],
]

/** Each of these forms as a step. */
export function bodyFormSteps(shows: string): SoundStep[] {
  return FORMS.map(([step, write, type = 'order.recorded']) => ({
    step,
    shows,
    cause: 'the signature is made over something else than the bytes that came: take the body before any parser does',
    make: (bench: Bench): Delivery => {
      const event = bench.event(type)
      return bench.sound(event, write(event))
    },
  }))
}

function withNote(event: Envelope, note: string): Envelope {
  return { ...event, data: { case: { ...caseFacts(), note } } }
}

function ascii(json: string): string {
  return json.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
