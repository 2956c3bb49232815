import type { Listing } from '../../../operator-api/rows/domains.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { ViewHead } from '../../kit/facts.tsx'
import { TextFilter, useFilter } from '../../kit/field.tsx'
import { moneyText } from '../../kit/money.ts'
import { StateBadge, type Tone } from '../../kit/state-badge.tsx'
import { Empty } from '../../kit/states.tsx'
import { type Column, LiveTable } from '../../kit/table.tsx'
import { useList } from '../../live/use-list.ts'
import { Link, useAddress } from '../../router/link.tsx'
import { AddListing } from './add.tsx'
import { MagicPanel } from './magic.tsx'

const TONES: Readonly<Record<Listing['status'], Tone>> = {
  available: 'good',
  reserved: 'waiting',
  sold: 'moving',
  unlisted: 'plain',
}

export function ListingBadge({ status }: Pick<Listing, 'status'>) {
  return <StateBadge state={status} tone={TONES[status]} />
}

const idOf = ({ domain }: Listing) => domain

/** The domains for sale, by name. */
export function InventoryView() {
  const { world } = useWorld()
  const address = useAddress()
  const [q] = useFilter('q')
  const filters = q ? { q } : {}
  const list = useList('domains.list', { input: filters, idOf, live: ['event', 'act'] })
  const columns: readonly Column<Listing>[] = [
    { head: 'Domain', cell: ({ domain }) => <Link to={address('inventory', domain)}>{domain}</Link> },
    { head: 'State', cell: ({ status }) => <ListingBadge status={status} /> },
    { head: 'Price', isNumber: true, cell: (row) => moneyText(row.price_cents, row.currency) },
    { head: 'Floor', isNumber: true, isExtra: true, cell: (row) => moneyText(row.floor_price_cents, row.currency) },
    { head: 'Topics', isExtra: true, cell: ({ topics }) => topics.join(', ') || '—' },
  ]
  return (
    <>
      <ViewHead title="Inventory">
        <a href="#add-domains">Add domains</a> <a href="#magic-names">Magic names</a>
        <CopyAsCommand of={asked('domains.list', { w: world }, filters)} />
      </ViewHead>
      <div class="filters">
        <TextFilter name="q" label="Name contains" placeholder="solar" />
      </div>
      <LiveTable name="Domains" list={list} columns={columns} idOf={idOf} empty={<NoListings />} />
      <div id="add-domains">
        <AddListing reload={() => void list.reader.refresh()} />
      </div>
      <div id="magic-names">
        <MagicPanel />
      </div>
    </>
  )
}

function NoListings() {
  return (
    <Empty title="No domain matches">
      <p>Add one below, or use a magic name: those need no listing.</p>
    </Empty>
  )
}
