import { formatInstant } from '../../clock/instant.ts'
import type { World } from '../kernel/world.ts'
import { type ClickTotals, type CountedLink, linkUrl } from './links.ts'

export function presentLink(world: World, link: CountedLink) {
  return {
    link_id: link.linkId,
    kind: link.kind,
    url: linkUrl(world, link),
    domain: link.domain,
    product: link.product,
    clicks: link.clicks,
    sales: link.sales,
    created_at: formatInstant(link.createdAtMs),
  }
}

export function presentClicks({ total, byLink }: ClickTotals) {
  return { total, by_link: byLink.map(({ linkId, clicks }) => ({ link_id: linkId, clicks })) }
}
