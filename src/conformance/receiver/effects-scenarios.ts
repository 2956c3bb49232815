import { randomBytes } from 'node:crypto'
import { SHORTEST_SECRET } from '../../contract/redact.ts'
import { signWebhook } from '../../contract/signature.ts'
import { type Check, failure, unproven } from '../format/expectations/check.ts'
import { createRedactor } from '../http/redact.ts'
import { placed } from '../judge/placed-check.ts'
import type { CheckResult } from '../result/result.ts'
import {
  type Courier,
  courseStep,
  inWords,
  type PartnerReceiver,
  type ReceiverScenario,
  receiverScenario,
  type Sent,
  standingOf,
} from './courier.ts'
import { forgedFrom, underAnotherSecret } from './forged-scenarios.ts'
import { ofLength } from './valid-scenarios.ts'

/** What only the partner's own count of events can show. */
export const EFFECTS_REQUIREMENTS = ['RECV-26', 'RECV-27'] as const

const REPEATED =
  'event ids are not remembered, or looked up and written down in two steps that another delivery comes between'

/** What a receiver does with what it has answered, seen through `--effects-url`. */
export const EFFECTS_SCENARIOS: readonly ReceiverScenario[] = [
  receiverScenario(
    'effects/once',
    'An event that comes several times is dealt with once',
    [
      countedStep('one_after_the_other', 'RECV-26', REPEATED, async (courier, valid) => {
        await courier.deliver(valid)
        return courier.deliver(valid)
      }),
      countedStep('at_the_same_time', 'RECV-26', REPEATED, async (courier, valid) => {
        const sent = await Promise.all([1, 2, 3].map(() => courier.deliver(valid)))
        return sent.at(-1)
      }),
    ],
    { alone: true },
  ),
  receiverScenario(
    'effects/refused',
    'What was refused is not dealt with',
    [
      countedStep(
        'forged',
        'RECV-27',
        'the event is dealt with before its signature is looked at',
        async (courier, valid) => {
          await courier.deliver(forgedFrom(courier, courier.valid(), underAnotherSecret))
          // Counted, it also shows that the count moves at all.
          return courier.deliver(valid)
        },
      ),
    ],
    { alone: true },
  ),
]

/** Counts, delivers what may be counted once, and counts again. */
function countedStep(
  step: string,
  requirement: string,
  cause: string,
  deliver: (courier: Courier, valid: ReturnType<Courier['valid']>) => Promise<Sent | undefined>,
): ReceiverScenario['steps'][number] {
  return courseStep(requirement, [step], async (courier) => {
    const checked = (check: Check, exchange: string | null = null) => [
      placed(step, requirement, 'the count of events grows by 1', exchange, check),
    ]
    const before = await courier.countEvents(0)
    const sentBefore = courier.sent.length
    if (typeof before !== 'number') return checked(notCounted(before))
    const sent = await deliver(courier, courier.valid())
    const after = await courier.countEvents(before + 1)
    if (typeof after !== 'number') return checked(notCounted(after))
    const actual = `it grew by ${after - before} (from ${before} to ${after})`
    if (after <= before || after - before > courier.sent.length - sentBefore)
      return checked(unproven(actual, 'the count does not follow what is delivered, so it shows nothing'))
    const check: Check = after - before === 1 ? { verdict: 'pass', actual } : failure(actual, cause)
    return checked(check, sent?.exchange)
  })
}

function notCounted({ why }: { why: string }): Check {
  return unproven(`no count: ${why}`, 'see --effects-url')
}

/** What the document leaves to a receiver: reported, and never held against it. */
export const OBSERVING_SCENARIOS: readonly ReceiverScenario[] = [
  observing('observed/get', 'What a GET of the address is answered', 'RECV-28', async (courier) => {
    const sent = await courier.deliver({ body: Buffer.alloc(0), signatures: [], method: 'GET' })
    return { value: answerOf(sent), sent }
  }),
  observing('observed/status', 'Which status says that a delivery was taken', 'RECV-29', async (courier) => {
    const sent = await courier.deliver(courier.valid())
    const isOther = standingOf(sent, courier) === 'taken' && sent.status !== 200
    return { value: isOther ? `${sent.status} (${NOT_200})` : answerOf(sent), sent }
  }),
  observing(
    'observed/two-headers',
    'How two signatures are handled if one of them is right',
    'RECV-30',
    async (courier) => {
      const [first, second] = await Promise.all([pair(courier, true), pair(courier, false)])
      return { value: `the right one first: ${answerOf(first)}; last: ${answerOf(second)}`, sent: second }
    },
  ),
  observing('observed/very-large', 'Whether an event of 256 KiB is taken', 'RECV-31', async (courier) => {
    const sent = await courier.deliver(courier.valid(ofLength(256)))
    return { value: answerOf(sent), sent }
  }),
]

