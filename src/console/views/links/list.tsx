import type { ReferralLink } from '../../../operator-api/rows/links.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand, CopyButton } from '../../kit/copy.tsx'
import { ViewHead } from '../../kit/facts.tsx'
import { TextFilter, useFilter } from '../../kit/field.tsx'
import { OutLink } from '../../kit/out-link.tsx'
import { stateWords } from '../../kit/state-badge.tsx'
import { Empty } from '../../kit/states.tsx'
import { type Column, LiveTable } from '../../kit/table.tsx'
import { Instant } from '../../kit/time.tsx'
import { useList } from '../../live/use-list.ts'

const idOf = ({ link_id }: ReferralLink) => link_id

const COLUMNS: readonly Column<ReferralLink>[] = [
  { head: 'Link', cell: ({ link_id: id, url }) => <OutLink to={url}>{id}</OutLink> },
  { head: 'For', cell: ({ kind, domain, product }) => domain ?? product ?? stateWords(kind) },
  { head: 'Clicks', isNumber: true, cell: ({ clicks }) => clicks },
  { head: 'Sales', isNumber: true, cell: ({ sales }) => sales },
  { head: 'Partner', isExtra: true, cell: (link) => link.partner_id },
  { head: 'Created', isExtra: true, cell: (link) => <Instant at={link.created_at} /> },
  { head: 'Address', cell: ({ url }) => <CopyButton text={url}>Copy address</CopyButton> },
]

/** The referral links of all partners, newest first. A click on one is what a visitor does: it counts. */
export function LinksView() {
  const { world } = useWorld()
  const [partner] = useFilter('partner')
  const filters = partner ? { partner_id: partner } : {}
  const list = useList('links.list', { input: filters, idOf, live: ['request', 'event', 'clock', 'act'] })
  return (
    <>
      <ViewHead title="Links">
        <CopyAsCommand of={asked('links.list', { w: world }, filters)} />
      </ViewHead>
      <div class="filters">
        <TextFilter name="partner" label="Partner" placeholder="ptr_..." />
      </div>
      <LiveTable name="Referral links" list={list} columns={COLUMNS} idOf={idOf} empty={<NoLinks />} />
    </>
  )
}

function NoLinks() {
  return (
    <Empty title="No links here">
      <p>A link appears when a partner makes one (POST /links). Open it here as a visitor, and its clicks count.</p>
    </Empty>
  )
}
