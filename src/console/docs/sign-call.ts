import { canonicalStringOf, EMPTY_BODY_SHA256, hasUnsignedBody } from '../../contract/canonical-string.ts'
import { signedHeaders } from '../../contract/headers.ts'
import type { SignableCall, SignedCall, SigningKey } from '../../contract/signature.ts'

const UTF8 = new TextEncoder()

/** Whether this browser signs here: it does so on loopback and over HTTPS only. */
export function canSign(): boolean {
  return isSecureContext
}

/** What `contract/signature.ts` does on a server, with the cryptography of a browser. */
export async function signCall(key: SigningKey, call: SignableCall): Promise<SignedCall> {
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
