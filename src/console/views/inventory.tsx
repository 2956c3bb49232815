import { useState } from 'preact/hooks'
import { moneyText } from '../../contract/money.ts'
import type { Listing } from '../../operator-api/rows/domains.ts'
import { asked } from '../api/command-line.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { CopyMenu } from '../kit/copy-menu.tsx'
import { Facts, Panel, ViewHead } from '../kit/facts.tsx'
import { FileField, Switch, TextField, TextFilter, useFilters } from '../kit/field.tsx'
import { NoRows, RowCount } from '../kit/list-view.tsx'
import { centsField, centsIn, PRICE_WORDS } from '../kit/money.ts'
import { StateBadge, type Tone } from '../kit/state-badge.tsx'
import { Unanswered } from '../kit/states.tsx'
import { LiveTable, Table, type TableColumn } from '../kit/table.tsx'
import { Instant } from '../kit/time.tsx'
import { useList } from '../live/list.ts'
import { type CallOperator, useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'
import { IdLink, Link, useAddress } from '../router/link.tsx'
import type { ViewProps } from './view.ts'

const TONES: Readonly<Record<Listing['status'], Tone>> = {
  available: 'good',
  reserved: 'waiting',
  sold: 'moving',
  unlisted: 'plain',
}

function ListingBadge({ status }: Pick<Listing, 'status'>) {
  return <StateBadge state={status} tone={TONES[status]} />
}

const idOf = ({ domain }: Listing) => domain

/** The domains for sale, by name. */
export function InventoryView() {
  const { world } = useWorld()
  const address = useAddress()
  const filters = useFilters({ q: 'any' })
  const list = useList('domains.list', { input: filters, idOf, live: ['event', 'act'] })
  const columns: readonly TableColumn<Listing>[] = [
    { head: 'Domain', cell: ({ domain }) => <Link to={address('inventory', domain)}>{domain}</Link> },
    { head: 'State', cell: ({ status }) => <ListingBadge status={status} /> },
    { head: 'Price', isNumber: true, cell: (row) => moneyText(row.price_cents, row.currency) },
    { head: 'Floor', isNumber: true, isExtra: true, cell: (row) => moneyText(row.floor_price_cents, row.currency) },
    { head: 'Topics', isExtra: true, cell: ({ topics }) => topics.join(', ') || '—' },
  ]
  return (
    <>
      <ViewHead title="Inventory" note={<RowCount list={list} noun="domain" which="first" />}>
        <a href="#add-domains">Add domains</a> <a href="#magic-domains">Magic domains</a>
        <CopyMenu of={asked('domains.list', { w: world }, filters)} />
      </ViewHead>
      <div class="filters">
        <TextFilter name="q" label="Name contains" placeholder="solar" />
      </div>
      <LiveTable
        name="Domains"
        list={list}
        columns={columns}
        idOf={idOf}
        empty={
          <NoRows
            noun="domain"
            empty={['No domains here', 'Add one below, or use a magic domain, which needs no listing.']}
          />
        }
      />
      <div id="add-domains">
        <AddListing reload={() => void list.reader.refresh()} />
      </div>
      <div id="magic-domains">
        <MagicPanel />
      </div>
    </>
  )
}

/** Adds one domain, or all of a CSV file. */
function AddListing({ reload }: { reload: () => void }) {
  const { client } = useConsole()
  const { world } = useWorld()
  const { isBusy, act } = useAct({ domain: 'Domain', price_cents: 'Price' })
  const [domain, setDomain] = useState('')
  const [price, setPrice] = useState('')
  const cents = centsIn(price)
  const whyNot =
    domain.trim() === '' ? 'Give the name of a domain.' : cents === null ? `Give a price ${PRICE_WORDS}.` : undefined
  const add = (call: CallOperator) =>
    call('domains.create', { w: world }, { domain: domain.trim(), price_cents: cents ?? 0 })
  const addAll = (file: File) => {
    const csv = new Blob([file], { type: 'text/csv' })
    act(() => client.send('domains.create', { w: world }, csv), `Added the domains of ${file.name}`, reload)
  }
  return (
    <Panel title="Add domains">
      <div class="filters">
        <TextField label="Domain" value={domain} onInput={setDomain} placeholder="my-shop.test" />
        <TextField label="Price" value={price} onInput={setPrice} placeholder="1200.00" />
        <Button
          kind="main"
          isBusy={isBusy}
          disabledBecause={whyNot}
          onClick={() => act(add, `Added ${domain.trim()}`, reload)}
        >
          Add domain
        </Button>
        <FileField label="CSV file" accept=".csv,text/csv" onFile={addAll} />
      </div>
      <p class="soft">
        The first line of a CSV file names its columns: <code>domain,price_cents</code>, and if you like{' '}
        <code>floor_price_cents,currency,listed,live_site,topics</code>.
      </p>
    </Panel>
  )
}

/** Domains and buyers with a fixed outcome. */
function MagicPanel() {
  const { data, error } = useQuery('magic.list', {})
  if (data === undefined) return <Unanswered error={error} rows={3} />
  return (
    <Panel title="Magic domains and buyers">
      <p class="soft">Each works in every world, with any number: held-1.test, held-2.test and so on.</p>
      <Table
        name="Magic domains and buyers"
        rows={[...data.domains, ...data.buyers]}
        idOf={({ pattern }) => pattern}
        columns={[
          { head: 'Name', cell: ({ example }) => <code>{example}</code> },
          { head: 'What happens', isText: true, cell: ({ does }) => does },
          { head: 'When', isText: true, isExtra: true, cell: ({ on, acts }) => `${on}, ${acts}` },
        ]}
      />
    </Panel>
  )
}

/** One domain: who has it, and what can be changed. */
export function ListingView({ params }: ViewProps) {
  const { world } = useWorld()
  const at = { w: world, name: params['name'] ?? '' }
  const listing = useQuery('domains.show', at, { live: ['event', 'act'] })
  if (listing.data === undefined) return <Unanswered error={listing.error} />
  return (
    <>
      <ViewHead title={listing.data.domain}>
        <CopyMenu of={asked('domains.show', at)} />
      </ViewHead>
      <div class="columns">
        <ChangePanel key={listing.data.domain} listing={listing.data} reload={listing.reload} />
        <ListingFacts listing={listing.data} />
      </div>
    </>
  )
}

function ChangePanel({ listing, reload }: { listing: Listing; reload: () => void }) {
  const { router } = useConsole()
  const { world } = useWorld()
  const address = useAddress()
  const { isBusy, act } = useAct({ price_cents: 'Price', floor_price_cents: 'Floor' })
  const [price, setPrice] = useState(centsField(listing.price_cents))
  const [floor, setFloor] = useState(centsField(listing.floor_price_cents))
  const prices = { price_cents: centsIn(price), floor_price_cents: centsIn(floor) }
  const at = { w: world, name: listing.domain }
  const set = (changed: Partial<Listing>, done: string) =>
    act((call) => call('domains.set', at, changed), `${listing.domain} ${done}`, reload)
  const save = () => {
    const { price_cents, floor_price_cents } = prices
    if (price_cents === null || floor_price_cents === null) return
    const [priceText, floorText] = [price_cents, floor_price_cents].map((cents) => moneyText(cents, listing.currency))
    set({ price_cents, floor_price_cents }, `costs ${priceText}, at least ${floorText}`)
  }
  const isWrong = prices.price_cents === null || prices.floor_price_cents === null
  const remove = async (call: CallOperator) => {
    await call('domains.delete', at)
    router.go(address('inventory'))
  }
  return (
    <Panel title="Change">
      <div class="filters">
        <TextField label={`Price in ${listing.currency}`} value={price} onInput={setPrice} />
        <TextField label={`Floor in ${listing.currency}`} value={floor} onInput={setFloor} />
        <Button
          kind="main"
          isBusy={isBusy}
          disabledBecause={isWrong ? `Give prices ${PRICE_WORDS}.` : undefined}
          onClick={save}
        >
          Save prices
        </Button>
      </div>
      <div class="filters">
        <Switch
          label="Listed"
          isOn={listing.listed}
          onChange={(listed) => set({ listed }, listed ? 'is listed' : 'is not listed')}
        />
        <Switch
          label="Has a live site"
          isOn={listing.live_site}
          onChange={(isOn) => set({ live_site: isOn }, isOn ? 'has a live site' : 'has no live site')}
        />
        <Button kind="danger" isBusy={isBusy} onClick={() => act(remove, `Removed ${listing.domain}`)}>
          Remove domain
        </Button>
      </div>
    </Panel>
  )
}

function ListingFacts({ listing }: { listing: Listing }) {
  const { sold_by: order, reserved_by: quote } = listing
  return (
    <Panel title="Facts">
      <Facts
        rows={[
          ['State', <ListingBadge status={listing.status} />],
          ['Price', moneyText(listing.price_cents, listing.currency)],
          ['Sold by', <IdLink id={order} />],
          ['Reserved by', quote && `${quote.quote_id} of ${quote.partner_id}`],
          ['Until', quote && <Instant at={quote.until} />],
          ['Topics', listing.topics.join(', ') || null],
        ]}
      />
    </Panel>
  )
}
