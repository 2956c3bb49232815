import { SHORTEST_SECRET } from '../../contract/redact.ts'
import { signWebhook } from '../../contract/webhook-signature.ts'
import { createRedactor } from '../http/redact.ts'
import type { CheckResult } from '../result/result.ts'
import type { Bench } from './bench.ts'
import type { Sent } from './delivery.ts'
import { forgedFrom, underAnotherSecret } from './forgeries.ts'
import { checkOf, type ReceiverScenario } from './scenario.ts'

/** Looks through all that was answered, so it comes last. */
export const SECRECY: ReceiverScenario = {
  id: 'secrecy/answers',
  title: 'No answer tells the secret, or the signature that would have been right',
  checks: [
    { step: 'secret', requirement: 'RECV-22' },
    { step: 'right_signature', requirement: 'RECV-23' },
  ],
  deliveriesAtMost: 4,
  turn: 'alone',
  async run(bench) {
    await provoke(bench)
    return [secretCheck(bench), signatureCheck(bench)]
  },
}

/** A few answers of its own, so that it finds the same where it runs alone. */
async function provoke(bench: Bench): Promise<void> {
  const event = bench.event('order.recorded')
  const sound = bench.sound(event)
  await bench.deliver(sound)
  await bench.deliver(forgedFrom(bench, sound, event, underAnotherSecret))
  await bench.deliver({ ...sound, signatures: [] })
  await bench.deliver({ body: Buffer.from('{'), signatures: ['0'.repeat(64)] })
}

function secretCheck(bench: Bench): CheckResult {
  const expected = 'no answer with the secret in it'
  const { answered, actual } = readings(bench)
  const verdict = (found: CheckResult['verdict'], exchange: string | null, said: string, note?: string) =>
    checkOf('secret', 'RECV-22', exchange, { verdict: found, expected, actual: said, note })
  if (bench.secret.length < SHORTEST_SECRET)
    return verdict('inconclusive', null, actual, 'so short a secret stands in any text by chance')
  const redactor = createRedactor([bench.secret])
  const telling = answered.find((sent) => redactor.text(textOf(sent)) !== textOf(sent))
  if (telling)
    return verdict(
      'fail',
      telling.exchange.id,
      'an answer holds the secret',
      'an error page or a log line is sent back',
    )
  return answered.length === 0 ? verdict('inconclusive', null, actual) : verdict('pass', null, actual)
}

/** Of forged deliveries alone: whoever sent a sound one knows its signature. */
function signatureCheck(bench: Bench): CheckResult {
  const expected = 'no refusal with the signature that would have been right'
  const { answered } = readings(bench)
  const refused = answered.filter((sent) => !knowsDigest(sent, bench.secret))
  const telling = refused.find((sent) => holds(textOf(sent), digestOf(sent, bench.secret)))
  const check = (verdict: CheckResult['verdict'], exchange: string | null, actual: string, note?: string) =>
    checkOf('right_signature', 'RECV-23', exchange, { verdict, expected, actual, note })
  if (telling) {
    return check(
      'fail',
      telling.exchange.id,
      'a refusal holds it',
      'what was expected is told to whoever asks, who can then forge the event',
    )
  }
  return check(
    refused.length === 0 ? 'inconclusive' : 'pass',
    null,
    `${refused.length} answers to forged deliveries looked through`,
  )
}

function readings({ sent }: Bench): { answered: readonly Sent[]; actual: string } {
  const answered = sent.filter(({ status }) => status !== null)
  return { answered, actual: `${answered.length} answers looked through` }
}

function textOf({ exchange: { outcome } }: Sent): string {
  if (outcome.kind !== 'response') return ''
  const { headers, body } = outcome.response
  return `${headers.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${Buffer.from(body).toString('utf8')}`
}

/** The signatures that would have been right, for a report to leave out where they were told. */
export function leakedSignatures(sent: readonly Sent[], secret: string): string[] {
  return sent.flatMap((one) => {
    const digest = digestOf(one, secret)
    return holds(textOf(one), digest) ? [digest] : []
  })
}

function digestOf({ delivery }: Sent, secret: string): string {
  return signWebhook(secret, delivery.body)
}

function knowsDigest({ delivery, ...sent }: Sent, secret: string): boolean {
  return holds(delivery.signatures.join('\n'), digestOf({ delivery, ...sent }, secret))
}

function holds(text: string, digest: string): boolean {
  return text.toLowerCase().includes(digest) || text.includes(Buffer.from(digest, 'hex').toString('base64'))
}
