import { createHash } from 'node:crypto'
import { EVENT_TYPES } from '../../contract/event-types.ts'
import { signWebhook } from '../../contract/signature.ts'
import { type Check, failure, unproven } from '../format/expectations/check.ts'
import { inKeyOrder } from '../http/json-body.ts'
import { placed } from '../judge/placed-check.ts'
import type { CheckResult } from '../result/result.ts'
import {
  bodyTextOf,
  type Courier,
  checksOf,
  courseStep,
  type Envelope,
  inTime,
  inWords,
  judgeValid,
  opaqueId,
  type ReceiverScenario,
  receiverScenario,
  type Sent,
  type SentDelivery,
  standingOf,
  stepOf,
  type ValidWish,
  validSteps,
} from './courier.ts'
import { sortedText } from './forged-scenarios.ts'

/**
 * Ways to write an event down that are as valid as the usual one. They come out differently if they are parsed and written again;
 * text and numbers that do so are in a note.
 */
const BODY_FORMS: Readonly<Record<string, ValidWish>> = {
  indented: { write: (event) => JSON.stringify(event, null, 2) },
  tabs_and_crlf: { write: (event) => JSON.stringify(event, null, '\t').replaceAll('\n', '\r\n') },
  spaced: rewritten((text) => text.replaceAll('":', '": ').replaceAll(',"', ', "')),
  newline_at_the_end: rewritten((text) => `${text}\n`),
  blanks_around: rewritten((text) => ` ${text} `),
  sorted_keys: { write: (event) => JSON.stringify(inKeyOrder(event)) },
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

function rewritten(change: (text: string) => string): ValidWish {
  return { write: (event) => change(bodyTextOf(event)) }
}

function withNote(note: string, change = (text: string): string => text): ValidWish {
  return { type: 'brokerage.case_completed', note, ...rewritten(change) }
}

function ascii(json: string): string {
  return json.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const DAY_MS = 86_400_000

/** An event of more than this many kibibytes, unusual only in its length. */
export function ofLength(kibibytes: number): ValidWish {
  return { type: 'brokerage.case_completed', note: 'x'.repeat(kibibytes * 1_024) }
}

/** What every receiver takes. */
export const VALID_SCENARIOS: readonly ReceiverScenario[] = [
  receiverScenario(
    'events/every-type',
    'Every event type of the document is taken',
    validSteps(
      'RECV-01',
      'this event type is not expected, or its payload is asked for more than the document promises',
      Object.fromEntries(EVENT_TYPES.map((type) => [stepOf(type), { type }])),
    ),
  ),
  receiverScenario(
    'raw-body/forms',
    'The signature is made over the bytes that came, however they are written',
    validSteps(
      'RECV-03',
      'the signature is made over something else than the bytes that came: take the body before any parser does',
      BODY_FORMS,
    ),
  ),
  receiverScenario(
    'events/old',
    'An event is taken however old it is',
    validSteps('RECV-14', 'created_at is held against the clock, though a delivery may be repeated for days', {
      three_days_old: { ageMs: 3 * DAY_MS },
      a_year_old: { ageMs: 365 * DAY_MS },
      two_minutes_ahead: { ageMs: -120_000 },
    }),
  ),
  receiverScenario(
    'events/unknown-types',
    'An event type that is not known is taken',
    validSteps('RECV-15', 'an event type that is not known is an error here; take it and leave it alone', {
      of_an_order: { type: 'order.domain_renewed' },
      of_a_transfer: { type: 'transfer.started' },
      of_another_family: { type: 'partner.terms_changed' },
    }),
  ),
  receiverScenario(
    'events/unknown-members',
    'Members that are not known are ignored',
    validSteps('RECV-16', 'members that are not known are refused; leave them alone', {
      in_the_envelope: { write: (event) => JSON.stringify({ ...event, api_version: '2027-01', attempt: 1 }) },
      in_data: {
        write: (event) => JSON.stringify({ ...event, data: { ...event.data, previous: { status: null } } }),
      },
      in_the_order: { type: 'order.settled', order: { labels: ['new'], buyer: null } },
    }),
  ),
  receiverScenario('events/unknown-partner-and-order', 'An event of an unknown partner or order is taken', [
    ...validSteps('RECV-20', 'a partner_id that is not known is an error here; a failed delivery only comes again', {
      unknown_partner: { partner: 'unknown' },
    }),
    ...validSteps('RECV-20', 'an unknown order is an error here; a hosted sale has no earlier event', {
      unknown_order_transfer_started: { type: 'order.transfer_started', order: {} },
      unknown_order_refunded: { type: 'order.refunded', order: {} },
    }),
  ]),
  receiverScenario(
    'bodies/large',
    'A large event is taken',
    validSteps('RECV-18', 'the length of a body is limited to less; the document names no limit', {
      sixteen_kibibytes: ofLength(16),
      sixty_four_kibibytes: ofLength(64),
    }),
  ),
  receiverScenario(
    'headers/spelling',
    'The name of the header counts, however it is spelled',
    validSteps('RECV-24', 'the name of the header is looked up in one spelling only', {
      X_Partner_Signature: { headerName: 'X-Partner-Signature' },
      X_PARTNER_SIGNATURE: { headerName: 'X-PARTNER-SIGNATURE' },
      x_Partner_signature: { headerName: 'x-Partner-signature' },
    }),
  ),
]

/** @param own payloads of the partner's own, each as often as they gave it. */
export function ownEventsScenario(own: readonly Pick<Envelope, 'type' | 'data'>[]): ReceiverScenario[] {
  if (own.length === 0) return []
  const steps = own.flatMap(({ type, data }, at) =>
    validSteps('RECV-01', `the ${type} that --events gave is not taken`, {
      [`event_${at + 1}`]: { type, data },
    }),
  )
  return [receiverScenario('events/own', "The events of the partner's own file are taken", steps)]
}

/** Signs a body in some other way. */
type OtherWay = (body: Buffer, secret: string) => string

/** What receivers are often written for instead, in words that end "when its signature is". */
const OTHER_WAYS: readonly (readonly [words: string, sign: OtherWay])[] = [
  ['sent with the prefix v1=, as calls have it', (body, secret) => `v1=${signWebhook(secret, body)}`],
  ['sent with the prefix sha256=', (body, secret) => `sha256=${signWebhook(secret, body)}`],
  ['sent in upper case', (body, secret) => signWebhook(secret, body).toUpperCase()],
  ['sent in base64', (body, secret) => Buffer.from(signWebhook(secret, body), 'hex').toString('base64')],
  ['made over its JSON with sorted keys', (body, secret) => signWebhook(secret, sortedText(body))],
  ['made over its JSON with a space after each colon and comma', (body, secret) => signWebhook(secret, spaced(body))],
  [
    'made over the hash of its body',
    (body, secret) => signWebhook(secret, Buffer.from(createHash('sha256').update(body).digest('hex'), 'utf8')),
  ],
  ['made with the secret and a newline at its end', (body, secret) => signWebhook(`${secret}\n`, body)],
  ['made with an empty secret', (body) => signWebhook('', body)],
]

/** What a refused receiver would have taken instead, as a sentence; null if that is not known. */
async function explainRefusal(courier: Courier, status: number): Promise<string | null> {
  if (status === 404 || status === 405) return `it answers ${status}: is this the address that takes deliveries?`
  for (const [words, sign] of OTHER_WAYS) {
    const valid = courier.valid()
    const sent = await courier.deliver({ ...valid, signatures: [sign(valid.body, courier.secret)] })
    if (standingOf(sent, courier) === 'taken') return `it accepts an event whose signature is ${words}`
  }
  return null
}

function spaced(body: Buffer): Buffer {
  return Buffer.from(body.toString('utf8').replaceAll('":', '": ').replaceAll(',"', ', "'), 'utf8')
}

/** The most deliveries that the service may have under way at once. */
export const AT_ONCE = 8

const FIRST_ROW = {
  step: 'first',
  shows: 'RECV-01',
  cause:
    'the receiver has another secret, or expects another signature; "npx partner-sandbox verify webhook" explains one',
}

const SHOWN_BY_THE_FIRST = ['RECV-01', 'RECV-02', 'RECV-21']

const FIRST_STEP: ReceiverScenario['steps'][number] = {
  checks: SHOWN_BY_THE_FIRST.map((requirement) => ({ step: 'first', requirement })),
  async run(courier) {
    const [own, ...found] = await judgeValid(courier, FIRST_ROW)
    if (!own) return found
    const status = courier.sent.at(-1)?.status ?? null
    const why =
      own.verdict === 'fail' && status !== null && status >= 400 && status < 500
        ? await explainRefusal(courier, status)
        : null
    // The check reports what was found against the other two; the rest follows from the answer that came.
    return [why === null ? own : { ...own, note: why }, ...found, ...following(own, found)]
  },
}

function following(own: CheckResult, found: readonly CheckResult[]): CheckResult[] {
  const { note: _, ...rest } = own
  const reported = new Set([own, ...found].map(({ requirement }) => requirement))
  const verdict = own.verdict === 'pass' ? 'pass' : 'inconclusive'
  return SHOWN_BY_THE_FIRST.filter((id) => !reported.has(id)).map((requirement) => ({ ...rest, requirement, verdict }))
}

/** The first delivery decides whether anything else is worth sending. */
export const FIRST: ReceiverScenario = receiverScenario(
  'events/first',
  'A valid delivery is accepted, in time and where it was sent',
  [FIRST_STEP],
)

/** Eight at once, and eight more if that failed; the run continues in parallel only if it went well. */
export const AT_THE_SAME_TIME: ReceiverScenario = receiverScenario(
  'timing/at-the-same-time',
  'Deliveries that come at the same time are all accepted, in time',
  [
    courseStep('RECV-19', numbered(AT_ONCE), async (courier) => {
      const first = await allAtOnce(courier)
      const isFine = first.every((sent) => standingOf(sent, courier) === 'taken')
      const last = isFine ? first : await allAtOnce(courier)
      return last.map((sent, at) => togetherCheck(courier, `delivery_${at + 1}`, sent, isFine))
    }),
  ],
)

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `delivery_${at + 1}`)
}

