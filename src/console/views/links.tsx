import type { ReferralLink } from '../../operator-api/rows/links.ts'
import { CopyButton } from '../kit/copy.tsx'
import { TextFilter, useFilter } from '../kit/field.tsx'
import { ListView } from '../kit/list-view.tsx'
import { stateWords } from '../kit/state-badge.tsx'
import type { TableColumn } from '../kit/table.tsx'
import { Instant } from '../kit/time.tsx'
import { OutLink } from '../router/link.tsx'
import { usePartnerNames } from './partners.tsx'

const idOf = ({ link_id }: ReferralLink) => link_id

function columnsWith(partnerName: (id: string) => string): readonly TableColumn<ReferralLink>[] {
  return [
    { head: 'Link', cell: ({ link_id: id, url }) => <OutLink to={url}>{id}</OutLink> },
    { head: 'For', cell: ({ kind, domain, product }) => domain ?? product ?? stateWords(kind) },
    { head: 'Clicks', isNumber: true, cell: ({ clicks }) => clicks },
    { head: 'Sales', isNumber: true, cell: ({ sales }) => sales },
    { head: 'Partner', isExtra: true, cell: (link) => partnerName(link.partner_id) },
    { head: 'Created', isExtra: true, cell: (link) => <Instant at={link.created_at} /> },
    { head: 'Address', cell: ({ url }) => <CopyButton text={url}>Copy address</CopyButton> },
  ]
}

/** The referral links of all partners, newest first. A click on one is what a visitor does: it counts. */
export function LinksView() {
  const columns = columnsWith(usePartnerNames())
  const [partner] = useFilter('partner')
  const filters = partner ? { partner_id: partner } : {}
  return (
    <ListView
      title="Links"
      id="links.list"
      input={filters}
      live={['request', 'event', 'clock', 'act']}
      name="Referral links"
      columns={columns}
      idOf={idOf}
      noun="link"
      empty={[
        'No links here',
        'A link appears when a partner makes one (POST /links). Open it here as a visitor, and its clicks count.',
      ]}
    >
      <TextFilter name="partner" label="Partner" placeholder="ptr_..." />
    </ListView>
  )
}
