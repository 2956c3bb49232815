import type { SoundWish } from '../signing/delivery.ts'
import { bodyTextOf } from '../signing/event-maker.ts'
import { keysSorted } from './forgeries.ts'

/**
 * Ways to write an event down that are as sound as the usual one. They come out differently if they are parsed and written again;
 * text and numbers that do so are in a note.
 */
export const BODY_FORMS: Readonly<Record<string, SoundWish>> = {
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
