import { createHash, createHmac, randomBytes } from 'node:crypto'
import { EVENT_TYPES } from '../../contract/event-types.ts'
import { HEADERS, SIGNATURE_PREFIX } from '../../contract/headers.ts'
import { signWebhook } from '../../contract/signature.ts'
import { type Check, failure, unproven } from '../format/expectations/check.ts'
import { inKeyOrder, parseJson } from '../http/json-body.ts'
import { placed } from '../judge/placed-check.ts'
import type { CheckResult } from '../result/result.ts'
import {
  type Courier,
  courseStep,
  type Envelope,
  inWords,
  judgeValid,
  type ReceiverScenario,
  receiverScenario,
  type Sent,
  type SentDelivery,
  type Standing,
  standingOf,
  stepOf,
} from './courier.ts'

/** What there is to make a forgery of. */
interface Original {
  body: Buffer
  /** The signature that would be right. */
  right: string
  secret: string
  event: Envelope
  courier: Courier
}

/** What is sent in place of the valid delivery: another signature, or more than that. */
type Forge = (original: Original) => string | Partial<SentDelivery>

/** One way to get it wrong on purpose: its name, how, and what a receiver that takes it most likely does. */
type ForgeryRow = readonly [step: string, forge: Forge, cause: string]

/** @param twin the valid delivery of the event. */
export function forgedFrom(courier: Courier, twin: ReturnType<Courier['valid']>, forge: Forge): SentDelivery {
  const { secret } = courier
  const { body, event } = twin
  const forged = forge({ body, right: signWebhook(secret, body), secret, event, courier })
  return { ...twin, ...(typeof forged === 'string' ? { signatures: [forged] } : forged) }
}

/** Signed under another secret. */
export const underAnotherSecret: Forge = ({ body }) => signWebhook(randomBytes(24).toString('hex'), body)

