import type { ComponentChildren } from 'preact'
import { moneyText } from '../../contract/money.ts'
import type { World } from '../kernel/world.ts'
import { findOrder } from '../sales/orders.ts'
import type { PageReply } from '../wire/page.ts'
import { document, Layout, type Sign } from '../wire/page-kit/layout.tsx'
import { Facts, Instant } from '../wire/page-kit/parts.tsx'
import { returnAddress } from './sessions.ts'
import type { CheckoutSession } from './types.ts'

/** What the page of a session says that offers nothing to pay. */
interface OutcomeText {
  status: number
  title: string
  sign: Sign
  text: ComponentChildren
  more?: ComponentChildren
}

/** The page of a session that has ended or is being paid; null for one that still can be paid. */
export function outcomeOf(world: World, session: CheckoutSession): PageReply | null {
  switch (session.state) {
    case 'paid':
      return outcomePage(world, session, paid(world, session))
    case 'paying':
      return outcomePage(world, session, PAYING)
    case 'cancelled':
      return outcomePage(world, session, CANCELED)
    default:
      return null
  }
}

function paid(world: World, { domain, publicId }: CheckoutSession): OutcomeText {
  const text = `${domain} is paid for. You can close this page.`
  return { status: 200, title: 'Payment complete', sign: 'done', text, more: <Receipt world={world} id={publicId} /> }
}

function Receipt({ world, id }: { world: World; id: string | null }) {
  const order = id === null ? null : findOrder(world, id)
  if (!order) return null
  return (
    <Facts
      rows={[
        ['Order', <code>{order.publicId}</code>],
        ['Amount', <strong>{moneyText(order.salePriceCents, order.currency)}</strong>],
        ['Paid', <Instant atMs={order.createdAtMs} />],
      ]}
    />
  )
}

const PAYING: OutcomeText = {
  status: 200,
  title: 'Your payment is in progress',
  sign: 'waiting',
  text: 'It takes a while. You can close this page.',
}

const CANCELED: OutcomeText = {
  status: 410,
  title: 'This checkout was canceled',
  sign: 'stopped',
  text: 'Nothing was paid. To buy the domain, start again in the shop.',
}

/** The page of a session whose days are over. It does not say what was for sale. */
export function expiredPage(world: World, session: CheckoutSession): PageReply {
  const text = (
    <>
      It expired on <Instant atMs={session.expiresAtMs} />. Get a new link in the shop.
    </>
  )
  return outcomePage(world, session, { status: 410, title: 'This link has expired', sign: 'waiting', text })
}

/** The page of a domain that cannot be bought now; who bought or holds it is private. */
export function unavailablePage(world: World, session: CheckoutSession): PageReply {
  const text = `${session.domain} cannot be bought at the moment. Nothing was paid.`
  const title = 'This domain is no longer available'
  return outcomePage(world, session, { status: 409, title, sign: 'stopped', text })
}

function outcomePage(world: World, session: CheckoutSession, outcome: OutcomeText): PageReply {
  const { status, title, sign, text, more } = outcome
  const isBought = session.state === 'paid' || session.state === 'paying'
  const onward = returnAddress(world, isBought ? session.returnUrl : session.cancelUrl, session)
  const shown = (
    <Layout title={title} sign={sign}>
      <p role="status">{text}</p>
      {more}
      <a class="button main" href={onward} rel="noreferrer">
        {`Go back to ${new URL(onward).host}`}
      </a>
    </Layout>
  )
  return { status, body: document(shown) }
}