const NOT_200 = 'the document says 200; our sandbox takes any 2xx, a stricter service may not'

function pair(courier: Courier, isFirst: boolean): Promise<Sent> {
  const valid = courier.valid()
  const wrong = randomBytes(32).toString('hex')
  return courier.deliver({
    ...valid,
    signatures: isFirst ? [...valid.signatures, wrong] : [wrong, ...valid.signatures],
  })
}

function answerOf({ status }: Sent): string {
  return status === null ? 'no answer' : String(status)
}

function observing(
  id: string,
  title: string,
  requirement: string,
  look: (courier: Courier) => Promise<{ value: string; sent: Sent }>,
): ReceiverScenario {
  const step = id.slice(id.indexOf('/') + 1).replaceAll('-', '_')
  return receiverScenario(id, title, [
    courseStep(requirement, [step], async (courier) => {
      const { value, sent } = await look(courier)
      courier.observe(requirement, value)
      const seen = { expected: 'left to the receiver', actual: inWords(sent), exchange: sent.exchange }
      return [{ step, requirement, verdict: 'observed', ...seen }]
    }),
  ])
}

/** Looks through all that was answered, so it comes last. */
export const SECRECY: ReceiverScenario = receiverScenario(
  'secrecy/answers',
  'No answer shows the secret, or the right signature',
  [
    {
      checks: [
        { step: 'secret', requirement: 'RECV-22' },
        { step: 'right_signature', requirement: 'RECV-23' },
      ],
      async run(courier) {
        await provoke(courier)
        const answered = courier.sent.filter(({ status }) => status !== null)
        return [secretCheck(courier, answered), signatureCheck(courier, answered)]
      },
    },
  ],
  { alone: true },
)

/** A few answers of its own, so that it finds the same if it runs alone. */
async function provoke(courier: Courier): Promise<void> {
  const valid = courier.valid()
  await courier.deliver(valid)
  await courier.deliver(forgedFrom(courier, valid, underAnotherSecret))
  await courier.deliver({ ...valid, signatures: [] })
  await courier.deliver({ body: Buffer.from('{'), signatures: ['0'.repeat(64)] })
}

function secretCheck({ secret }: Courier, answered: readonly Sent[]): CheckResult {
  const checked = (check: Check, exchange: string | null = null) =>
    placed('secret', 'RECV-22', 'no answer with the secret in it', exchange, check)
  const actual = `${answered.length} answers searched`
  if (secret.length < SHORTEST_SECRET)
    return checked(unproven(actual, 'the secret is so short that any text may contain it by chance'))
  const redactor = createRedactor([secret])
  const leaking = answered.find((sent) => redactor.text(textOf(sent)) !== textOf(sent))
  if (leaking)
    return checked(failure('an answer holds the secret', 'an error page or a log line is sent back'), leaking.exchange)
  return checked(answered.length === 0 ? unproven(actual) : { verdict: 'pass', actual })
}

/** Of forged deliveries alone: the sender of a valid one knows its signature. */
function signatureCheck({ secret }: Courier, answered: readonly Sent[]): CheckResult {
  const expected = 'no refusal with the signature that would have been right'
  const checked = (check: Check, exchange: string | null = null) =>
    placed('right_signature', 'RECV-23', expected, exchange, check)
  const refused = answered.filter((sent) => !holds(sent.delivery.signatures.join('\n'), digestOf(sent, secret)))
  const leaking = refused.find((sent) => holds(textOf(sent), digestOf(sent, secret)))
  if (leaking) return checked(failure('a refusal holds it', LEAKED), leaking.exchange)
  const actual = `${refused.length} answers to forged deliveries searched`
  return checked(refused.length === 0 ? unproven(actual) : { verdict: 'pass', actual })
}

const LEAKED = 'the expected signature is shown to any caller, who can then forge the event'

function textOf({ answer }: Sent): string {
  if (!answer) return ''
  const { headers, body } = answer
  return `${headers.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${Buffer.from(body).toString('utf8')}`
}

/** The signatures that would have been right, for a report to leave out where an answer shows them. */
export function leakedSignatures({ sent, secret }: PartnerReceiver): string[] {
  return sent.flatMap((one) => {
    const digest = digestOf(one, secret)
    return holds(textOf(one), digest) ? [digest] : []
  })
}

function digestOf({ delivery }: Sent, secret: string): string {
  return signWebhook(secret, delivery.body)
}

function holds(text: string, digest: string): boolean {
  return text.toLowerCase().includes(digest) || text.includes(Buffer.from(digest, 'hex').toString('base64'))
}
