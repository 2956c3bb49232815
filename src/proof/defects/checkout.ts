import { findSession, sessionNamedBy } from '../../sandbox/checkout/sessions.ts'
import { LISTING_CURRENCY } from '../../sandbox/inventory/draw-listing.ts'
import { findListing, insertListing } from '../../sandbox/inventory/listings.ts'
import { pageToken, unverifiedToken } from '../../sandbox/kernel/page-token.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { visitCookieName } from '../../sandbox/referral/visits.ts'
import type { PageReply, PageRoute } from '../../sandbox/wire/page.ts'
import { domainIn, HOUR_MS, refusalsOf, refusingWith } from './answers.ts'
import { both, change, changing, type Defect, defect, found, perWorld, type Tampered } from './defect.ts'
import { fieldIn, type ServePage, serving, withField } from './pages.ts'
import {
  altering,
  everyThirdEndsLater,
  handlingBefore,
  isOfLaterPartner,
  keeping,
  listing,
  rowsOfOthers,
} from './routes.ts'

const DAY_SECONDS = 86_400
const WEEK_MS = 7 * DAY_SECONDS * 1_000

/** Mistakes of the hosted checkout. */
export const checkoutDefects: readonly Defect[] = [
  defect('checkout-url-without-token', ['CHK-01'], {
    summary: 'The token in a checkout_url is called token and not pt.',
    ...altering('checkout.create', (body) => ({
      checkout_url: String(body['checkout_url']).replace('?pt=', '?token='),
    })),
  }),
  defect('checkout-url-of-later-partners-has-no-token', ['CHK-01'], {
    summary: 'The checkout_url that any but the first partner gets has no token.',
    ...altering('checkout.create', (body, input) =>
      isOfLaterPartner(input) ? { checkout_url: String(body['checkout_url']).replace(/\?.*$/, '') } : {},
    ),
  }),
  defect('checkout-token-unchecked', ['CHK-02'], {
    summary: 'The token is read and its signature is not looked at.',
    ...believingTokens(),
  }),
  defect('checkout-without-a-token-opens', ['CHK-02'], {
    summary: 'Without a token, the page shows the session that was opened last.',
    hooks: { pages: { checkout: rememberingTheLast() } },
  }),
  defect('checkout-never-expires', ['CHK-02'], {
    summary: 'The hosted page stays good for ever.',
    ...serving('checkout', reviving),
  }),
  defect('checkout-ends-with-the-first-session', ['CHK-02'], {
    summary: 'Once a session for a domain is over, the page of a later one for it is not good.',
    ...serving('checkout', (request, world, correct) => {
      const session = sessionNamedBy(world, fieldIn(request.query, 'pt'))
      const sql = 'SELECT expires_at FROM checkout_sessions WHERE domain = ? ORDER BY seq'
      const isOver = session && Number(found(world, sql, session.domain)) < world.clock.nowMs()
      return correct(isOver ? withField(request, 'query', 'pt', 'over') : request, world)
    }),
  }),
  defect('checkout-expires-after-six-days', ['CHK-02'], {
    summary: 'The hosted page is good for six days.',
    ...changing('checkout', { seconds: 6 * DAY_SECONDS }),
  }),
  defect('some-sessions-say-eight-days', ['CHK-02'], {
    summary: 'Every third checkout session says that it ends after eight days.',
    ...everyThirdEndsLater('checkout.create', 24 * HOUR_MS),
  }),
  defect('checkout-takes-money-and-sells-nothing', ['CHK-03'], {
    summary: 'The page thanks for the payment, and no sale is recorded.',
    ...takingButton('pay', 'cancel'),
  }),
  defect('checkout-sale-is-everyones', ['CHK-03'], {
    summary: 'What is paid on the hosted page is in the history of sales of every partner.',
    ...listing('transactions.list', (own, input, correct) => {
      const others = rowsOfOthers('transactions.list', input, correct)
      return [...others.filter((sale) => sale['payment_model'] === 'hosted_checkout'), ...own]
    }),
  }),
  defect('checkout-sale-of-a-visitor-is-lost', ['CHK-03'], {
    summary:
      'A sale on the page of a session is not in the history of sales if the browser has followed a link before.',
    ...losingSales(),
  }),
  defect('checkout-of-unlisted-domains', ['CHK-06'], {
    summary: 'A session is opened for any domain, listed or not.',
    ...handlingBefore('checkout.create', ({ world, body }) => listUnknown(world, domainIn(body))),
  }),
  defect('checkout-of-unlisted-domains-is-validation-error', ['CHK-06'], {
    summary: 'A session for an unlisted domain is refused with 400 validation_error.',
    ...refusingWith(refusalsOf('checkout.create', 'not_found'), 400, 'validation_error'),
  }),
  defect('detail-forgets-hosted-sales', ['INV-09'], {
    summary: 'Detail shows a domain that was sold on the hosted page as available.',
    ...altering('domains.detail', ({ domain, available }, { world }) => {
      const sale = "SELECT 1 FROM orders WHERE domain = ? AND payment_model = 'hosted_checkout'"
      return { available: available === true || found(world, sale, domain) !== undefined }
    }),
  }),
  defect('checkout-cancel-sells', ['TXN-01'], {
    summary: 'A buyer who presses Cancel has bought.',
    ...takingButton('cancel', 'pay'),
  }),
]

