import type { ComponentChildren } from 'preact'
import type { QueryPair } from '../../contract/canonical-string.ts'
import { COUNTRY_CODES, isCountry } from '../../contract/countries.ts'
import { ApiError } from '../../contract/errors.ts'
import { moneyText } from '../../contract/money.ts'
import { atomically } from '../commit-queue.ts'
import { claimedWorld } from '../kernel/page-token.ts'
import { effectOf } from '../kernel/refusal-with-effect.ts'
import type { World } from '../kernel/world.ts'
import { visitedLink } from '../referral/visits.ts'
import { findOrder } from '../sales/orders.ts'
import { PageRefusal, type PageReply, type PageRequest, type PageRoute, valueIn } from '../wire/page.ts'
import { document, Layout, type Sign } from '../wire/page-kit/layout.tsx'
import { Facts, Field, Instant, Notice } from '../wire/page-kit/parts.tsx'
import { fitsFormat, isPlainText } from '../wire/validation.ts'
import { cancel, decline, type PayingBuyer, type PaymentAttempt, pay, refuseUnavailable } from './payments.ts'
import { isOver, offerOf, returnAddress, type SessionOffer, sessionNamedBy } from './sessions.ts'
import type { CheckoutSession } from './types.ts'

/**
 * The hosted checkout (CHK-01..03, CHK-05). The token in its address is all that opens it, for showing and for sending
 * alike, so no other site can send the form without the link.
 */
export const checkoutPage: PageRoute = {
  writes: true,
  worldOf: ({ worlds, query }) => worlds.find(claimedWorld(tokenIn(query))),
  handle(request, world) {
    if (!world) throw new PageRefusal(404, 'the token belongs to no world')
    const session = sessionNamedBy(world, tokenIn(request.query))
    if (!session) throw new PageRefusal(404, 'the token is unknown')
    if (world.clock.nowMs() > session.expiresAtMs || isOver(world, session)) return expiredPage(world, session)
    const ended = request.method === 'POST' ? wayOut(world, session) : outcomeOf(world, session)
    if (ended) return ended
    return request.method === 'POST' ? submitted(world, session, request) : offered(world, session)
  },
}

function tokenIn(query: readonly QueryPair[]): string {
  return valueIn(query, 'pt') ?? ''
}

/** Sending the form of a finished session again leads to the same page as the first time. */
function wayOut(world: World, session: CheckoutSession): PageReply | null {
  if (session.state === 'paid' || session.state === 'paying') return goTo(world, session, session.returnUrl)
  return session.state === 'cancelled' ? goTo(world, session, session.cancelUrl) : null
}

function offered(world: World, session: CheckoutSession): PageReply {
  const buyer = session.buyer ?? {}
  return (
    unavailable(world, session) ??
    form(world, session, { status: 200, fields: buyerFieldsOf((name) => buyer[name]), faults: null, notice: null })
  )
}

/** The page of a domain that cannot be bought now; who bought or holds it is private. */
function unavailable(world: World, session: CheckoutSession): PageReply | null {
  return orUnavailable(world, session, () => {
    refuseUnavailable(world, session)
    return null
  })
}

function orUnavailable<Result>(world: World, session: CheckoutSession, work: () => Result): Result | PageReply {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return unavailablePage(world, session)
  }
}

const FIELDS = new Set(['action', 'price_cents', 'name', 'email', 'country'])

function submitted(world: World, session: CheckoutSession, request: PageRequest): PageReply {
  if (request.form.some(([name]) => !FIELDS.has(name))) throw new PageRefusal(400, 'the form has a foreign field')
  switch (valueIn(request.form, 'action')) {
    case 'pay':
      return paid(world, session, request)
    case 'decline':
      return declined(world, decline(world, session), fieldsIn(request))
    case 'cancel':
      return goTo(world, cancel(world, session), session.cancelUrl)
    default:
      throw new PageRefusal(400, 'the form has no known action')
  }
}

