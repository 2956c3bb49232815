import { findSession } from '../../sandbox/checkout/sessions.ts'
import { type PageToken, pageToken, unverifiedToken } from '../../sandbox/kernel/page-token.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { type Defect, defect, type Tampered } from './defect.ts'
import { fieldIn, serving, withField } from './pages.ts'

/** How much of a digest a server looks at that compares only its beginning. */
const PREFIX = 8

/** Mistakes of checking the token of a hosted page. */
export const checkoutTokenDefects: readonly Defect[] = [
  defect('checkout-token-signature-compared-by-its-beginning', ['CHK-02'], {
    summary: 'Of the signature of a token the first eight characters are compared.',
    ...believing((given, sound) => given.facts === sound.facts && begins(given.digest, sound.digest)),
  }),
  defect('checkout-token-signature-compared-without-case', ['CHK-02'], {
    summary: 'The signature of a token is compared without regard to upper and lower case.',
    ...believing(
      (given, sound) => given.facts === sound.facts && given.digest.toLowerCase() === sound.digest.toLowerCase(),
    ),
  }),
  defect('checkout-token-expiry-unsigned', ['CHK-02'], {
    summary: 'The signature of a token does not cover the time at which it ends.',
    ...believing((given, sound) => given.digest === sound.digest),
  }),
  defect('checkout-token-facts-read-leniently', ['CHK-02'], {
    summary: 'The signature covers the decoded token, so its unused bits may have any value.',
    ...believing((given, sound) => given.digest === sound.digest && decoded(given.facts) === decoded(sound.facts)),
  }),
]

interface TokenParts {
  facts: string
  digest: string
}

/**
 * A server that accepts more tokens than it should.
 *
 * @param isGood is shown the given token, and the one that the session named in it really has.
 */
function believing(isGood: (given: TokenParts, sound: TokenParts) => boolean): Tampered {
  return serving('checkout', (request, world, sound) => {
    const given = fieldIn(request.query, 'pt')
    const real = realToken(world, unverifiedToken('checkout', given))
    const believed = real !== null && isGood(partsOf(given), partsOf(real))
    return sound(believed ? withField(request, 'query', 'pt', real) : request, world)
  })
}

function realToken(world: World, claimed: PageToken | null): string | null {
  const session = claimed && findSession(world, claimed.id)
  return session && pageToken(world, 'checkout', { id: session.sessionId, expiresAtMs: session.expiresAtMs })
}

function partsOf(token: string): TokenParts {
  const [facts = '', digest = ''] = token.split('.')
  return { facts, digest }
}

function decoded(facts: string): string {
  return Buffer.from(facts, 'base64url').toString('utf8')
}

function begins(given: string, sound: string): boolean {
  return given.length === sound.length && given.slice(0, PREFIX) === sound.slice(0, PREFIX)
}