function allAtOnce(courier: Courier): Promise<Sent[]> {
  return Promise.all(numbered(AT_ONCE).map(() => courier.deliver(courier.valid())))
}

function togetherCheck(courier: Courier, step: string, sent: Sent, isFine: boolean): CheckResult {
  const expected = `${inTime(courier)}, each of ${AT_ONCE}`
  return placed(step, 'RECV-19', expected, sent.exchange, togetherJudgment(courier, sent, isFine))
}

function togetherJudgment(courier: Courier, sent: Sent, isFine: boolean): Check {
  const actual = inWords(sent)
  if (standingOf(sent, courier) !== 'taken')
    return failure(actual, 'deliveries are accepted one after the other, or block each other')
  return isFine ? { verdict: 'pass', actual } : unproven(actual, 'not all went well the first time')
}

const REPEATS = ['at_once', 'later', 'at_the_same_time', 'at_the_same_time_too']

const REPEATED = receiverScenario('events/repeated', 'An event that comes again is accepted again', [
  courseStep('RECV-13', REPEATS, async (courier) => {
    const [one, other] = [courier.valid(), courier.valid()]
    const cause =
      'a repeat is an error here, so the service goes on repeating; answer it as the first one and do nothing'
    const again = (step: string, delivery: SentDelivery) =>
      judgeValid(courier, { step, shows: 'RECV-13', cause }, delivery)
    await courier.deliver(one)
    const atOnce = await again('at_once', one)
    const together = await Promise.all([again('at_the_same_time', other), again('at_the_same_time_too', other)])
    return [atOnce, await again('later', one), ...together].flat()
  }),
])

