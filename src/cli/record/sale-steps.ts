import type { CredentialChoice } from '../../conformance/scenario.ts'
import { type Draft, nextId } from './draft.ts'
import type { RecordedSale } from './history.ts'

/**
 * The steps of a hosted sale: it is paid, and the list is asked for the order, which from then on is known by what that
 * step found.
 *
 * @param opener who opened the session; undefined where no recorded call did.
 */
export function addSale(draft: Draft, sale: RecordedSale, opener: CredentialChoice | undefined): void {
  const { names } = draft.context
  if (opener === undefined || !names.knows(sale.sessionId)) {
    draft.leftOut.push(`the hosted sale of ${sale.domain}, whose session no recorded call opened`)
    return
  }
  const isForeign = opener === 'other_partner'
  const earlier = countRecorded(draft, opener, sale.domain)
  if (earlier > 0) {
    draft.leftOut.push(
      `the hosted sale of ${sale.domain}, which had been sold before: its order would be taken for the other one`,
    )
    return
  }
  const id = nextId(draft, 'sold')
  const domain = names.rename(sale.domain)
  draft.steps.push({ operator: { pay_checkout: names.rename(sale.sessionId) } })
  draft.steps.push({
    id,
    ...(isForeign && { as: opener }),
    until: { call: { op: 'orders.list', query: { domain } }, within: '5s' },
    expect: { items: 'orders.items', includes: { 'order.domain': domain } },
  })
  names.learn(sale.publicId, `${id}.found.order.public_id`)
  draft.effects.orders = (draft.effects.orders ?? 0) + 1
  draft.hosted.add(sale.publicId)
  draft.latestOrder = sale.publicId
  if (!isForeign) draft.subjects.push(sale.publicId)
}

/** How many orders of a domain a partner had before this one. */
export function countRecorded({ recorded }: Draft, as: CredentialChoice, domain: string): number {
  const key = `${as === 'other_partner' ? as : 'main'} ${domain}`
  const earlier = recorded.get(key) ?? 0
  recorded.set(key, earlier + 1)
  return earlier
}
