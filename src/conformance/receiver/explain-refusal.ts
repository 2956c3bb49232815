import { createHash } from 'node:crypto'
import { signWebhook } from '../../contract/webhook-signature.ts'
import { type Courier, standingOf } from '../signing/delivery.ts'
import { sortedText } from './forgeries.ts'

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
  ['made over the hash of its body', (body, secret) => signWebhook(secret, hashOf(body))],
  ['made with the secret and a newline at its end', (body, secret) => signWebhook(`${secret}\n`, body)],
  ['made with an empty secret', (body) => signWebhook('', body)],
]

export const DELIVERIES_TO_EXPLAIN = OTHER_WAYS.length

/** What a refused receiver would have taken instead, as a sentence; null if that is not known. */
export async function explainRefusal(courier: Courier, status: number): Promise<string | null> {
  if (status === 404 || status === 405) return `it answers ${status}: is this the address that takes deliveries?`
  for (const [words, sign] of OTHER_WAYS) {
    const sound = courier.sound()
    const sent = await courier.deliver({ ...sound, signatures: [sign(sound.body, courier.secret)] })
    if (standingOf(sent, courier) === 'taken') return `it takes an event when its signature is ${words}`
  }
  return null
}

function spaced(body: Buffer): Buffer {
  return Buffer.from(body.toString('utf8').replaceAll('":', '": ').replaceAll(',"', ', "'), 'utf8')
}

function hashOf(body: Buffer): Buffer {
  return Buffer.from(createHash('sha256').update(body).digest('hex'), 'utf8')
}