/** The life of an order backwards, so that no event finds what it follows from. */
const BACKWARDS = [
  'order.settled',
  'order.transfer_completed',
  'order.transfer_started',
  'order.recorded',
  'order.refunded',
]

function outOfOrder(): ReceiverScenario {
  const publicId = opaqueId('order')
  const cause = 'an event is refused because one before it is missing; the order of deliveries is not promised'
  const wishes = Object.fromEntries(BACKWARDS.map((type) => [stepOf(type), { type, publicId }]))
  const steps = validSteps('RECV-17', cause, wishes)
  return receiverScenario('events/out-of-order', 'Events are accepted in any order', steps)
}

const KEPT_ALIVE = 3

const KEEP_ALIVE = receiverScenario(
  'headers/keep-alive',
  'Deliveries that share a connection are each accepted',
  [
    courseStep('RECV-25', numbered(KEPT_ALIVE), async (courier) => {
      const checks: CheckResult[] = []
      for (const step of numbered(KEPT_ALIVE)) checks.push(...(await keptAlive(courier, step)))
      return checks
    }),
  ],
  { alone: true },
)

/** The receiver may close a connection between two deliveries: the second try opens its own. */
async function keptAlive(courier: Courier, step: string): Promise<CheckResult[]> {
  const cause = 'something of the delivery before is left on the connection'
  const first = await courier.deliver(courier.valid({ connection: 'keep-alive' }))
  const isClosed = first.broken?.reason === 'reset'
  const counted = isClosed ? await courier.deliver(courier.valid()) : first
  return checksOf(courier, { step, shows: 'RECV-25', cause }, [counted])
}

/** Made for each run: its order is one that no other run has. */
export function courseScenarios(): ReceiverScenario[] {
  return [REPEATED, outOfOrder(), KEEP_ALIVE]
}