const unsigned: Forge = () => ({ signatures: [] })

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
const WRONG_KEYS: readonly ForgeryRow[] = [
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
function leftoverSecrets(secret: string): ForgeryRow[] {
  return LEFTOVERS.filter((word) => word !== secret).map((word) => [
    word === '' ? 'empty_secret' : `secret_${word.toLowerCase()}`,
    ({ body }) => signWebhook(word, body),
    `${word === '' ? 'an empty secret' : `"${word}"`} is a second secret that counts, as where a configuration was not filled in`,
  ])
}

const NO_HEADER = `what has no ${HEADERS.signature} is let through`

/** No signature: RECV-05. */
const NO_SIGNATURE: readonly ForgeryRow[] = [
  ['no_header', unsigned, NO_HEADER],
  ['empty_header', () => '', 'an empty signature is let through'],
]

const NOT_EXACT = 'the value is cleaned up before it is compared, or only a part of it is compared'

/** The right digest in a wrong dress: RECV-06. */
const WRONG_FORMS: readonly ForgeryRow[] = [
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
const NOT_ALL_BYTES = 'only some members of the event are signed over, not all of the bytes'
const flip = (digit: string): string => (digit === '0' ? '1' : '0')

/** Another digest: RECV-07. */
const WRONG_DIGESTS: readonly ForgeryRow[] = [
  ['first_digit_changed', ({ right }) => flip(right.slice(0, 1)) + right.slice(1), 'only the end is compared'],
  ['last_digit_changed', ({ right }) => right.slice(0, -1) + flip(right.slice(-1)), 'only the beginning is compared'],
  ['zeros', () => '0'.repeat(64), 'zeros count as a signature'],
  ['random_digits', () => randomBytes(32).toString('hex'), NOT_COMPARED],
  [
    'of_another_event',
    ({ courier, event }) => ({ signatures: courier.valid({ type: event.type }).signatures }),
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
const CHANGED_BODIES: readonly ForgeryRow[] = [
  ['amount_changed', rewritten((text) => text.replace(/\d{4,}(?=[,}])/, (digits) => `9${digits}`)), NOT_ALL_BYTES],
  ['id_changed', rewritten((text) => text.replace(/("id":"evt_)./, '$1z')), NOT_ALL_BYTES],
  ['blank_appended', rewritten((text) => `${text} `), TRIMMED],
  ['newline_appended', rewritten((text) => `${text}\n`), TRIMMED],
  ['newline_before', rewritten((text) => `\n${text}`), TRIMMED],
  ['indented_after', rewritten((text) => JSON.stringify(JSON.parse(text), null, 2)), PARSED],
  ['sorted_after', rewritten((text) => JSON.stringify(inKeyOrder(JSON.parse(text)))), `${PARSED}, with sorted keys`],
  ['escaped_after', rewritten((text) => text.replace('"type"', '"t\\u0079pe"')), PARSED],
  ['key_repeated', rewritten((text) => `${text.slice(0, -1)},"type":"order.refunded"}`), NOT_ALL_BYTES],
  ['sorted_before', ({ body, secret }) => signWebhook(secret, sortedText(body)), `${PARSED}, with sorted keys`],
  [
    'data_alone',
    ({ event, secret }) => signWebhook(secret, Buffer.from(JSON.stringify(event.data), 'utf8')),
    'the payload is verified, and the envelope around it is not',
  ],
  ['emptied', () => ({ body: Buffer.alloc(0) }), 'a delivery without a body is let through'],
]

/** Signed as it was, sent as it has become. What a change finds nothing to do with gets a blank: it must not stay valid. */
function rewritten(change: (text: string) => string): Forge {
  return ({ body }) => {
    const text = body.toString('utf8')
    const changed = change(text)
    return { body: Buffer.from(changed === text ? text.replace('{', '{ ') : changed, 'utf8') }
  }
}

/** A JSON text with sorted keys, as some sign it. */
export function sortedText(body: Buffer): Buffer {
  return Buffer.from(JSON.stringify(inKeyOrder(JSON.parse(body.toString('utf8')))), 'utf8')
}

const ODD_FORM = 'a signature that cannot be a digest of 64 hex digits is let through'
const NOT_JSON = 'a body that is not JSON is let through before its signature is verified'

/** What a comparison may fall over: RECV-11. */
const STRANGE_SIGNATURES: readonly ForgeryRow[] = [
  ['nothing', unsigned, NO_HEADER],
  ['too_short', () => 'ab', ODD_FORM],
  ['odd_digits', ({ right }) => right.slice(1), ODD_FORM],
  ['no_digits', () => '%00%ff;<script>=;,', ODD_FORM],
  ['beyond_ascii', () => '\u00e9'.repeat(64), ODD_FORM],
  ['four_kibibytes', () => 'f'.repeat(4_096), ODD_FORM],
  [
    'body_no_json',
    ({ courier }) => ({ body: Buffer.from('{"id":'), signatures: courier.valid().signatures }),
    NOT_JSON,
  ],
  ['body_no_utf8', () => ({ body: Buffer.from('7b22ff22c3283a317d', 'hex') }), NOT_JSON],
]

/** Refused by an answer, and not by falling over. */
const BY_AN_ANSWER = 'RECV-11'

/** A step for each of these, which all show the same: a valid event of this type, sent in a wrong way. */
function forgedSteps(shows: string, rows: readonly ForgeryRow[], type = 'order.recorded'): ReceiverScenario['steps'] {
  return rows.map((row) => forgedStep(shows, row, (courier) => courier.valid({ type })))
}

/** The same where the valid event is sent first, so that its id is known. */
function forgedAfterValid(shows: string, rows: readonly ForgeryRow[]): ReceiverScenario['steps'] {
  return rows.map((row) =>
    forgedStep(shows, row, async (courier) => {
      const twin = courier.valid()
      return standingOf(await courier.deliver(twin), courier) === 'taken' ? twin : null
    }),
  )
}

/** Makes the valid delivery of an event; null if what has to come before its forgery did not come about. */
type MakeTwin = (courier: Courier) => Promise<ReturnType<Courier['valid']> | null> | ReturnType<Courier['valid']>

function forgedStep(shows: string, row: ForgeryRow, makeTwin: MakeTwin): ReceiverScenario['steps'][number] {
  return courseStep(shows, [row[0]], (courier) => judgeForged(courier, shows, row, makeTwin))
}

/**
 * Sends what must be refused, then its twin: a receiver that refuses everything shows nothing. A 5xx, a redirect or silence is
 * not a refusal, since the runner cannot know whether the event was dealt with before; if that happens twice while the twin is
 * taken, RECV-11 is violated and the rest stays open.
 */
async function judgeForged(
  courier: Courier,
  shows: string,
  [step, forge, cause]: ForgeryRow,
  makeTwin: MakeTwin,
): Promise<CheckResult[]> {
  const tries: Sent[] = []
  for (let twin = await makeTwin(courier); twin !== null; twin = await makeTwin(courier)) {
    const sent = await courier.deliver(forgedFrom(courier, twin, forge))
    tries.push(sent)
    const standing = standingOf(sent, courier)
    if (ACCEPTED.includes(standing)) {
      const isVerified = !ACCEPTED.includes(await standingOfForgery(courier))
      const why = isVerified ? cause : shows === ROOT ? UNVERIFIED : `as ${ROOT}: ${UNVERIFIED}`
      return [checked(step, shows, tries, failure(inTurn(tries), why))]
    }
    const isOver = standing === 'refused' || standing === 'throttled' || tries.length === 2
    if (isOver) return besideTwin(courier, { step, shows }, tries, twin)
  }
  return [checked(step, shows, tries, unproven(inTurn(tries), 'the delivery that had to come first was not accepted'))]
}

async function besideTwin(
  courier: Courier,
  { step, shows }: { step: string; shows: string },
  tries: readonly Sent[],
  twin: SentDelivery,
): Promise<CheckResult[]> {
  const valid = await courier.deliver(twin)
  const isTaken = standingOf(valid, courier) === 'taken'
  const actual = inTurn(tries)
  const beside = (requirement: string, check: Check) =>
    checked(step, requirement, tries, { ...check, twin: `the valid delivery of the same event: ${inWords(valid)}` })
  const standings = tries.map((sent) => standingOf(sent, courier))
  if (standings.at(-1) === 'refused') {
    if (!isTaken)
      return [beside(shows, unproven(actual, 'the valid delivery of the same event was not accepted either', ACCEPT))]
    if (tries.length > 1)
      return [beside(shows, unproven(actual, 'what went wrong first did not happen again', LOOK_AT_LOG))]
    return [beside(shows, { verdict: 'pass', actual })]
  }
  const own = beside(shows, unproven(actual, 'that is not a refusal: the event may have been processed before', REFUSE))
  if (standings.includes('throttled') || !isTaken) return [own]
  const finding = beside(BY_AN_ANSWER, failure(actual, await whyNotRefused(courier, tries)))
  return shows === BY_AN_ANSWER ? [finding] : [own, finding]
}

const ACCEPTED: readonly Standing[] = ['taken', 'late']

/** What is violated first where nothing is verified. */
const ROOT = 'RECV-04'

/** What comes of a delivery that is as it should be, but for the secret: what many failures may have as their cause. */
function standingOfForgery(courier: Courier): Promise<Standing> {
  const send = async () =>
    standingOf(await courier.deliver(forgedFrom(courier, courier.valid(), underAnotherSecret)), courier)
  courier.shared.forgery ??= send()
  return courier.shared.forgery
}

async function whyNotRefused(courier: Courier, tries: readonly Sent[]): Promise<string> {
  const standings = tries.map((sent) => standingOf(sent, courier))
  if (standings.includes(await standingOfForgery(courier))) return ALWAYS
  if (tries.some(({ delivery }) => parseJson(delivery.body) === undefined)) return PARSED_FIRST
  const isOfLength = tries.every(
    ({ delivery: { signatures } }) => Buffer.byteLength(signatures.join()) === DIGEST_BYTES,
  )
  return isOfLength ? FALLS_OVER : `${FALLS_OVER}, as a comparison of unequal lengths may`
}

/** Of a right signature. */
const DIGEST_BYTES = 64

const EXPECTED = 'a 4xx: this delivery is not from the service'
const ALWAYS = 'any wrong signature is answered like this; answer it with a 4xx'
const FALLS_OVER = 'comparing the signature crashes instead of refusing'
const PARSED_FIRST =
  'the body is parsed before its signature is verified, and one that is not JSON crashes the receiver'

const ACCEPT = 'First make the receiver accept the valid delivery of the same event: check its log at that time.'
const LOOK_AT_LOG = 'Check the log of the receiver at the time of the first answer, then run it again.'
const REFUSE = 'Make the receiver refuse this delivery with a 4xx before it does anything else, then run it again.'

function checked(step: string, requirement: string, tries: readonly Sent[], check: Check): CheckResult {
  return placed(step, requirement, EXPECTED, tries.at(-1)?.exchange ?? null, check)
}

function inTurn(tries: readonly Sent[]): string {
  return tries.length === 0 ? 'not sent' : tries.map(inWords).join('; then ')
}

/** What no receiver takes. @param secret of the receiver; it is not tried as a wrong one. */
export function forgedScenarios(secret: string): ReceiverScenario[] {
  const forged = (id: string, title: string, shows: string, rows: readonly ForgeryRow[]) =>
    receiverScenario(id, title, forgedSteps(shows, rows))
  return [
    forged('signature/key', 'A signature under another key is refused', 'RECV-04', WRONG_KEYS),
    forged(
      'signature/leftover-secrets',
      'No secret counts beside the one that was registered',
      'RECV-04',
      leftoverSecrets(secret),
    ),
    forged('signature/missing', 'An event without a signature is refused', 'RECV-05', NO_SIGNATURE),
    forged('signature/form', 'Only the bare lower-case hex digest counts', 'RECV-06', WRONG_FORMS),
    forged('signature/digest', 'Another digest is refused', 'RECV-07', WRONG_DIGESTS),
    forged('signature/body', 'A body that was changed after signing is refused', 'RECV-08', CHANGED_BODIES),
    forged('signature/strange', 'An odd signature is refused by an answer', 'RECV-11', STRANGE_SIGNATURES),
    receiverScenario('signature/every-type', 'Every event type is verified', TYPES.flatMap(forgedOfType)),
    receiverScenario(
      'signature/known-id',
      'An event that is known already is verified again',
      forgedAfterValid('RECV-10', KNOWN_ID),
    ),
    NOT_SPOILT,
  ]
}

const TYPES = [...EVENT_TYPES, 'order.domain_renewed']

function forgedOfType(type: string) {
  const cause = 'this event type is accepted before its signature is checked'
  return forgedSteps('RECV-09', [[stepOf(type), underAnotherSecret, cause]], type)
}

const KNOWN = 'an id that is known is answered before its signature was looked at, or is remembered as verified'

const KNOWN_ID: readonly ForgeryRow[] = [
  ['under_another_secret', underAnotherSecret, KNOWN],
  ['without_signature', unsigned, KNOWN],
  [
    'with_its_first_signature',
    ({ event }) => ({ body: Buffer.from(JSON.stringify({ ...event, type: 'order.refunded' }), 'utf8') }),
    KNOWN,
  ],
]

const NOT_SPOILT = receiverScenario(
  'signature/forged-first',
  'A forged delivery does not keep out the valid one of the same event',
  [
    courseStep('RECV-12', ['sound_after_forged'], async (courier) => {
      const valid = courier.valid()
      await courier.deliver(forgedFrom(courier, valid, underAnotherSecret))
      const cause = 'the id of a forged delivery is remembered, or its sender is blocked'
      return judgeValid(courier, { step: 'sound_after_forged', shows: 'RECV-12', cause }, valid)
    }),
  ],
)
