import { bodySha256, EMPTY_BODY_SHA256 } from '../canonical-string.ts'
import { signWebhook } from '../webhook-signature.ts'
import { bodyContents } from './body-line.ts'
import { keyAlternatives, type OtherSecret } from './keys.ts'
import { type Alternative, distinct, type Mistake } from './mistake.ts'
import { mistake } from './mistakes.ts'
import { methodAlternatives, pathAlternatives } from './path-line.ts'
import { receivedBody } from './received-body.ts'
import { atOnce } from './run-steps.ts'
import { search } from './search.ts'
import { readSignature } from './signature-header.ts'

/** A delivery as it arrived. */
export interface ArrivedDelivery {
  readonly body: Uint8Array
  /** Value of the signature header. */
  readonly signature: string
  /** Path under which it was received, where it may have been signed like a call. */
  readonly target?: string
  readonly timestamp?: string
  readonly nonce?: string
}

/** What a delivery should have been signed with, and what it was. */
export interface WebhookDiagnosis {
  readonly verdict: 'sound' | 'explained' | 'unexplained'
  readonly mistakes: readonly Mistake[]
  readonly equally: readonly (readonly Mistake[])[]
  readonly expectedSignature: string
}

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
  if (delivery.signature === expectedSignature) {
    return { verdict: 'sound', mistakes: [], equally: [], expectedSignature }
  }
  const sent = readSignature(delivery.signature, 'webhook')
  const space = { keys: keyAlternatives(secret, null, others), ...textsOf(delivery) }
  const found = atOnce(search(space, sent))
  if (!found) return { verdict: 'unexplained', mistakes: [], equally: [], expectedSignature }
  return { verdict: 'explained', mistakes: found.mistakes, equally: found.equally, expectedSignature }
}

function textsOf(delivery: ArrivedDelivery) {
  return { messages: messagesOf(delivery), lines: callLinesOf(delivery) }
}

function messagesOf({ body, timestamp }: ArrivedDelivery): Alternative<Uint8Array | string>[] {
  const received = bodyContents('POST', body).map(({ mistake: wrong, value }) => ({
    value,
    mistake: wrong && receivedBody(wrong),
  }))
  const contents = received.flatMap(({ mistake: wrong, value }) => [
    { value, mistakes: wrong ? [wrong] : [] },
    {
      value: Buffer.concat([value, Buffer.from('\n')]),
      mistakes: [...(wrong ? [wrong] : []), receivedBody(mistake('body-newline-added'))],
    },
    { value: bodySha256(value), mistakes: [...(wrong ? [wrong] : []), mistake('body-hash-twice', HASHED_FIRST)] },
  ])
  const stamped = (timestamp === undefined ? [] : ['.', '', ':', '\n']).map((joint) => ({
    value: Buffer.concat([Buffer.from(timestamp + joint), body]),
    mistakes: [mistake('timestamp-and-body')],
  }))
  const ways: { value: Uint8Array | string; mistakes: Mistake[] }[] = [...contents, ...stamped]
  return distinct(ways, (value) => Buffer.from(value as string).toString('latin1'))
}

const HASHED_FIRST = 'the SHA-256 of the body was signed instead of the body'

/** The lines a call would have had, each list with the mistake of the scheme in its first member. */
function callLinesOf({ target, body, timestamp = '', nonce = '' }: ArrivedDelivery): Alternative<string>[][] {
  if (target === undefined) return []
  const [path = '', query = ''] = target.split('?', 2)
  const scheme = methodAlternatives('POST').map((verb) => ({
    ...verb,
    mistakes: [mistake('call-scheme'), ...verb.mistakes],
  }))
  return [
    scheme,
    pathAlternatives(path, query, []),
    distinct([one(query)], String),
    distinct([one(timestamp)], String),
    distinct([one(nonce)], String),
    distinct([one(body.length === 0 ? EMPTY_BODY_SHA256 : bodySha256(body))], String),
  ]
}

function one(value: string) {
  return { value, mistakes: [] }
}