/** A server that takes one button of the page for another. */
function takingButton(pressed: string, taken: string): Tampered {
  return serving('checkout', (request, world, correct) => {
    const isPressed = request.method === 'POST' && fieldIn(request.form, 'action') === pressed
    return correct(isPressed ? withField(request, 'form', 'action', taken) : request, world)
  })
}

/** A server that takes the token of the page that was opened last if a request has none. */
function rememberingTheLast(): (correct: PageRoute) => PageRoute {
  let last = ''
  const named = <Asked extends Parameters<ServePage>[0]>(request: Asked): Asked => {
    return { ...request, ...withField(request, 'query', 'pt', fieldIn(request.query, 'pt') || last) }
  }
  return (page) => ({
    ...page,
    worldOf: (request) => page.worldOf(named(request)),
    handle: (request, world) => {
      const reply = page.handle(named(request), world)
      if (reply.status === 200) last = fieldIn(request.query, 'pt') || last
      return reply
    },
  })
}

/** Gives the session of a token another week, and a token that says so. */
function reviving(...[request, world, correct]: Parameters<ServePage>): PageReply {
  const session = sessionNamedBy(world, fieldIn(request.query, 'pt'))
  if (!session) return correct(request, world)
  const expiresAtMs = world.clock.nowMs() + WEEK_MS
  const reopening = "UPDATE checkout_sessions SET expires_at = ?, state = 'open' WHERE seq = ? AND state = 'expired'"
  change(world, reopening, expiresAtMs, session.seq)
  const token = pageToken(world, 'checkout', { id: session.sessionId, expiresAtMs })
  return correct(withField(request, 'query', 'pt', token), world)
}

/** A server that forgets what visitors of links have bought on the page of a session. */
function losingSales(): Tampered {
  const lost = perWorld(() => new Set<unknown>())
  const page = serving('checkout', (request, world, correct) => {
    const session = request.method === 'POST' ? sessionNamedBy(world, fieldIn(request.query, 'pt')) : null
    if (session?.linkId === null && request.cookies.has(visitCookieName(world))) lost(world).add(session.domain)
    return correct(request, world)
  })
  return both(
    page,
    keeping('transactions.list', ({ domain }, { world }) => !lost(world).has(domain)),
  )
}

/** A server that takes any token which names a session for the right one of it. */
function believingTokens(): Tampered {
  return serving('checkout', (request, world, correct) => {
    const claimed = unverifiedToken('checkout', fieldIn(request.query, 'pt'))
    const session = claimed && findSession(world, claimed.id)
    if (!session) return correct(request, world)
    const real = pageToken(world, 'checkout', { id: session.sessionId, expiresAtMs: session.expiresAtMs })
    return correct(withField(request, 'query', 'pt', real), world)
  })
}

/** Lists a domain for a cent, if it is not in the inventory. */
function listUnknown(world: World, domain: string): void {
  if (findListing(world, domain)) return
  const price = { priceCents: 1, floorPriceCents: 1, currency: LISTING_CURRENCY }
  const facts = { topics: [], registrar: 'nobody', registeredAtMs: world.clock.nowMs(), words: '' }
  insertListing(world.db, { domain, listed: true, liveSite: false, ...price, ...facts })
}
