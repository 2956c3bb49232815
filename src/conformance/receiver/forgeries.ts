import { createHash, createHmac, randomBytes } from 'node:crypto'
import { HEADERS, SIGNATURE_PREFIX } from '../../contract/headers.ts'
import { signWebhook } from '../../contract/signature.ts'
import type { Envelope } from '../signing/event-maker.ts'
import type { Courier, Delivery, SoundDelivery } from './delivery.ts'

/** What there is to make a forgery of. */
interface Original {
  body: Buffer
  /** The signature that would be right. */
  right: string
  secret: string
  event: Envelope
  courier: Courier
}

/** What is sent in place of the sound delivery: another signature, or more than that. */
type Forge = (original: Original) => string | Partial<Delivery>

/** One way to get it wrong on purpose: its name, how, and what a receiver that takes it most likely does. */
export type ForgeryRow = readonly [step: string, forge: Forge, cause: string]

/** @param twin the sound delivery of the event. */
export function forgedFrom(courier: Courier, twin: SoundDelivery, forge: Forge): Delivery {
  const { secret } = courier
  const { body, event } = twin
  const forged = forge({ body, right: signWebhook(secret, body), secret, event, courier })
  return { ...twin, ...(typeof forged === 'string' ? { signatures: [forged] } : forged) }
}

/** Signed under another secret. */
export const underAnotherSecret: Forge = ({ body }) => signWebhook(randomBytes(24).toString('hex'), body)

export const unsigned: Forge = () => ({ signatures: [] })

const UNVERIFIED = 'the signature is not verified at all, or only its form is'

/** Values of a configuration that was never filled in, or that a template filled in. */
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
export const WRONG_KEYS: readonly ForgeryRow[] = [
  ['another_secret', underAnotherSecret, UNVERIFIED],
  [
    'secret_with_newline',
    ({ body, secret }) => signWebhook(`${secret}\n`, body),
    'the secret is read from a file with the end of its line',
  ],
  [
    'without_key',
    ({ body }) => createHash('sha256').update(body).digest('hex'),
    'a plain hash of the body is compared, which any caller can make',
  ],
]

/** The same for default secrets; one that is the receiver's own is left out. */
export function leftoverSecrets(secret: string): ForgeryRow[] {
  return LEFTOVERS.filter((word) => word !== secret).map((word) => [
    word === '' ? 'empty_secret' : `secret_${word.toLowerCase()}`,
    ({ body }) => signWebhook(word, body),
    `${word === '' ? 'an empty secret' : `"${word}"`} is a second secret that counts, as where a configuration was not filled in`,
  ])
}

/** No signature: RECV-05. */
export const NO_SIGNATURE: readonly ForgeryRow[] = [
  ['no_header', unsigned, `what has no ${HEADERS.signature} is let through`],
  ['empty_header', () => '', 'an empty signature is let through'],
]

const NOT_EXACT = 'the value is cleaned up before it is compared, or only a part of it is compared'

/** The right digest in a wrong dress: RECV-06. */
export const WRONG_FORMS: readonly ForgeryRow[] = [
  ['prefix_v1', ({ right }) => SIGNATURE_PREFIX + right, 'the prefix of the other scheme is taken off'],
  ['prefix_sha256', ({ right }) => `sha256=${right}`, 'a prefix is taken off'],
  ['upper_case', ({ right }) => right.toUpperCase(), 'hex is compared without regard to case'],
  ['first_half', ({ right }) => right.slice(0, 32), NOT_EXACT],
  ['first_digit', ({ right }) => right.slice(0, 1), NOT_EXACT],
  ['one_digit_short', ({ right }) => right.slice(0, -1), NOT_EXACT],
  ['two_digits_more', ({ right }) => `${right}00`, NOT_EXACT],
  ['letters_behind', ({ right }) => `${right}zz`, 'a hex decoder stops at the first character that is not a hex digit'],
  ['base64', ({ right }) => Buffer.from(right, 'hex').toString('base64'), 'base64 counts as well'],
  ['twice_in_one', ({ right }) => `${right}, ${right}`, NOT_EXACT],
]