function paid(world: World, session: CheckoutSession, request: PageRequest): PageReply {
  const fields = fieldsIn(request)
  const gone = unavailable(world, session)
  if (gone) return gone
  const faults = faultsOf(fields)
  if (faults)
    return form(world, session, { status: 422, fields, faults, notice: <p>Please correct the marked fields.</p> })
  if (valueIn(request.form, 'price_cents') !== String(offerOf(world, session).priceCents)) {
    const notice = <p>The price has changed. Nothing was paid. Check the new price and pay if you agree.</p>
    return form(world, session, { status: 409, fields, faults, notice })
  }
  const visited = visitedLink(world, session.partnerId, request.cookies)
  // Another buyer may be quicker at this very moment.
  return orUnavailable(world, session, () => {
    const attempt = atomically(world.db, () => pay(world, session, fields, visited), effectOf)
    return after(world, attempt, fields)
  })
}

function after(world: World, { outcome: came, session }: PaymentAttempt, fields: BuyerFields): PageReply {
  if (came === 'declined') return declined(world, session, fields)
  return goTo(world, session, came === 'abandoned' ? session.cancelUrl : session.returnUrl)
}

function declined(world: World, session: CheckoutSession, fields: BuyerFields): PageReply {
  const notice = <p>Your card was declined. Nothing was paid. You can try again.</p>
  return form(world, session, { status: 402, fields, faults: null, notice })
}

function fieldsIn({ form }: PageRequest): BuyerFields {
  return buyerFieldsOf((name) => valueIn(form, name))
}

interface FormState extends Pick<FormPageProps, 'fields' | 'faults' | 'notice'> {
  status: number
}

function form(world: World, session: CheckoutSession, { status, ...state }: FormState): PageReply {
  const { domain, returnUrl, cancelUrl, expiresAtMs } = session
  const returnsTo = new URL(returnUrl).host
  const offer = offerOf(world, session)
  const shown = <FormPage domain={domain} offer={offer} returnsTo={returnsTo} openUntilMs={expiresAtMs} {...state} />
  return { status, body: document(shown), formTargets: [returnUrl, cancelUrl] }
}

function goTo(world: World, session: CheckoutSession, address: string): PageReply {
  return { status: 303, location: returnAddress(world, address, session) }
}

interface FormPageProps {
  domain: string
  offer: SessionOffer
  /** Where the buyer ends: a host. */
  returnsTo: string
  /** When the page stops to sell. */
  openUntilMs: number
  fields: BuyerFields
  faults: BuyerFaults | null
  /** What happened to the attempt before. */
  notice: ComponentChildren
}

/** What ties the test controls, which are elsewhere, to the form. */
const FORM_ID = 'payment'

/** The page a buyer pays on. */
function FormPage(props: FormPageProps) {
  return (
    <Layout title={`Buy ${props.domain}`} shape="two-columns" controls={<TestControls />}>
      <Offered {...props} />
      <Payment {...props} />
    </Layout>
  )
}

function Offered({ offer, openUntilMs }: FormPageProps) {
  return (
    <div class="what">
      <Facts
        rows={[
          ['Sold by', 'A partner of this sandbox'],
          ['Open until', <Instant atMs={openUntilMs} />],
          ['Price', <span class="price">{moneyText(offer.priceCents, offer.currency)}</span>],
        ]}
      />
    </div>
  )
}

function Payment({ offer, returnsTo, fields, faults, notice }: FormPageProps) {
  return (
    <div class="who">
      <h2>Your details</h2>
      {notice && <Notice kind="bad">{notice}</Notice>}
      <form method="post" id={FORM_ID}>
        <input type="hidden" name="price_cents" value={offer.priceCents} />
        <BuyerPart fields={fields} faults={faults} />
        <div class="actions">
          <button class="main" type="submit" name="action" value="pay">
            {`Pay ${moneyText(offer.priceCents, offer.currency)}`}
          </button>
        </div>
      </form>
      <p class="hint centered">{`You return to ${returnsTo}.`}</p>
    </div>
  )
}

