import { type CountedLink, listLinks } from '../../sandbox/referral/links.ts'
import { presentLink } from '../../sandbox/referral/present.ts'
import { pagingOf } from '../../sandbox/wire/list-query.ts'
import { type HandlersOf, okPage } from '../route.ts'

export const linkHandlers: HandlersOf<'links'> = {
  'links.list'({ world, query }) {
    const page = listLinks(world, { partnerId: query.partner_id ?? null, ...pagingOf(query) })
    const present = (link: CountedLink) => ({ ...presentLink(world, link), partner_id: link.partnerId })
    return okPage('links', page, present, ({ linkId }) => linkId)
  },
}
