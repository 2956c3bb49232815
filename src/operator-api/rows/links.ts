import type { LinkKind } from '../../contract/endpoints/referral.ts'
import { object } from '../../contract/schema.ts'
import { get, type Page, pageFlags, paging, partnerFilter, returns } from '../operation.ts'

/** A referral link with what came of it. */
export interface ReferralLink {
  link_id: string
  kind: LinkKind
  /** The address that the partner gives away. */
  url: string
  domain: string | null
  product: string | null
  clicks: number
  sales: number
  created_at: string
  partner_id: string
}

export const linkRows = {
  'links.list': get('/v1/worlds/{w}/links', {
    summary:
      'The referral links of all partners, newest first, with their `clicks` and `sales`: `links`, `next_cursor`.',
    query: object({ ...partnerFilter, ...paging }),
    returns: returns<Page<'links', ReferralLink>>(),
    command: {
      usage: 'link list',
      summary: 'list the referral links of all partners, newest first',
      flags: { partner_id: ['--partner <id>', 'only of this partner'], ...pageFlags },
      shows: {
        list: 'links',
        none: 'no links',
        columns: [
          ['LINK', 'link_id'],
          ['KIND', 'kind'],
          ['DOMAIN', 'domain'],
          ['CLICKS', 'clicks', 'count'],
          ['SALES', 'sales', 'count'],
          ['PARTNER', 'partner_id'],
          ['CREATED', 'created_at'],
          ['URL', 'url'],
        ],
      },
    },
  }),
}