/** What a real checkout does not have. Its text names no refusal, which would read like the result of a payment. */
function TestControls() {
  return (
    <aside class="controls" aria-labelledby="test-controls">
      <div>
        <h2 id="test-controls">Test controls</h2>
        <p>A real checkout page does not have them.</p>
      </div>
      <div class="buttons">
        <button type="submit" form={FORM_ID} name="action" value="decline" formNoValidate>
          Decline (simulate a declined card)
        </button>
        <button type="submit" form={FORM_ID} name="action" value="cancel" formNoValidate>
          Cancel
        </button>
      </div>
    </aside>
  )
}

function BuyerPart({ fields, faults }: Pick<FormPageProps, 'fields' | 'faults'>) {
  const common = (name: BuyerField) => ({ name, value: fields[name], fault: faults?.[name], autocomplete: name })
  return (
    <>
      <Field {...common('name')} label="Name" maxLength={LONGEST.name} />
      <Field {...common('email')} label="E-mail" type="email" maxLength={LONGEST.email} />
      <Field {...common('country')} label="Country" options={COUNTRIES} />
    </>
  )
}

type BuyerField = keyof PayingBuyer

/** What the form holds, as the buyer typed it. */
type BuyerFields = Readonly<Record<BuyerField, string>>

/** What is wrong, field by field, in words for the buyer. */
type BuyerFaults = Readonly<Partial<Record<BuyerField, string>>>

const LONGEST = { name: 200, email: 320 } as const

/** What the form holds, without spaces around values. */
function buyerFieldsOf(typed: (name: BuyerField) => string | undefined): BuyerFields {
  const trimmed = (name: BuyerField) => typed(name)?.trim() ?? ''
  return { name: trimmed('name'), email: trimmed('email'), country: trimmed('country') }
}

/** What the buyer must correct before the payment; null if everything is right. */
export function faultsOf({ name, email, country }: BuyerFields): BuyerFaults | null {
  const faults: Partial<Record<BuyerField, string>> = {}
  if (name === '') faults.name = 'Enter your name.'
  else if (name.length > LONGEST.name) faults.name = `Enter a name of at most ${LONGEST.name} characters.`
  else if (!isPlainText(name)) faults.name = 'Enter a name without line breaks or control characters.'
  if (email === '') faults.email = 'Enter your e-mail address.'
  else if (email.length > LONGEST.email || !fitsFormat('email', email)) {
    faults.email = 'Enter an e-mail address like name@example.com.'
  }
  if (!isCountry(country)) faults.country = 'Choose your country.'
  return Object.keys(faults).length > 0 ? faults : null
}

const REGION_NAMES = new Intl.DisplayNames('en', { type: 'region' })
const BY_NAME = new Intl.Collator('en')

const COUNTRIES = [...COUNTRY_CODES]
  .map((code) => [code, REGION_NAMES.of(code) ?? code] as const)
  .sort((a, b) => BY_NAME.compare(a[1], b[1]))

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
      return outcomePage(world, session, {
        status: 200,
        title: 'Payment complete',
        sign: 'done',
        text: `${session.domain} is paid for. You can close this page.`,
        more: <Receipt world={world} id={session.publicId} />,
      })
    case 'paying':
      return outcomePage(world, session, PAYING)
    case 'cancelled':
      return outcomePage(world, session, CANCELED)
    default:
      return null
  }
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
function expiredPage(world: World, session: CheckoutSession): PageReply {
  const text = (
    <>
      It expired on <Instant atMs={session.expiresAtMs} />. Get a new link in the shop.
    </>
  )
  return outcomePage(world, session, { status: 410, title: 'This link has expired', sign: 'waiting', text })
}

/** The page of a domain that cannot be bought now; who bought or holds it is private. */
function unavailablePage(world: World, session: CheckoutSession): PageReply {
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
