import type { CheckoutSession } from '../../../operator-api/rows/checkouts.ts'
import { asked } from '../../api/command-line.ts'
import { useWorld } from '../../console-context.ts'
import { CopyAsCommand } from '../../kit/copy.tsx'
import { ViewHead } from '../../kit/facts.tsx'
import { SelectFilter, TextFilter, useChoice, useFilter } from '../../kit/field.tsx'
import { moneyOrDash } from '../../kit/money.ts'
import { StateBadge, stateWords } from '../../kit/state-badge.tsx'
import { Empty } from '../../kit/states.tsx'
import { type Column, LiveTable } from '../../kit/table.tsx'
import { Instant } from '../../kit/time.tsx'
import { useList } from '../../live/use-list.ts'
import { Link, useAddress } from '../../router/link.tsx'

const STATES = ['open', 'paying', 'paid', 'cancelled', 'expired'] as const

const idOf = (session: CheckoutSession) => session.session_id

/** The hosted checkout sessions of all partners, newest first. */
export function CheckoutsView() {
  const { world } = useWorld()
  const address = useAddress()
  const filters = useCheckoutFilters()
  const list = useList('checkout.list', { input: filters, idOf, live: ['request', 'event', 'clock', 'act'] })
  const columns: readonly Column<CheckoutSession>[] = [
    { head: 'Session', cell: (session) => <Link to={address('checkout', idOf(session))}>{idOf(session)}</Link> },
    { head: 'State', cell: (session) => <StateBadge state={session.status} /> },
    { head: 'Domain', cell: (session) => session.domain },
    { head: 'Price', isNumber: true, cell: (session) => moneyOrDash(session.price_cents, session.currency) },
    {
      head: 'Order',
      isExtra: true,
      cell: ({ public_id: id }) => (id === null ? '—' : <Link to={address('orders', id)}>{id}</Link>),
    },
    { head: 'Expires', isExtra: true, cell: (session) => <Instant at={session.expires_at} /> },
  ]
  return (
    <>
      <ViewHead title="Checkout">
        <CopyAsCommand of={asked('checkout.list', { w: world }, filters)} />
      </ViewHead>
      <div class="filters">
        <TextFilter name="domain" label="Domain" placeholder="sunwatt.test" />
        <SelectFilter name="status" label="State" values={STATES.map((state) => [state, stateWords(state)])} />
      </div>
      <LiveTable name="Checkout sessions" list={list} columns={columns} idOf={idOf} empty={<NoSessions />} />
    </>
  )
}

function useCheckoutFilters() {
  const [domain] = useFilter('domain')
  const status = useChoice('status', STATES)
  return { ...(status && { status }), ...(domain && { domain }) }
}

function NoSessions() {
  return (
    <Empty title="No checkout sessions here">
      <p>A session appears when a partner opens one (POST /checkout-session). Here you can then pay it as the buyer.</p>
    </Empty>
  )
}
