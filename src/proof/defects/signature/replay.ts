import { ApiError } from '../../../contract/errors.ts'
import { HEADERS } from '../../../contract/headers.ts'
import { checkNonce } from '../../../sandbox/app/authenticate/check-nonce.ts'
import { checkSignature } from '../../../sandbox/app/authenticate/check-signature.ts'
import { isNonceKnown, useNonce } from '../../../sandbox/app/authenticate/nonces.ts'
import { authNowMs, type World } from '../../../sandbox/kernel/world.ts'
import { type AuthenticatedCall, type Call, headerValues } from '../../../sandbox/wire/call.ts'
import { changing, type Defect, defect, type Tampered } from '../defect.ts'

/** Calls whose nonce was known when they arrived. */
const knownAtArrival = new WeakSet<Call>()

/** Mistakes about calls that come twice. */
export const replayDefects: readonly Defect[] = [
  defect('nonce-never-tracked', ['NONCE-01', 'NONCE-02', 'NONCE-04', 'IDEM-07'], {
    summary: 'No nonce is remembered.',
    ...changing('nonce', { tracked: false }),
  }),
  defect('nonce-within-path', ['NONCE-02'], {
    summary: 'A nonce can be used once on each path.',
    ...changing('nonce', { within: 'credential-and-path' }),
  }),
  defect('nonce-within-verb', ['NONCE-02'], {
    summary: 'A nonce can be used once with each verb.',
    ...changing('nonce', { within: 'credential-and-method' }),
  }),
  defect('nonce-within-second', ['NONCE-02'], {
    summary: 'A nonce can be used again with another timestamp.',
    ...changing('nonce', { within: 'credential-and-timestamp' }),
  }),
  defect('nonce-refused-as-conflict', ['NONCE-01', 'NONCE-02'], {
    summary: 'A replay is refused with the code conflict.',
    ...changing('codes', { replay_detected: 'conflict' }),
  }),
  defect('retry-in-the-same-second-refused', ['NONCE-03'], {
    summary: 'The same call within one second counts as a replay, although its nonce is fresh.',
    hooks: { checks: { nonce: (call) => checkNonce({ ...call, nonce: `${call.timestamp} ${call.target}` }) } },
  }),
  defect('replay-closes-its-address', ['NONCE-03'], {
    summary: 'After a replay, every further call of the credential at that address counts as a replay, too.',
    hooks: { checks: { nonce: closeAfterReplay } },
  }),
  defect('second-read-of-a-path-taken-for-a-replay', ['NONCE-03'], {
    summary: 'The second read of a path counts as a replay, with any query and any nonce.',
    hooks: {
      checks: { nonce: (call) => checkNonce(call.method === 'GET' ? { ...call, nonce: call.path } : call) },
    },
  }),
  defect('nonce-race', ['NONCE-04'], {
    summary: 'A nonce is looked up first and stored later, so that copies which arrive together all pass.',
    hooks: { checks: { signature: lookUpNonce, nonce: storeNonce } },
  }),
  defect('nonce-compared-without-case', ['NONCE-09'], {
    summary: 'Two nonces that differ in letter case only count as the same.',
    ...changing('nonce', { compared: 'case-insensitive' }),
  }),
  defect('nonce-compared-without-its-end', ['NONCE-09'], {
    summary: 'Two nonces that differ in their last character only count as the same.',
    ...changing('nonce', { compared: 'all-but-last-character' }),
  }),
  defect('nonce-compared-without-dashes', ['NONCE-09'], {
    summary: 'Two nonces that differ in dashes only count as the same.',
    ...noncesTakenAs((nonce) => nonce.replaceAll('-', '')),
  }),
  defect('nonce-compared-without-its-middle', ['NONCE-09'], {
    summary: 'Of a nonce the first and the last eight characters count.',
    ...noncesTakenAs((nonce) => nonce.slice(0, 8) + nonce.slice(-8)),
  }),
  defect('nonce-compared-without-order', ['NONCE-09'], {
    summary: 'Two nonces that have the same characters in another order count as the same.',
    ...noncesTakenAs((nonce) => [...nonce].sort().join('')),
  }),
  defect('nonce-must-be-uuid', ['NONCE-09'], {
    summary: 'A nonce that is not a UUID is refused.',
    ...changing('nonce', { form: 'uuid' }),
  }),
  defect('nonce-not-checked-on-retries', ['IDEM-07'], {
    summary: 'A call with an Idempotency-Key may use its nonce again.',
    hooks: {
      checks: {
        nonce(call) {
          if (headerValues(call, HEADERS.idempotencyKey).length === 0) checkNonce(call)
        },
      },
    },
  }),
]

/** A server that compares another value than the nonce as it was sent. */
function noncesTakenAs(form: (nonce: string) => string): Tampered {
  return { hooks: { checks: { nonce: (call) => checkNonce({ ...call, nonce: form(call.nonce) }) } } }
}

const closed = new WeakMap<World, Set<string>>()

function closeAfterReplay(call: AuthenticatedCall): void {
  const { world } = call
  const known = closed.get(world) ?? new Set<string>()
  closed.set(world, known)
  const address = `${call.keyId} ${call.target}`
  try {
    checkNonce(call)
  } catch (error) {
    known.add(address)
    throw error
  }
  if (known.has(address)) throw new ApiError('replay_detected', 'the nonce has been used before')
}

function lookUpNonce(call: AuthenticatedCall): void {
  checkSignature(call)
  const { world, credential } = call
  if (isNonceKnown(world.db, credential.id, call.nonce)) knownAtArrival.add(call)
}

function storeNonce(call: AuthenticatedCall): void {
  if (knownAtArrival.has(call)) throw new ApiError('replay_detected', 'the nonce has been used before')
  const { world } = call
  useNonce(world.db, call.credential.id, call.nonce, authNowMs(world))
}
