import { bodySha256, signWebhook } from '../signature.ts'
import { asReceived, bodyContents, DATA_ALONE } from './body-mistakes.ts'
import type { CallDiagnosis } from './diagnose-call.ts'
import { FRAMES, TIMESTAMP_JOINTS, TIMESTAMPED_SCHEME } from './frame-mistakes.ts'
import { keysFor, type OtherSecret } from './key-mistakes.ts'
import { METHOD_MISTAKES, PATH_MISTAKES } from './line-mistakes.ts'
import { distinct, type Mistake, rightAndWrong, type Way, wrongWays } from './mistake.ts'
import { mistake } from './mistakes.ts'
import { searchAtOnce, type TextSpace, wholeTexts } from './search.ts'
import { readSignature } from './signature-header.ts'

export interface ArrivedDelivery {
  readonly body: Uint8Array
  /** Value of the signature header. */
  readonly signature: string
  /** Path under which it was received, where it may have been signed like a call. */
  readonly target?: string
  /** Times that may have been signed with the body, the likeliest first. */
  readonly timestamps?: readonly string[]
  readonly nonce?: string
  /** Whether the body is certainly the bytes that arrived. If not, its reader may have changed it. */
  readonly isRaw?: boolean
}

/** What a delivery should have been signed with, and what it was. */
type WebhookDiagnosis = Pick<CallDiagnosis, 'verdict' | 'mistakes' | 'equally' | 'expectedSignature'>

/**
 * Finds out why the signature of a delivery does not fit its body: the same mistakes as with calls, as far as they can
 * be made where the raw body is all that is signed.
 *
 * @example diagnoseWebhook({ body, signature: `v1=${hex}` }, { secret }).mistakes[0]?.id // 'prefix-on-webhook'
 */
export function diagnoseWebhook(
  delivery: ArrivedDelivery,
  { secret, others = [] }: { secret: string; others?: readonly OtherSecret[] },
): WebhookDiagnosis {
  const expectedSignature = signWebhook(secret, delivery.body)
  const nothing = { mistakes: [], equally: [], expectedSignature }
  if (delivery.signature === expectedSignature) return { verdict: 'valid', ...nothing }
  const sent = readSignature(delivery.signature, 'webhook')
  const keys = keysFor({ secret, keyId: null }, others)
  const texts = [...callTextsOf(delivery), wholeTexts(bodiesOf(delivery))]
  const found = searchAtOnce({ keys, texts }, sent)
  if (!found) return { verdict: 'unexplained', ...nothing }
  return { verdict: 'explained', mistakes: found.mistakes, equally: found.equally, expectedSignature }
}

function bodiesOf({ body, timestamps = [], isRaw = false }: ArrivedDelivery): Way<Uint8Array | string>[] {
  const named = (found: Mistake) => (isRaw ? found : asReceived(found))
  const ways: Way<Uint8Array | string>[] = []
  for (const content of bodyContents('POST', body).flatMap((piece) => piece())) {
    const mistakes = content.mistakes.map(named)
    ways.push(
      { value: content.value, mistakes },
      { value: Buffer.concat([content.value, Buffer.from('\n')]), mistakes: [...mistakes, named(NEWLINE_ADDED)] },
      { value: bodySha256(content.value), mistakes: [...mistakes, HASHED_FIRST] },
    )
  }
  ways.push(...wrongWays(DATA_ALONE, body))
  for (const timestamp of timestamps)
    ways.push(...wrongWays(TIMESTAMPED_SCHEME, { timestamp, body, joints: TIMESTAMP_JOINTS }))
  return distinct(ways, (value) => Buffer.from(value as string).toString('latin1'))
}

const NEWLINE_ADDED = mistake('body-newline-added')
const HASHED_FIRST = mistake('body-hash-twice', 'the SHA-256 of the body was signed instead of the body')

/** What a call would have signed, with the mistake of the scheme in each of the first list. */
function callTextsOf({ target, body, timestamps: [timestamp = ''] = [], nonce = '' }: ArrivedDelivery): TextSpace[] {
  if (target === undefined) return []
  const [path = '', query = ''] = target.split('?', 2)
  const verbs = rightAndWrong('POST', METHOD_MISTAKES, 'POST')
  const lines = [
    verbs.map((verb) => ({ ...verb, mistakes: [mistake('call-scheme'), ...verb.mistakes] })),
    rightAndWrong(path, PATH_MISTAKES, { path, query, hosts: [] }),
    ...[query, timestamp, nonce, bodySha256(body)].map((value) => [{ value, mistakes: [] }]),
  ]
  return [{ frames: FRAMES, lines }]
}