const NOT_COMPARED = 'the form of the signature is looked at, not its value'
const flip = (digit: string): string => (digit === '0' ? '1' : '0')

/** Another digest: RECV-07. */
export const WRONG_DIGESTS: readonly ForgeryRow[] = [
  ['first_digit_changed', ({ right }) => flip(right.slice(0, 1)) + right.slice(1), NOT_COMPARED],
  ['last_digit_changed', ({ right }) => right.slice(0, -1) + flip(right.slice(-1)), 'only the beginning is compared'],
  ['zeros', () => '0'.repeat(64), NOT_COMPARED],
  ['random_digits', () => randomBytes(32).toString('hex'), NOT_COMPARED],
  [
    'of_another_event',
    ({ courier, event }) => ({ signatures: courier.sound({ type: event.type }).signatures }),
    'a signature that was right once is accepted for every event',
  ],
  [
    'of_nothing',
    ({ secret }) => signWebhook(secret, Buffer.alloc(0)),
    'the body was read before, so nothing is hashed',
  ],
  [
    'two_wrong_headers',
    () => ({ signatures: [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')] }),
    'a list of signatures is not compared at all',
  ],
  ['sha1', ({ body, secret }) => createHmac('sha1', secret).update(body).digest('hex'), 'a weaker hash counts as well'],
]

const PARSED = 'the signature is computed over re-serialized JSON, not over the received bytes'
const TRIMMED = 'blanks around the body are taken off before the signature is made'

/** Something else was signed: RECV-08. */
export const CHANGED_BODIES: readonly ForgeryRow[] = [
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
  ['sorted_before', ({ body, secret }) => signWebhook(secret, sortedText(body)), `${PARSED}, with sorted keys`],
  [
    'data_alone',
    ({ event, secret }) => signWebhook(secret, Buffer.from(JSON.stringify(event.data), 'utf8')),
    'the payload is verified, and the envelope around it is not',
  ],
  ['emptied', () => ({ body: Buffer.alloc(0) }), NOT_COMPARED],
]

/** Signed as it was, sent as it has become. What a change finds nothing to do with gets a blank: it must not stay sound. */
function rewritten(change: (text: string) => string): Forge {
  return ({ body }) => {
    const text = body.toString('utf8')
    const changed = change(text)
    return { body: Buffer.from(changed === text ? text.replace('{', '{ ') : changed, 'utf8') }
  }
}

/** A JSON text with sorted keys, as some sign it. */
export function sortedText(body: Buffer): Buffer {
  return Buffer.from(JSON.stringify(keysSorted(JSON.parse(body.toString('utf8')))), 'utf8')
}

/** What a comparison may fall over: RECV-11. */
export const STRANGE_SIGNATURES: readonly ForgeryRow[] = [
  ['nothing', unsigned, UNVERIFIED],
  ['too_short', () => 'ab', UNVERIFIED],
  ['odd_digits', ({ right }) => right.slice(1), UNVERIFIED],
  ['no_digits', () => '%00%ff;<script>=;,', UNVERIFIED],
  ['beyond_ascii', () => '\u00e9'.repeat(64), UNVERIFIED],
  ['four_kibibytes', () => 'f'.repeat(4_096), UNVERIFIED],
  [
    'body_no_json',
    ({ courier }) => ({ body: Buffer.from('{"id":'), signatures: courier.sound().signatures }),
    UNVERIFIED,
  ],
  ['body_no_utf8', () => ({ body: Buffer.from('7b22ff22c3283a317d', 'hex') }), UNVERIFIED],
]

/** The same value with the keys of every object in the order of the alphabet. */
export function keysSorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keysSorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, keysSorted(inner)]))
}
