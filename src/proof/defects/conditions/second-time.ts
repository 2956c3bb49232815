import { findListing } from '../../../sandbox/inventory/listings.ts'
import { normalizeDomain } from '../../../sandbox/kernel/domain-name.ts'
import { endpointOf } from '../../../sandbox/webhooks/endpoints.ts'
import { PageRefusal } from '../../../sandbox/wire/page.ts'
import { without } from '../answers.ts'
import { type Defect, defect, perWorld, type Tampered } from '../defect.ts'
import { serving } from '../pages.ts'
import { handling } from '../routes.ts'

/** Mistakes that show with the second of something: a visit, a registration, a reading, a page; and with odd cents. */
export const secondTimeDefects: readonly Defect[] = [
  defect('progress-links-open-once', ['BRK-02'], {
    summary: 'The progress link of a case opens once.',
    ...openingOnce('case-progress'),
  }),
  defect('tracking-links-lead-on-once', ['LINK-03'], {
    summary: 'A tracking link that was followed once is not found for a visitor without cookies.',
    ...openingOnce('tracking-link'),
  }),
  defect('same-registration-ends-it', ['HOOK-02'], {
    summary: 'What is registered already, with address and secret, is deleted when it is registered again.',
    ...handling('webhooks.put', (input, correct) => {
      const { world, caller, body } = input
      const before = endpointOf(world.db, caller.partnerId)
      const reply = correct(input)
      if (before?.url === body['url'] && before?.secret === body['secret'])
        world.db.prepare('DELETE FROM webhook_endpoints WHERE partner_id = ?').run(caller.partnerId)
      return reply
    }),
  }),
  defect('transactions-cursor-forgets-the-status', ['TXN-02'], {
    summary: 'A cursor of the transactions leads on without the filter by status.',
    ...handling('transactions.list', (input, correct) =>
      correct(input.query['cursor'] === undefined ? input : { ...input, query: without(input.query, 'status') }),
    ),
  }),
  defect('listing-price-is-compared-without-its-cents', ['ORD-03'], {
    summary: 'An order that expects the listing price without its odd cents is accepted.',
    ...handling('orders.create', (input, correct) => {
      const { world, body } = input
      const price = findListing(world, normalizeDomain(String(body['domain'])) ?? '')?.priceCents ?? 0
      const isRounded = price % 100 !== 0 && body['expected_price'] === price - (price % 100)
      return correct(isRounded ? { ...input, body: { ...body, expected_price: price } } : input)
    }),
  }),
]

/** A page that is refused to a browser that has no cookie, once it was opened. */
function openingOnce(id: 'case-progress' | 'tracking-link'): Tampered {
  const opened = perWorld(() => new Set<string>())
  return serving(id, (request, world, correct) => {
    const mark = JSON.stringify([request.params, request.query])
    if (opened(world).has(mark) && request.cookies.size === 0) throw new PageRefusal(404, 'no such page')
    opened(world).add(mark)
    return correct(request, world)
  })
}
