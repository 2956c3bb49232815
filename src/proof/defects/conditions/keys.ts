import type { EndpointId } from '../../../contract/endpoint-ids.ts'
import { checkNonce, checkSignature, checkTimestamp } from '../../../sandbox/app/checks.ts'
import { type Defect, defect, perWorld, type Tampered } from '../defect.ts'
import { handling, keeping } from '../routes.ts'

/** Mistakes of a service that takes what one key of a partner has made for that key's own. */
export const keyDefects: readonly Defect[] = [
  defect('statements-are-for-the-key-of-the-orders', ['SET-02'], {
    summary: 'Statements are shown to a key that has recorded orders.',
    ...showingToMakers('orders.create', 'settlements.list', 'settlements'),
  }),
  defect('payouts-are-for-the-key-of-the-case', ['PAY-01'], {
    summary: 'Payouts are shown to a key that has opened cases.',
    ...showingToMakers('brokerage.create', 'payouts.list', 'payouts'),
  }),
  defect('keys-beside-the-first-sign-anything', ['AUTH-04', 'TIME-02', 'NONCE-02'], {
    summary: 'Signature, timestamp and nonce are looked at for keys with more than one scope.',
    hooks: {
      checks: {
        signature: (call) => call.credential.scopes.size === 1 || checkSignature(call),
        timestamp: (call) => call.credential.scopes.size === 1 || checkTimestamp(call),
        nonce: (call) => call.credential.scopes.size === 1 || checkNonce(call),
      },
    },
  }),
  defect('hosted-sales-are-of-the-key-of-their-session', ['CHK-03'], {
    summary: 'A hosted sale is listed for the key that opened its session.',
    ...listingItsSessions(),
  }),
]

function showingToMakers(makes: EndpointId, list: EndpointId, name: string): Tampered {
  const makers = perWorld(() => new Set<string>())
  const shown = keeping(list, name, (_, { world, caller }) => makers(world).has(caller.keyId))
  const noted = handling(makes, (input, correct) => {
    makers(input.world).add(input.caller.keyId)
    return correct(input)
  })
  return { hooks: { routes: { ...shown.hooks?.routes, ...noted.hooks?.routes } } }
}

function listingItsSessions(): Tampered {
  const makers = perWorld(() => new Map<unknown, string>())
  const shown = keeping('transactions.list', 'transactions', ({ domain }, { world, caller }) => {
    const maker = makers(world).get(domain)
    return maker === undefined || maker === caller.keyId
  })
  const noted = handling('checkout.create', (input, correct) => {
    makers(input.world).set(input.body['domain'], input.caller.keyId)
    return correct(input)
  })
  return { hooks: { routes: { ...shown.hooks?.routes, ...noted.hooks?.routes } } }
}
