import type { KeyObject } from 'node:crypto'
import {
  canonicalQueryOf,
  canonicalString,
  compareByUtf16Unit,
  EMPTY_BODY_SHA256,
  hasUnsignedBody,
} from '../../../contract/canonical-string.ts'
import { SIGNATURE_PREFIX } from '../../../contract/headers.ts'
import { bodySha256, hmacSha256Hex } from '../../../contract/hmac.ts'
import type { Rules } from '../../../contract/rules.ts'
import { equalInConstantTime } from '../../../contract/signature.ts'
import type { Credential, World } from '../../kernel/world.ts'
import type { AuthenticatedCall, Call } from '../../wire/call.ts'
import { signatureRefused } from './check-key.ts'

/** The signature is the one that the credential's secret gives for the call as it arrived (AUTH-04..16). */
export function checkSignature(call: AuthenticatedCall): void {
  const { world, credential } = call
  const { prefix, digest } = world.rules.signature
  const hasPrefix = call.signature.startsWith(SIGNATURE_PREFIX)
  if (!hasPrefix && prefix === 'required') {
    call.detail = `the signature does not start with ${SIGNATURE_PREFIX}`
    throw signatureRefused()
  }
  const sent = hasPrefix ? call.signature.slice(SIGNATURE_PREFIX.length) : call.signature
  const text = canonicalStringOf(call)
  for (const key of keysFor(world, credential)) {
    if (isDigest(sent, hmacSha256Hex(key, text), digest)) return
  }
  throw signatureRefused()
}

/** The six lines as they are computed here, from the bytes as they arrived. */
export function canonicalStringOf(call: Call): string {
  return canonicalString({
    method: call.method,
    path: call.path,
    query: canonicalQueryOf(call.query, call.world?.gaps['astral-sort'] === 'utf-16' ? compareByUtf16Unit : undefined),
    timestamp: call.timestamp,
    nonce: call.nonce,
    bodySha256: hasUnsignedBody(call.method) ? EMPTY_BODY_SHA256 : bodySha256(call.body),
  })
}

function keysFor(world: World, credential: Credential): readonly (KeyObject | string)[] {
  switch (world.rules.signature.secretOf) {
    case 'credential':
      return [credential.hmacKey]
    case 'credential-or-key-id':
      return [credential.hmacKey, credential.keyId]
    case 'any-credential':
      return [...world.credentials.values()].map((other) => other.hmacKey)
  }
}

function isDigest(sent: string, right: string, form: Rules['signature']['digest']): boolean {
  switch (form) {
    case 'lower-hex':
      return equalInConstantTime(sent, right)
    case 'any-case-hex':
      return equalInConstantTime(sent.toLowerCase(), right)
    case 'hex-or-base64':
      return [right, Buffer.from(right, 'hex').toString('base64')].some((digest) => equalInConstantTime(sent, digest))
    case 'first-16-digits':
      return equalInConstantTime(sent.slice(0, 16), right.slice(0, 16))
  }
}
