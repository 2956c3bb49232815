import { useState } from 'preact/hooks'
import type { CheckoutOutcome, CheckoutSession } from '../../operator-api/rows/checkouts.ts'
import { asked } from '../api/command-line.ts'
import { useWorld } from '../console-context.ts'
import { Button } from '../kit/button.tsx'
import { CopyMenu } from '../kit/copy-menu.tsx'
import { Facts, Panel, ViewHead } from '../kit/facts.tsx'
import { SelectFilter, TextField, TextFilter, useFilters } from '../kit/field.tsx'
import { ListView } from '../kit/list-view.tsx'
import { moneyOrDash } from '../kit/money.ts'
import { SpelledState, StateBadge, stateOptions, stateWords } from '../kit/state-badge.tsx'
import { Unanswered } from '../kit/states.tsx'
import type { TableColumn } from '../kit/table.tsx'
import { Instant } from '../kit/time.tsx'
import type { ToastText } from '../kit/toasts.ts'
import { useAct } from '../live/use-act.ts'
import { useQuery } from '../live/use-query.ts'
import { IdLink, OutLink } from '../router/link.tsx'
import { usePartnerNames } from './partners.tsx'
import type { ViewProps } from './view.ts'

const STATES = ['open', 'paying', 'paid', 'cancelled', 'expired'] as const

const idOf = (session: CheckoutSession) => session.session_id

/** The hosted checkout sessions of all partners, newest first. */
export function CheckoutsView() {
  const filters = useFilters({ status: STATES, domain: 'any' })
  const columns: readonly TableColumn<CheckoutSession>[] = [
    { head: 'Session', cell: (session) => <IdLink id={idOf(session)} /> },
    { head: 'State', cell: (session) => <StateBadge state={session.status} /> },
    { head: 'Domain', cell: (session) => session.domain },
    { head: 'Price', isNumber: true, cell: (session) => moneyOrDash(session.price_cents, session.currency) },
    { head: 'Order', isExtra: true, cell: ({ public_id: id }) => <IdLink id={id} /> },
    { head: 'Expires', isExtra: true, cell: (session) => <Instant at={session.expires_at} /> },
  ]
  return (
    <ListView
      title="Checkout"
      id="checkout.list"
      input={filters}
      live={['request', 'event', 'clock', 'act']}
      name="Checkout sessions"
      columns={columns}
      idOf={idOf}
      noun="session"
      empty={[
        'No checkout sessions here',
        'A session appears when a partner opens one (POST /checkout-session). Here you can then pay it as the buyer.',
      ]}
    >
      <TextFilter name="domain" label="Domain" placeholder="sunwatt.test" />
      <SelectFilter name="status" label="State" values={stateOptions(STATES)} />
    </ListView>
  )
}

/** One session: who may do what with it now, as the buyer and as the bank. */
export function CheckoutView({ params }: ViewProps) {
  const { world } = useWorld()
  const at = { w: world, session_id: params['session_id'] ?? '' }
  const session = useQuery('checkout.show', at, { live: ['request', 'event', 'clock', 'act'] })
  if (session.data === undefined) return <Unanswered error={session.error} />
  return (
    <>
      <ViewHead title={<>Checkout {session.data.session_id}</>}>
        <CopyMenu
          of={asked('checkout.show', at)}
          more={[{ name: "Copy address of the buyer's page", text: session.data.checkout_url }]}
        />
      </ViewHead>
      <div class="columns">
        <BuyerPanel session={session.data} reload={session.reload} />
        <SessionFacts session={session.data} />
      </div>
    </>
  )
}

/** What a buyer or the bank can do. */
const ACTIONS = ['pay', 'decline', 'cancel'] as const

/** What came of it: the address of a buyer may decide that. */
const OUTCOMES: Readonly<Record<CheckoutOutcome['outcome'], ToastText>> = {
  paid: 'The buyer paid',
  paying: { kind: 'noted', text: 'The buyer pays: the payment goes through later' },
  declined: { kind: 'noted', text: 'The bank declined the payment: the session stays open' },
  abandoned: { kind: 'noted', text: 'The buyer left without paying: the session stays open' },
  cancelled: 'The buyer canceled',
}

function BuyerPanel({ session, reload }: { session: CheckoutSession; reload: () => void }) {
  const { world } = useWorld()
  const { isBusy, act } = useAct({ 'buyer.email': 'Email of the buyer' })
  const [email, setEmail] = useState('')
  const at = { w: world, session_id: session.session_id }
  const buyer = email.trim() === '' ? {} : { buyer: { email: email.trim() } }
  const whyNot = (action: CheckoutSession['actions'][number]) =>
    session.actions.includes(action) ? undefined : `This session is ${stateWords(session.status).toLowerCase()}.`
  const take = (action: CheckoutSession['actions'][number]) =>
    act(
      (call) => call(`checkout.${action}`, at, action === 'pay' ? buyer : {}),
      ({ outcome }) => OUTCOMES[outcome],
      reload,
    )
  return (
    <Panel title="Act as the buyer" actions={<SpelledState state={session.status} />}>
      <p>
        <OutLink to={session.checkout_url}>Open the buyer's page</OutLink>
      </p>
      <p>
        <TextField
          label="Email of the buyer (optional)"
          value={email}
          onInput={setEmail}
          placeholder="ada@example.test"
        />
      </p>
      <p class="soft">
        A tag in the address decides what happens: ada+declines@example.test. Inventory lists all tags.
      </p>
      <div class="buttons">
        {ACTIONS.map((action) => (
          <Button
            key={action}
            kind={action === 'pay' ? 'main' : 'plain'}
            isBusy={isBusy}
            disabledBecause={whyNot(action)}
            onClick={() => take(action)}
          >
            {stateWords(action)}
          </Button>
        ))}
      </div>
    </Panel>
  )
}

function SessionFacts({ session }: { session: CheckoutSession }) {
  const money = (cents: number | null) => moneyOrDash(cents, session.currency)
  const { public_id: order } = session
  const partnerName = usePartnerNames()
  return (
    <Panel title="Facts">
      <Facts
        rows={[
          ['Domain', session.domain],
          ['Price', money(session.price_cents)],
          ['Commission', money(session.commission_cents)],
          ['Order', <IdLink id={order} />],
          ['Buyer', session.buyer?.email],
          ["Buyer's name", session.buyer?.name],
          ["Buyer's country", session.buyer?.country],
          ['Partner', partnerName(session.partner_id)],
          ['Tracking link', session.link_id],
          ['Created', <Instant at={session.created_at} />],
          ['Expires', <Instant at={session.expires_at} />],
          ['Pays', session.pays_at && <Instant at={session.pays_at} />],
          ['Returns to', session.return_url],
          ['Cancels to', session.cancel_url],
        ]}
      />
    </Panel>
  )
}
