import { SHORTEST_SECRET } from '../../contract/redact.ts'
import { signWebhook } from '../../contract/signature.ts'
import { type Check, failure, unproven } from '../format/expectations/check.ts'
import { createRedactor } from '../http/redact.ts'
import { placed } from '../judge/placed-check.ts'
import type { CheckResult } from '../result/result.ts'
import type { Courier, PartnerReceiver, Sent } from './delivery.ts'
import { forgedFrom, underAnotherSecret } from './forgeries.ts'
import { type ReceiverScenario, receiverScenario } from './receiver-scenario.ts'

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
  const refused = answered.filter((sent) => !knowsDigest(sent, secret))
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

function knowsDigest(sent: Sent, secret: string): boolean {
  return holds(sent.delivery.signatures.join('\n'), digestOf(sent, secret))
}

function holds(text: string, digest: string): boolean {
  return text.toLowerCase().includes(digest) || text.includes(Buffer.from(digest, 'hex').toString('base64'))
}
