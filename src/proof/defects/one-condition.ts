import type { EndpointId } from '../../contract/endpoint-ids.ts'
import { ApiError } from '../../contract/errors.ts'
import { normalizeDomain } from '../../sandbox/kernel/domain-name.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { answering, codeOf, type Fields } from './answers.ts'
import { type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { type AnyInput, altering, handling } from './routes.ts'

/** Mistakes that show under one condition: another spelling, a second time, letters beyond ASCII, an order without what it may lack. */
export const oneConditionDefects: readonly Defect[] = [
  defect('reservations-hold-in-one-spelling', ['QUOTE-04'], {
    summary: 'Another partner that writes the name in capitals gets a domain that is reserved.',
    ...handling('orders.create', (input, correct) => {
      const name = String(input.body['domain'])
      if (name !== name.toLowerCase()) endQuotes(input.world, name)
      return correct(input)
    }),
  }),
  defect('sessions-take-what-others-reserved', ['QUOTE-04'], {
    summary: 'A checkout session sells a domain that another partner has reserved.',
    ...handling('checkout.create', (input, correct) => {
      endQuotes(input.world, String(input.body['domain']))
      return correct(input)
    }),
  }),
  defect('cases-are-read-by-their-key', ['BRK-04'], {
    summary: 'A case is shown to the credential that opened it, and not to another one of the partner.',
    ...servingItsKey('brokerage.create', 'case_id', 'brokerage.detail', ({ params }) => params['case_id']),
  }),
  defect('forbidden-quotes-end-those-of-others', ['SCOPE-02'], {
    summary: 'A quote that is refused for its scope ends the reservation of another partner.',
    ...answering((answer, call) => {
      if (call.endpoint === 'quotes.create' && codeOf(answer) === 'forbidden')
        endQuotes(call.world as World, String(JSON.parse(String(call.body))['domain']))
      return answer
    }),
  }),
  defect('references-beyond-ascii-are-mangled', ['ORD-11'], {
    summary: 'A payment reference has a question mark in the place of each letter beyond ASCII.',
    ...altering('orders.detail', ({ external_payment_ref: ref }) =>
      typeof ref === 'string' ? { external_payment_ref: ref.replace(/[^ -~]/g, '?') } : {},
    ),
  }),
  defect('eligibility-of-unlisted-crashes', ['BRK-01'], {
    summary: 'Whether a domain can be brokered that is not listed is answered 500.',
    ...handling('brokerage.eligibility', (input, correct) => {
      const listed = input.world.db.prepare('SELECT 1 FROM listings WHERE domain = ?')
      if (listed.get(normalizeDomain(String(input.query['domain']))) === undefined) throw new Error('no such row')
      return correct(input)
    }),
  }),
  defect('live-sites-have-no-metadata', ['INV-06'], {
    summary: 'The detail of a domain with a live site has no metadata.',
    ...altering('domains.detail', (body, input) => (hasLiveSite(body, input) ? { metadata: null } : {})),
  }),
]

/** A server that takes what one credential has made for its own, and not for that of its partner. */
function servingItsKey(makes: EndpointId, id: string, uses: EndpointId, idIn: (input: AnyInput) => unknown): Tampered {
  const makers = perWorld(() => new Map<unknown, string>())
  return handling([makes, uses], (input, correct) => {
    const { world, caller, call } = input
    const maker = call.endpoint === uses ? makers(world).get(idIn(input)) : undefined
    if (maker !== undefined && maker !== caller.keyId) throw new ApiError('not_found', 'there is no such thing')
    const reply = correct(input)
    if (call.endpoint === makes) makers(world).set((reply.body as Fields)[id], caller.keyId)
    return reply
  })
}

function endQuotes(world: World, name: string): void {
  world.db.prepare("UPDATE quotes SET state = 'expired' WHERE domain = ? AND state = 'open'").run(normalizeDomain(name))
}

function hasLiveSite({ domain }: Fields, { world }: AnyInput): boolean {
  return world.db.prepare('SELECT 1 FROM listings WHERE domain = ? AND live_site = 1').get(domain) !== undefined
}
