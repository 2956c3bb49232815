import type { CredentialChoice } from '../../conformance/scenario.ts'
import { type Draft, nextId } from './draft.ts'
import type { RecordedSale } from './history.ts'

/**
 * The steps of a hosted sale: it is paid, and the history is asked for the order, which from then on is known by what that
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
  const id = nextId(draft, 'sold')
  draft.steps.push({ operator: { pay_checkout: names.rename(sale.sessionId) } })
  draft.steps.push({
    id,
    ...(isForeign && { as: opener }),
    events: { type: 'order.recorded', where: { 'data.order.domain': names.rename(sale.domain) } },
    expect: { count: { equals: earlier + 1 }, distinct: 'id' },
  })
  names.learn(sale.publicId, `${id}.${earlier === 0 ? 'event' : `events[${earlier}]`}.data.order.public_id`)
  draft.effects.orders = (draft.effects.orders ?? 0) + 1
  draft.hosted.add(sale.publicId)
  draft.latestOrder = sale.publicId
  if (!isForeign) draft.subjects.push(sale.publicId)
}

/** How many orders of a domain the history of a partner had before this one. */
export function countRecorded({ recorded }: Draft, as: CredentialChoice, domain: string): number {
  const key = `${as === 'other_partner' ? as : 'main'} ${domain}`
  const earlier = recorded.get(key) ?? 0
  recorded.set(key, earlier + 1)
  return earlier
}
