import { signWebhook } from '../../contract/webhook-signature.ts'

/** What is wrong with a delivery that a receiver should refuse: one digit of the signature, one character, or whose secret it is. */
export const PROBE_KINDS = ['signature', 'body', 'secret'] as const

export type ProbeKind = (typeof PROBE_KINDS)[number]

/** The bytes of an attempt, and how they are signed. */
export interface Signed {
  body: Uint8Array
  signature: string
}

/**
 * A sound delivery with one thing wrong. The body is altered in the event's id, so that a receiver cannot take it for
 * an event that it has dealt with already.
 *
 * @param text what the delivery sends.
 */
export function tamperedWith(kind: ProbeKind, secret: string, text: string): Signed {
  const sound = Buffer.from(text, 'utf8')
  const signature = signWebhook(kind === 'secret' ? wrongSecret(secret) : secret, sound)
  if (kind === 'signature') return { body: sound, signature: withOtherEnd(signature) }
  return { body: kind === 'body' ? Buffer.from(withOtherId(text), 'utf8') : sound, signature }
}

/** With this a receiver that verifies refuses everything. */
function wrongSecret(registered: string): string {
  return `not-${registered}`
}

const ID = /^(\{"id":"[^"]+)(?=")/

function withOtherId(text: string): string {
  return text.replace(ID, withOtherEnd)
}

function withOtherEnd(text: string): string {
  return text.slice(0, -1) + (text.endsWith('1') ? '2' : '1')
}

/**
 * What a receiver's answer to a probe shows: that it refused, as a 4xx says; that it took it for sound; or nothing.
 *
 * @param status null where there was no answer.
 */
export function probeVerdict(status: number | null): 'refused' | 'accepted' | 'unclear' {
  if (status !== null && status >= 200 && status < 300) return 'accepted'
  return status !== null && status >= 400 && status < 500 ? 'refused' : 'unclear'
}
