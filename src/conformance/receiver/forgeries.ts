import { createHash, createHmac, randomBytes } from 'node:crypto'
import { HEADERS, SIGNATURE_PREFIX } from '../../contract/headers.ts'
import { signWebhook } from '../../contract/webhook-signature.ts'
import type { Bench } from './bench.ts'
import type { Delivery } from './delivery.ts'
import type { Envelope } from './event-maker.ts'
import type { ForgedStep } from './judge-forged.ts'

/** What there is to make a forgery of. */
interface Original {
  body: Buffer
  /** The signature that would be right. */
  right: string
  secret: string
  event: Envelope
  bench: Bench
}

type Forge = (original: Original) => Pick<Delivery, 'signatures'> & Partial<Delivery>

/** One way to get it wrong on purpose: its name, how, and what a receiver that takes it most likely does. */
type Row = readonly [step: string, forge: Forge, cause: string]

/** A sound event of this type, sent in a wrong way; the twin is the event as it should be. */
export function forgedStep(shows: string, [step, forge, cause]: Row, type = 'order.recorded'): ForgedStep {
  return {
    step,
    shows,
    cause,
    make(bench) {
      const event = bench.event(type)
      const twin = bench.sound(event)
      return { forged: forgedFrom(bench, twin, event, forge), twin }
    },
  }
}

/** @param twin the sound delivery of the event. */
export function forgedFrom(bench: Bench, twin: Delivery, event: Envelope, forge: Forge): Delivery {
  const { secret } = bench
  return {
    event,
    body: twin.body,
    ...forge({ body: twin.body, right: signWebhook(secret, twin.body), secret, event, bench }),
  }
}

/** Signed under another secret. */
export const underAnotherSecret: Forge = ({ body }) => ({
  signatures: [signWebhook(randomBytes(24).toString('hex'), body)],
})

const UNVERIFIED = 'the signature is not verified at all, or only its form is'

/** What stands in a configuration that nobody has filled in, or that was filled in by a template. */
const LEFTOVERS = [
  '',
  'undefined',
  'null',
  'None',
  'secret',
  'test',
  'changeme',
  'webhook_secret',
  'your_webhook_secret',
]

/** Whose key: RECV-04. */
export const WRONG_KEYS: readonly Row[] = [
  ['another_secret', underAnotherSecret, UNVERIFIED],
  [
    'secret_with_newline',
    ({ body, secret }) => ({ signatures: [signWebhook(`${secret}\n`, body)] }),
    'the secret is read from a file with the end of its line',
  ],
  [
    'without_key',
    ({ body }) => ({ signatures: [createHash('sha256').update(body).digest('hex')] }),
    'a plain hash of the body is compared, which anybody can make',
  ],
]

/** The same for secrets that nobody chose; one that is the receiver's own is left out. */
export function leftoverSecrets(secret: string): Row[] {
  return LEFTOVERS.filter((word) => word !== secret).map((word) => [
    word === '' ? 'empty_secret' : `secret_${word.toLowerCase()}`,
    ({ body }) => ({ signatures: [signWebhook(word, body)] }),
    `${word === '' ? 'an empty secret' : `"${word}"`} is a second secret that counts, as where a configuration was not filled in`,
  ])
}

/** No signature: RECV-05. */
export const NO_SIGNATURE: readonly Row[] = [
  ['no_header', () => ({ signatures: [] }), `what has no ${HEADERS.signature} is let through`],
  ['empty_header', () => ({ signatures: [''] }), 'an empty signature is let through'],
]

const NOT_EXACT = 'the value is cleaned up before it is compared, or only a part of it is compared'

/** The right digest in a wrong dress: RECV-06. */
export const WRONG_FORMS: readonly Row[] = [
  [
    'prefix_v1',
    ({ right }) => ({ signatures: [SIGNATURE_PREFIX + right] }),
    'the prefix of the other scheme is taken off',
  ],
  ['prefix_sha256', ({ right }) => ({ signatures: [`sha256=${right}`] }), 'a prefix is taken off'],
  ['upper_case', ({ right }) => ({ signatures: [right.toUpperCase()] }), 'hex is compared without regard to case'],
  ['first_half', ({ right }) => ({ signatures: [right.slice(0, 32)] }), NOT_EXACT],
  ['first_digit', ({ right }) => ({ signatures: [right.slice(0, 1)] }), NOT_EXACT],
  ['one_digit_short', ({ right }) => ({ signatures: [right.slice(0, -1)] }), NOT_EXACT],
  ['two_digits_more', ({ right }) => ({ signatures: [`${right}00`] }), NOT_EXACT],
  [
    'letters_behind',
    ({ right }) => ({ signatures: [`${right}zz`] }),
    'a hex decoder stops at the first letter that is no digit',
  ],
  ['base64', ({ right }) => ({ signatures: [Buffer.from(right, 'hex').toString('base64')] }), 'base64 counts as well'],
  ['twice_in_one', ({ right }) => ({ signatures: [`${right}, ${right}`] }), NOT_EXACT],
]

const NOT_COMPARED = 'the form of the signature is looked at, not its value'
const flip = (digit: string): string => (digit === '0' ? '1' : '0')

