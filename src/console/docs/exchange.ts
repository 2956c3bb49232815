import { canonicalStringOf, EMPTY_BODY_SHA256, hasUnsignedBody } from '../../contract/canonical-string.ts'
import { curlCommand } from '../../contract/curl-command.ts'
import { HEADERS, signedHeaders } from '../../contract/headers.ts'
import type { SignableCall, SignedCall, SigningKey } from '../../contract/signature.ts'
import { jsonIn } from '../../contract/words.ts'
import { browserClock } from '../browser/clock.ts'
import type { ComposedCall } from './compose-call.ts'

/** A call that was answered, with what was signed for it. */
export interface AnsweredCall {
  readonly call: ComposedCall
  readonly status: number
  readonly statusText: string
  /** Those that say something about the call. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Lines and indents are ours where it is JSON. */
  readonly body: string
  readonly signed: SignedCall
  /** The same call with a nonce of its own: a nonce is accepted once. */
  readonly curl: string
}

const SHOWN = [HEADERS.requestId, HEADERS.idempotentReplayed, HEADERS.retryAfter, 'Content-Type']

/**
 * Signs a call and sends it to the server of this page.
 *
 * @throws TypeError if it could not be sent, or the connection ended without an answer.
 */
export async function exchange(key: SigningKey, call: ComposedCall): Promise<AnsweredCall> {
  const { method, target, body } = call
  const signed = await signNow(key, call)
  const answer = await fetch(target, {
    method,
    headers: { ...signed.headers, ...call.headers },
    ...(body !== null && { body }),
    mode: 'same-origin',
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
  })
  return {
    call,
    status: answer.status,
    statusText: answer.statusText,
    headers: SHOWN.flatMap((name) => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    }),
    body: readable(await answer.text()),
    signed,
    curl: curlOf(call, await signNow(key, call)),
  }
}

function signNow(key: SigningKey, { method, target, body }: ComposedCall): Promise<SignedCall> {
  const timestampSeconds = Math.floor(browserClock.nowMs() / 1_000)
  const bytes = new TextEncoder().encode(body ?? '')
  return signCall(key, { method, target, body: bytes, timestampSeconds, nonce: crypto.randomUUID() })
}

function curlOf({ method, target, headers, body }: ComposedCall, signed: SignedCall): string {
  const sent = Object.entries({ ...signed.headers, ...headers })
  const command = curlCommand({ method, origin: location.origin, target, headers: sent, body })
  return 'line' in command ? command.line : `# ${command.impossible}`
}

function readable(text: string): string {
  const value = jsonIn(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}

const UTF8 = new TextEncoder()

/** Whether this browser signs here: it does so on loopback and over HTTPS only. */
export function canSign(): boolean {
  return isSecureContext
}

/** What `contract/signature.ts` does on a server, with the cryptography of a browser. */
async function signCall(key: SigningKey, call: SignableCall): Promise<SignedCall> {
  const text = canonicalStringOf(call, await digestOf(call))
  const signature = await hmacSha256Hex(key.secret, text)
  return { canonicalString: text, signature, headers: signedHeaders(key.keyId, call, signature) }
}

async function digestOf({ method, body }: SignableCall): Promise<string> {
  if (hasUnsignedBody(method) || !body?.length) return EMPTY_BODY_SHA256
  return hex(await crypto.subtle.digest('SHA-256', Uint8Array.from(body)))
}

async function hmacSha256Hex(secret: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', UTF8.encode(secret), algorithm, false, ['sign'])
  return hex(await crypto.subtle.sign('HMAC', key, UTF8.encode(text)))
}

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
