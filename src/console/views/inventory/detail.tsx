import { useState } from 'preact/hooks'
import type { Listing } from '../../../operator-api/rows/domains.ts'
import { asked } from '../../api/command-line.ts'
import { useConsole, useWorld } from '../../console-context.ts'
import { Button } from '../../kit/button.tsx'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { Facts, Panel, ViewHead } from '../../kit/facts.tsx'
import { Switch, TextField } from '../../kit/field.tsx'
import { centsIn, moneyText } from '../../kit/money.ts'
import { Unanswered } from '../../kit/states.tsx'
import { Instant } from '../../kit/time.tsx'
import { type Call, useAct } from '../../live/use-act.ts'
import { useQuery } from '../../live/use-query.ts'
import { Link, useAddress } from '../../router/link.tsx'
import type { ViewProps } from '../view.ts'
import { ListingBadge } from './inventory.tsx'

/** One domain: who has it, and what can be changed. */
export function ListingView({ params }: ViewProps) {
  const { world } = useWorld()
  const at = { w: world, name: params['name'] ?? '' }
  const listing = useQuery('domains.show', at, { live: ['event', 'act'] })
  if (listing.data === undefined) return <Unanswered error={listing.error} />
  return (
    <>
      <ViewHead title={listing.data.domain}>
        <CopyAsCommand of={asked('domains.show', at)} />
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
  const { isBusy, act } = useAct()
  const [price, setPrice] = useState(String(listing.price_cents / 100))
  const [floor, setFloor] = useState(String(listing.floor_price_cents / 100))
  const prices = { price_cents: centsIn(price), floor_price_cents: centsIn(floor) }
  const at = { w: world, name: listing.domain }
  const set = (changed: Partial<Listing>) => act((call) => call('domains.set', at, changed), 'Changed', reload)
  const save = () => {
    const { price_cents, floor_price_cents } = prices
    if (price_cents !== null && floor_price_cents !== null) set({ price_cents, floor_price_cents })
  }
  const isWrong = prices.price_cents === null || prices.floor_price_cents === null
  const remove = async (call: Call) => {
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
          disabledBecause={isWrong ? 'Give amounts such as 1200 or 1200.50.' : undefined}
          onClick={save}
        >
          Save prices
        </Button>
      </div>
      <div class="filters">
        <Switch label="Listed" isOn={listing.listed} onChange={(listed) => set({ listed })} />
        <Switch label="Has a live site" isOn={listing.live_site} onChange={(isOn) => set({ live_site: isOn })} />
        <Button kind="danger" isBusy={isBusy} onClick={() => act(remove, `Removed ${listing.domain}`)}>
          Remove domain
        </Button>
      </div>
    </Panel>
  )
}

function ListingFacts({ listing }: { listing: Listing }) {
  const address = useAddress()
  const { sold_by: order, reserved_by: quote } = listing
  return (
    <Panel title="Facts">
      <Facts
        rows={[
          ['State', <ListingBadge status={listing.status} />],
          ['Price', moneyText(listing.price_cents, listing.currency)],
          ['Sold by', order === null ? null : <Link to={address('orders', order)}>{order}</Link>],
          ['Reserved by', quote && `${quote.quote_id} of ${quote.partner_id}`],
          ['Until', quote && <Instant at={quote.until} />],
          ['Topics', listing.topics.join(', ') || null],
        ]}
      />
    </Panel>
  )
}
