import { HEADERS } from '../../../contract/headers.ts'
import type { HmacKey } from '../../../contract/signature.ts'
import {
  canonicalStringOf,
  checkHeaders,
  checkNonce,
  checkSignature,
  checkTimestamp,
  signatureRefused,
} from '../../../sandbox/app/checks.ts'
import type { World } from '../../../sandbox/kernel/world.ts'
import { type AuthenticatedCall, type Call, headerValues } from '../../../sandbox/wire/call.ts'
import { codeOf, refilling, refusingWith } from '../answers.ts'
import { changing, type Defect, defect, found, type Tampered } from '../defect.ts'
import { type AnyInput, refusing } from '../routes.ts'
import { isSignedOver, signatureCheck } from './signing.ts'

/** Whether the caller is of another environment: the one that the runner adds to its own sandbox has no domains. */
export function isElsewhere({ world }: AuthenticatedCall): boolean {
  return found(world, 'SELECT 1 FROM listings LIMIT 1') === undefined
}

/** The partner whose credentials a world names first. */
export function mainPartnerOf({ credentials }: World): string {
  return [...credentials.values()][0]?.partnerId ?? ''
}

/** Whose calls a server may forget to check, as its tests have one partner in one environment. */
const UNWATCHED: Record<string, (call: AuthenticatedCall) => boolean> = {
  'other-environments': isElsewhere,
  'other-partners': (call) => !isElsewhere(call) && mainPartnerOf(call.world) !== call.credential.partnerId,
}

/** Mistakes about who calls: headers, key ids and secrets. */
export const authenticationDefects: readonly Defect[] = [
  defect('secret-has-another-environment-word', ['CRED-01'], {
    summary: 'A secret begins with sk_test_, while its key id begins with pk_sandbox_.',
    ...changing('credentials', { secretWord: 'test' }),
  }),
  defect('secret-in-every-answer', ['CRED-03'], {
    summary: 'Every answer shows the secret of its caller, for debugging.',
    ...refilling(
      (_, call) => call.credential !== null,
      (fields, call) => ({ ...fields, debug: call.credential?.secret }),
    ),
  }),
  defect('secret-in-refused-signatures', ['CRED-03'], {
    summary: 'A refused signature is explained with the secret that it should have been made with.',
    ...refilling(
      (_, call) => call.refusedBy === 'signature',
      (fields, call) => ({ ...fields, message: `expected ${call.credential?.secret}` }),
    ),
  }),
  defect(
    'signature-never-verified',
    ['AUTH-04', 'AUTH-05', 'AUTH-06', 'AUTH-08', 'AUTH-09', 'AUTH-10', 'AUTH-11', 'AUTH-12', 'AUTH-13', 'AUTH-16'],
    {
      summary: 'Any v1= followed by 64 hex digits passes as a signature.',
      ...signatureCheck((call) => {
        if (!/^v1=[0-9a-f]{64}$/.test(call.signature)) throw signatureRefused(call)
      }),
    },
  ),
  defect('writes-hash-no-body', ['AUTH-01', 'CANON-09'], {
    summary: 'The body hash of every call is that of no bytes, so correctly signed writes are refused.',
    ...signatureCheck((call) => checkSignature({ ...call, body: new Uint8Array(0) })),
  }),
  defect('key-id-missing-is-invalid-signature', ['AUTH-02'], {
    summary: 'A call without a key id is refused with invalid_signature.',
    ...refusingWith((answer) => codeOf(answer) === 'missing_credentials', 401, 'invalid_signature'),
  }),
  defect('nonce-header-optional', ['AUTH-03'], {
    summary: 'A call without a nonce header passes where it signed an empty nonce line.',
    hooks: { checks: { headers: letPass((call) => call.nonce === '' && call.signature !== '') } },
  }),
  defect('timestamp-header-missing-is-invalid-timestamp', ['AUTH-03'], {
    summary: 'A call without a timestamp header is refused as if it had a wrong one.',
    ...refusingWith((_, call) => isMissing(call, 'timestamp'), 401, 'invalid_timestamp'),
  }),
  defect('signature-header-missing-is-invalid-signature', ['AUTH-03'], {
    summary: 'A call without a signature header is refused with invalid_signature.',
    ...refusingWith((_, call) => isMissing(call, 'signature'), 401, 'invalid_signature'),
  }),
  defect('secret-of-key-id', ['AUTH-05'], {
    summary: 'A signature made with the key id in the place of the secret passes.',
    ...acceptsKeys(({ credential }) => [credential.keyId]),
  }),
  defect('secret-of-anybody', ['AUTH-16'], {
    summary: 'A signature made with any known secret passes, even another partner’s.',
    ...acceptsKeys(({ world }) => [...world.credentials.values()].map(({ hmacKey }) => hmacKey)),
  }),
  defect('key-unknown-is-not-found', ['AUTH-15'], {
    summary: 'An unknown key id is refused with 404 not_found.',
    ...refusingWith((_, call) => call.refusedBy === 'key', 404, 'not_found'),
  }),
  ...Object.entries(UNWATCHED).flatMap(([whose, isSpared]) => [
    defect(`signature-of-${whose}-unchecked`, ['AUTH-04'], {
      summary: `The signature of ${whose.replaceAll('-', ' ')} is not checked.`,
      ...signatureCheck((call) => {
        if (!isSpared(call)) checkSignature(call)
      }),
    }),
    defect(`nonce-of-${whose}-untracked`, ['NONCE-02'], {
      summary: `The nonces of ${whose.replaceAll('-', ' ')} are not tracked.`,
      hooks: { checks: { nonce: (call) => (isSpared(call) ? undefined : checkNonce(call)) } },
    }),
    defect(`timestamp-of-${whose}-unchecked`, ['TIME-02'], {
      summary: `The timestamp of ${whose.replaceAll('-', ' ')} is not checked.`,
      hooks: { checks: { timestamp: (call) => (isSpared(call) ? undefined : checkTimestamp(call)) } },
    }),
  ]),
  defect('keys-and-nonces-are-one-table', ['AUTH-01'], {
    summary: 'An order whose Idempotency-Key was a nonce is refused with 409 conflict.',
    ...refusing('orders.create', hasNonceForKey, 'conflict', 'the Idempotency-Key has been used'),
  }),
]

/** A server that accepts signatures made with some other keys, beside the right one. */
export function acceptsKeys(others: (call: AuthenticatedCall) => readonly (HmacKey | string)[]): Tampered {
  return signatureCheck((call) => {
    const text = canonicalStringOf(call)
    if (!others(call).some((key) => isSignedOver(call, [text], key))) checkSignature(call)
  })
}

/** The header check, but for calls that lack what `lacks` says. */
function letPass(lacks: (call: Call) => boolean): typeof checkHeaders {
  return (call, find) => {
    try {
      checkHeaders(call, find)
    } catch (error) {
      if (call.keyId === '' || call.timestamp === '' || !lacks(call)) throw error
    }
  }
}

function isMissing(call: Call, header: 'timestamp' | 'signature'): boolean {
  return call.refusedBy === 'headers' && call.keyId !== '' && call[header] === ''
}

function hasNonceForKey({ world, call }: AnyInput): boolean {
  const [key] = headerValues(call, HEADERS.idempotencyKey)
  return found(world, 'SELECT 1 FROM nonces WHERE nonce = ?', key) !== undefined
}
