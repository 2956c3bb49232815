import { ENDPOINT_IDS, type EndpointId } from '../../../contract/endpoint-ids.ts'
import type { HmacKey } from '../../../contract/signature.ts'
import {
  canonicalStringOf,
  checkHeaders,
  checkKey,
  checkNonce,
  checkSignature,
  checkTimestamp,
  signatureRefused,
} from '../../../sandbox/app/checks.ts'
import { findListing } from '../../../sandbox/inventory/listings.ts'
import { fixedLoopbackKeys } from '../../../sandbox/kernel/credentials.ts'
import { normalizeDomain } from '../../../sandbox/kernel/domain-name.ts'
import type { Credential, World } from '../../../sandbox/kernel/world.ts'
import type { AuthenticatedCall, Call } from '../../../sandbox/wire/call.ts'
import { codeOf, type Fields, refusingWith } from '../answers.ts'
import { changing, type Defect, defect, type Tampered } from '../defect.ts'
import { type AnyInput, handling, listing } from '../routes.ts'
import { isSignedOver, signatureCheck } from './signing.ts'

/** Whether the caller is of another environment: the one that the runner adds to its own sandbox has no domains. */
function isElsewhere({ world }: AuthenticatedCall): boolean {
  return world.db.prepare('SELECT 1 FROM listings LIMIT 1').get() === undefined
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
  defect('environment-ignored', ['CRED-02'], {
    summary: 'The default world answers every caller.',
    ...answeredByDefault(ENDPOINT_IDS),
  }),
  defect('environments-share-their-history', ['EVT-02'], {
    summary: 'The event history is that of the default world.',
    ...answeredByDefault(['events.list']),
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
  defect('secret-of-another-environment', ['CRED-02'], {
    summary: 'A signature made with a secret of another environment passes, if the server has seen its key before.',
    ...rememberingKeys(),
  }),
  defect('key-unknown-is-not-found', ['AUTH-15'], {
    summary: 'An unknown key id is refused with 404 not_found.',
    ...refusingWith((_, call) => call.refusedBy === 'key', 404, 'not_found'),
  }),
  defect('environments-share-their-statements', ['CRED-02'], {
    summary: 'Statements come from a cache that all environments share, where the own environment has none.',
    ...sharing('settlements.list', 'settlements'),
  }),
  defect('environments-share-their-payouts', ['CRED-02'], {
    summary: 'Payouts come from a cache that all environments share, where the own environment has none.',
    ...sharing('payouts.list', 'payouts'),
  }),
  defect('environments-share-their-searches', ['CRED-02'], {
    summary: 'What a search has found is kept for all environments that search for the same.',
    ...sharingSearches(),
  }),
  defect('domains-of-other-environments-are-sold', ['CRED-02'], {
    summary: 'An order finds its domain in the inventory of any environment.',
    ...reachingEverywhere(
      ['domains.search', 'orders.create'],
      ({ body, call }) => (call.endpoint === 'orders.create' ? String(body['domain']) : undefined),
      (world, name) => (findListing(world, normalizeDomain(name) ?? '') ? mainPartnerOf(world) : undefined),
    ),
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
]

/** A server that accepts signatures made with some other keys, beside the right one. */
function acceptsKeys(others: (call: AuthenticatedCall) => readonly (HmacKey | string)[]): Tampered {
  return signatureCheck((call) => {
    const text = canonicalStringOf(call)
    if (!others(call).some((key) => isSignedOver(call, [text], key))) checkSignature(call)
  })
}

function rememberingKeys(): Tampered {
  const keys = new Map<HmacKey, World>()
  return acceptsKeys(({ world, credential }) => {
    keys.set(credential.hmacKey, world)
    return [...keys].flatMap(([key, seenIn]) => (seenIn === world ? [] : [key]))
  })
}

/**
 * A server that looks for a thing that it does not find in the environments that it has seen before.
 *
 * @param nameIn what a call asks for, if it asks for such a thing; `ownerIn` says whose it is in a world, if it is there.
 */
function reachingEverywhere(
  ids: readonly EndpointId[],
  nameIn: (input: AnyInput) => string | undefined,
  ownerIn: (world: World, name: string) => string | undefined,
): Tampered {
  const worlds = new Set<World>()
  return handling(ids, (input, correct) => {
    const { world } = input
    worlds.add(world)
    const name = nameIn(input)
    const elsewhere =
      name !== undefined && isElsewhere(input.call) && ownerIn(world, name) === undefined
        ? [...worlds].find((other) => ownerIn(other, name) !== undefined)
        : undefined
    if (elsewhere === undefined) return correct(input)
    const partnerId = String(ownerIn(elsewhere, String(name)))
    return correct({ ...input, world: elsewhere, caller: { ...input.caller, partnerId } })
  })
}

function sharing(id: EndpointId, name: string): Tampered {
  let cached: Fields[] = []
  return listing(id, name, (items) => {
    if (items.length > 0) cached = items
    return cached
  })
}

/** A server whose cache of searches has no environment in its keys. */
function sharingSearches(): Tampered {
  const found = new Map<string, Fields[]>()
  return listing('domains.search', 'domains', (domains, { query }) => {
    const words = String(query['q'])
    if (domains.length > 0) found.set(words, domains)
    return found.get(words) ?? domains
  })
}

/** The main key of the default world, on loopback. */
const DEFAULT_MAIN = `pk_sandbox_${fixedLoopbackKeys('key', 'main')}`

/** A server that accepts any caller with a good key for the main credential of its default world, at some of its endpoints. */
function answeredByDefault(ids: readonly EndpointId[]): Tampered {
  return {
    hooks: {
      checks: {
        key(call, find) {
          checkKey(call, find)
          const main = find(DEFAULT_MAIN)
          if (!main?.credential || call.world === main.world || call.endpoint === null || !ids.includes(call.endpoint))
            return
          const { hmacKey } = call.credential as Credential
          Object.assign(call, { world: main.world, credential: { ...main.credential, hmacKey } })
        },
      },
    },
  }
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
