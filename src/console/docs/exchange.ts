import { HEADERS } from '../../contract/headers.ts'
import { curlCommand } from '../../contract/shell-quote.ts'
import type { SignedCall, SigningKey } from '../../contract/signature.ts'
import { browserClock } from '../browser/clock.ts'
import type { ComposedCall } from './compose-call.ts'
import { signCall } from './sign-call.ts'

/** A call that was answered, with what was signed for it. */
export interface Exchange {
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
export async function exchange(key: SigningKey, call: ComposedCall): Promise<Exchange> {
  const { method, target, body } = call
  const signed = await signNow(key, call)
  const answer = await fetch(target, {
    method,
    headers: { ...signed.headers, ...call.headers },
    ...(body !== null && { body }),
    ...{ mode: 'same-origin', credentials: 'omit', cache: 'no-store', redirect: 'error' },
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
  const line = curlCommand({ method, url: location.origin + target, headers: sent })
  // Its lines stay lines, which reads better than escapes; they are part of what was signed.
  return body === null ? line : `${line} --data-raw '${body.replaceAll("'", `'\\''`)}'`
}

function readable(text: string): string {
  const value = parsed(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}

/** What a text says as JSON; undefined if it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