/** Another digest: RECV-07. */
export const WRONG_DIGESTS: readonly Row[] = [
  ['first_digit_changed', ({ right }) => ({ signatures: [flip(right.slice(0, 1)) + right.slice(1)] }), NOT_COMPARED],
  [
    'last_digit_changed',
    ({ right }) => ({ signatures: [right.slice(0, -1) + flip(right.slice(-1))] }),
    'only the beginning is compared',
  ],
  ['zeros', () => ({ signatures: ['0'.repeat(64)] }), NOT_COMPARED],
  ['random_digits', () => ({ signatures: [randomBytes(32).toString('hex')] }), NOT_COMPARED],
  [
    'of_another_event',
    ({ bench, event }) => ({ signatures: bench.sound(bench.event(event.type)).signatures }),
    'a signature that was right once is taken for every event',
  ],
  [
    'of_nothing',
    ({ secret }) => ({ signatures: [signWebhook(secret, Buffer.alloc(0))] }),
    'the body was read before, so nothing is hashed',
  ],
  [
    'two_wrong_headers',
    () => ({ signatures: [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')] }),
    'a list of signatures is not compared at all',
  ],
  [
    'sha1',
    ({ body, secret }) => ({ signatures: [createHmac('sha1', secret).update(body).digest('hex')] }),
    'a weaker hash counts as well',
  ],
]

const PARSED = 'the signature is made over the JSON written anew, not over the bytes that came'
const TRIMMED = 'blanks around the body are taken off before the signature is made'

/** Something else was signed: RECV-08. */
export const CHANGED_BODIES: readonly Row[] = [
  ['amount_changed', rewritten((text) => text.replace(/\d{4,}(?=[,}])/, (digits) => `9${digits}`)), NOT_COMPARED],
  ['id_changed', rewritten((text) => text.replace(/("id":"evt_)./, '$1z')), NOT_COMPARED],
  ['blank_appended', rewritten((text) => `${text} `), TRIMMED],
  ['newline_appended', rewritten((text) => `${text}\n`), TRIMMED],
  ['newline_before', rewritten((text) => `\n${text}`), TRIMMED],
  ['indented_after', rewritten((text) => JSON.stringify(JSON.parse(text), null, 2)), PARSED],
  ['sorted_after', rewritten((text) => JSON.stringify(keysSorted(JSON.parse(text)))), `${PARSED}, with sorted keys`],
  ['escaped_after', rewritten((text) => text.replace('"type"', '"t\\u0079pe"')), PARSED],
  [
    'key_repeated',
    rewritten((text) => `${text.slice(0, -1)},"type":"order.refunded"}`),
    'only some members of the event are signed over, not all of the bytes',
  ],
  [
    'sorted_before',
    ({ body, secret }) => ({ signatures: [signWebhook(secret, sortedText(body))] }),
    `${PARSED}, with sorted keys`,
  ],
  [
    'data_alone',
    ({ event, secret }) => ({ signatures: [signWebhook(secret, Buffer.from(JSON.stringify(event.data), 'utf8'))] }),
    'the payload is verified, and the envelope around it is not',
  ],
  ['emptied', ({ right }) => ({ body: Buffer.alloc(0), signatures: [right] }), NOT_COMPARED],
]

/** Signed as it was, sent as it has become. What a change finds nothing to do with gets a blank: it must not stay sound. */
function rewritten(change: (text: string) => string): Forge {
  return ({ body, right }) => {
    const text = body.toString('utf8')
    const changed = change(text)
    return { body: Buffer.from(changed === text ? text.replace('{', '{ ') : changed, 'utf8'), signatures: [right] }
  }
}

/** A JSON text with sorted keys, as some sign it. */
export function sortedText(body: Buffer): Buffer {
  return Buffer.from(JSON.stringify(keysSorted(JSON.parse(body.toString('utf8')))), 'utf8')
}

/** What a comparison may fall over: RECV-11. */
export const STRANGE_SIGNATURES: readonly Row[] = [
  ['nothing', () => ({ signatures: [] }), UNVERIFIED],
  ['too_short', () => ({ signatures: ['ab'] }), UNVERIFIED],
  ['odd_digits', ({ right }) => ({ signatures: [right.slice(1)] }), UNVERIFIED],
  ['no_digits', () => ({ signatures: ['%00%ff;<script>=;,'] }), UNVERIFIED],
  ['beyond_ascii', () => ({ signatures: ['\u00e9'.repeat(64)] }), UNVERIFIED],
  ['four_kibibytes', () => ({ signatures: ['f'.repeat(4_096)] }), UNVERIFIED],
  [
    'body_no_json',
    ({ bench }) => ({ body: Buffer.from('{"id":'), signatures: bench.sound(bench.event('order.recorded')).signatures }),
    UNVERIFIED,
  ],
  [
    'body_no_utf8',
    ({ right }) => ({ body: Buffer.from('7b22ff22c3283a317d', 'hex'), signatures: [right] }),
    UNVERIFIED,
  ],
]

/** The same value with the keys of every object in the order of the alphabet. */
export function keysSorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keysSorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, keysSorted(inner)]))
}
