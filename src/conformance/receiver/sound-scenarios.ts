import { EVENT_TYPES } from '../../contract/event-types.ts'
import { bodyTextOf } from '../signing/event-maker.ts'
import type { SoundWish } from './delivery.ts'
import { keysSorted } from './forgeries.ts'
import { soundSteps } from './judge-sound.ts'
import type { OwnEvent } from './own-events.ts'
import { type ReceiverScenario, receiverScenario, stepOf } from './receiver-scenario.ts'

/**
 * Ways to write an event down that are as sound as the usual one. They come out differently if they are parsed and written again;
 * text and numbers that do so are in a note.
 */
const BODY_FORMS: Readonly<Record<string, SoundWish>> = {
  indented: { write: (event) => JSON.stringify(event, null, 2) },
  tabs_and_crlf: { write: (event) => JSON.stringify(event, null, '\t').replaceAll('\n', '\r\n') },
  spaced: rewritten((text) => text.replaceAll('":', '": ').replaceAll(',"', ', "')),
  newline_at_the_end: rewritten((text) => `${text}\n`),
  blanks_around: rewritten((text) => ` ${text} `),
  sorted_keys: { write: (event) => JSON.stringify(keysSorted(event)) },
  keys_in_another_order: {
    write: ({ data, partner_id, created_at, type, id }) => JSON.stringify({ data, partner_id, created_at, type, id }),
  },
  escaped_letters: rewritten((text) => text.replace('"type":"o', '"type":"\\u006f')),
  escaped_slashes: withNote('a/b', (text) => text.replace('a/b', 'a\\/b')),
  beyond_ascii: withNote('Müller & Söhne <größer> 鍵 🔑'),
  beyond_ascii_escaped: withNote('Müller 鍵 🔑', ascii),
  line_separator: withNote('one\u2028two'),
  composed_and_not: withNote('u\u0308 \u00fc'),
  large_number: withNote('#', (text) => text.replace('"#"', '12345678901234567890')),
  number_with_a_zero: withNote('#', (text) => text.replace('"#"', '[1.0, 1e2, -0, 0.10]')),
}

function rewritten(change: (text: string) => string): SoundWish {
  return { write: (event) => change(bodyTextOf(event)) }
}

function withNote(note: string, change = (text: string): string => text): SoundWish {
  return { type: 'brokerage.case_completed', note, ...rewritten(change) }
}

function ascii(json: string): string {
  return json.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const DAY_MS = 86_400_000

/** An event of more than this many kibibytes, unusual only in its length. */
export function ofLength(kibibytes: number): SoundWish {
  return { type: 'brokerage.case_completed', note: 'x'.repeat(kibibytes * 1_024) }
}

/** What every receiver takes. */
export const SOUND_SCENARIOS: readonly ReceiverScenario[] = [
  receiverScenario(
    'events/every-type',
    'Every event type of the document is taken',
    soundSteps(
      'RECV-01',
      'this event type is not expected, or its payload is asked for more than the document promises',
      Object.fromEntries(EVENT_TYPES.map((type) => [stepOf(type), { type }])),
    ),
  ),
  receiverScenario(
    'raw-body/forms',
    'The signature is made over the bytes that came, however they are written',
    soundSteps(
      'RECV-03',
      'the signature is made over something else than the bytes that came: take the body before any parser does',
      BODY_FORMS,
    ),
  ),
  receiverScenario(
    'events/old',
    'An event is taken however old it is',
    soundSteps('RECV-14', 'created_at is held against the clock, though a delivery may be repeated for days', {
      three_days_old: { ageMs: 3 * DAY_MS },
      a_year_old: { ageMs: 365 * DAY_MS },
      two_minutes_ahead: { ageMs: -120_000 },
    }),
  ),
  receiverScenario(
    'events/unknown-types',
    'An event type that is not known is taken',
    soundSteps('RECV-15', 'an event type that is not known is an error here; take it and leave it alone', {
      of_an_order: { type: 'order.domain_renewed' },
      of_a_transfer: { type: 'transfer.started' },
      of_another_family: { type: 'partner.terms_changed' },
    }),
  ),
  receiverScenario(
    'events/unknown-members',
    'Members that are not known are ignored',
    soundSteps('RECV-16', 'members that are not known are refused; leave them alone', {
      in_the_envelope: { write: (event) => JSON.stringify({ ...event, api_version: '2027-01', attempt: 1 }) },
      in_data: {
        write: (event) => JSON.stringify({ ...event, data: { ...event.data, previous: { status: null } } }),
      },
      in_the_order: { type: 'order.settled', order: { labels: ['new'], buyer: null } },
    }),
  ),
  receiverScenario('events/unknown-partner-and-order', 'An event of an unknown partner or order is taken', [
    ...soundSteps('RECV-20', 'a partner_id that is not known is an error here; a failed delivery only comes again', {
      unknown_partner: { partner: 'unknown' },
    }),
    ...soundSteps('RECV-20', 'an unknown order is an error here; a hosted sale has no earlier event', {
      unknown_order_transfer_started: { type: 'order.transfer_started', order: {} },
      unknown_order_refunded: { type: 'order.refunded', order: {} },
    }),
  ]),
  receiverScenario(
    'bodies/large',
    'A large event is taken',
    soundSteps('RECV-18', 'the length of a body is limited to less; the document names no limit', {
      sixteen_kibibytes: ofLength(16),
      sixty_four_kibibytes: ofLength(64),
    }),
  ),
  receiverScenario(
    'headers/spelling',
    'The name of the header counts, however it is spelled',
    soundSteps('RECV-24', 'the name of the header is looked up in one spelling only', {
      X_Partner_Signature: { headerName: 'X-Partner-Signature' },
      X_PARTNER_SIGNATURE: { headerName: 'X-PARTNER-SIGNATURE' },
      x_Partner_signature: { headerName: 'x-Partner-signature' },
    }),
  ),
]

/** @param own payloads of the partner's own, each as often as they gave it. */
export function ownEventsScenario(own: readonly OwnEvent[]): ReceiverScenario[] {
  if (own.length === 0) return []
  const steps = own.flatMap(({ type, data }, at) =>
    soundSteps('RECV-01', `the ${type} that --events gave is not taken`, {
      [`event_${at + 1}`]: { type, data },
    }),
  )
  return [receiverScenario('events/own', "The events of the partner's own file are taken", steps)]
}
