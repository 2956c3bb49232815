import { findSession, sessionNamedBy } from '../../sandbox/checkout/sessions.ts'
import { LISTING_CURRENCY } from '../../sandbox/inventory/draw-listing.ts'
import { type PageToken, pageToken, unverifiedToken } from '../../sandbox/kernel/page-token.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { PageRefusal, type PageReply } from '../../sandbox/wire/page.ts'
import { ok } from '../../sandbox/wire/route.ts'
import { crashing, type Fields, refusalsOf, refusingWith } from './answers.ts'
import { changing, type Defect, defect, type Tampered } from './defect.ts'
import { listAtExpectedPrice } from './orders.ts'
import { fieldIn, type ServePage, serving, withField } from './pages.ts'
import { altering, handling, itemsOf, lacking, rowsOfOthers } from './routes.ts'

const DAY_SECONDS = 86_400
const WEEK_MS = 7 * DAY_SECONDS * 1_000

/** How much of a digest a server looks at that compares only its beginning. */
const PREFIX = 8

/** Mistakes of the hosted checkout. */
export const checkoutDefects: readonly Defect[] = [
  defect('checkout-url-without-token', ['CHK-01'], {
    summary: 'The token in a checkout_url is called token and not pt.',
    ...altering('checkout.create', (body) => ({
      checkout_url: String(body['checkout_url']).replace('?pt=', '?token='),
    })),
  }),
  defect('checkout-without-url', ['CHK-01'], {
    summary: 'A checkout session is answered without its checkout_url.',
    ...lacking('checkout.create', 'checkout_url'),
  }),
  defect('checkout-page-needs-a-signature', ['CHK-01'], {
    summary: 'The hosted page is behind the same check as the API and refuses every browser.',
    ...serving('checkout', () => {
      throw new PageRefusal(403, 'the request carries no key id')
    }),
  }),
  defect('checkout-page-opens-once', ['CHK-01'], {
    summary: 'The token is used up when the page is first opened, so a reload refuses.',
    ...opensOnce(),
  }),
  defect('checkout-token-unchecked', ['CHK-02'], {
    summary: 'The token is read and its signature is not looked at.',
    ...believing(() => true),
  }),
  defect('checkout-token-unchecked-at-its-end', ['CHK-02'], {
    summary: 'The last character of the token does not count, as base64 has bits to spare there.',
    ...believing(
      (given, correct) => given.facts === correct.facts && given.digest.slice(0, -1) === correct.digest.slice(0, -1),
    ),
  }),
  defect('checkout-token-signature-compared-by-its-beginning', ['CHK-02'], {
    summary: 'Of the signature of a token the first eight characters are compared.',
    ...believing((given, sound) => given.facts === sound.facts && begins(given.digest, sound.digest)),
  }),
  defect('checkout-token-signature-compared-without-case', ['CHK-02'], {
    summary: 'The signature of a token is compared without regard to upper and lower case.',
    ...believing(
      (given, sound) => given.facts === sound.facts && given.digest.toLowerCase() === sound.digest.toLowerCase(),
    ),
  }),
  defect('checkout-token-expiry-unsigned', ['CHK-02'], {
    summary: 'The signature of a token does not cover the time at which it ends.',
    ...believing((given, sound) => given.digest === sound.digest),
  }),
  defect('checkout-token-facts-read-leniently', ['CHK-02'], {
    summary: 'The signature covers the decoded token, so its unused bits may have any value.',
    ...believing((given, sound) => given.digest === sound.digest && decoded(given.facts) === decoded(sound.facts)),
  }),
  defect('checkout-never-expires', ['CHK-02'], {
    summary: 'The hosted page stays good for ever.',
    ...serving('checkout', reviving),
  }),
  defect('checkout-expires-after-six-days', ['CHK-02'], {
    summary: 'The hosted page is good for six days.',
    ...changing('checkout', { seconds: 6 * DAY_SECONDS }),
  }),
  defect('checkout-form-unchecked', ['CHK-02'], {
    summary: 'An altered token opens no page, yet the form is taken with one.',
    ...takingForms(believed(() => true)),
  }),
  defect('checkout-form-outlives-its-page', ['CHK-02'], {
    summary: 'An expired page does not open, yet a buyer who has it open can still pay.',
    ...takingForms(reviving),
  }),
  defect('checkout-sale-is-the-first-partners', ['CHK-03'], {
    summary: 'What is paid on the hosted page is attributed to the first partner there is.',
    ...handling('checkout.create', (input, sound) => {
      const first = input.world.db.prepare('SELECT partner_id FROM credentials ORDER BY id').pluck().get()
      return sound({ ...input, caller: { ...input.caller, partnerId: String(first) } })
    }),
  }),
  defect('checkout-takes-money-and-sells-nothing', ['CHK-03'], {
    summary: 'The page thanks for the payment, and no sale is recorded.',
    ...takingButton('pay', 'cancel'),
  }),
  defect('checkout-sale-is-everyones', ['CHK-03'], {
    summary: 'What is paid on the hosted page is in the history of sales of every partner.',
    ...handling('transactions.list', (input, sound) => {
      const own = sound(input).body as Fields
      const others = rowsOfOthers(input, sound, 'transactions')
      const hosted = others.filter((sale) => sale['payment_model'] === 'hosted_checkout')
      return ok({ ...own, transactions: [...hosted, ...itemsOf(own, 'transactions')] })
    }),
  }),
  defect('checkout-cancel-sells', ['TXN-01'], {
    summary: 'A buyer who presses Cancel has bought.',
    ...takingButton('cancel', 'pay'),
  }),
  defect('checkout-of-unlisted-domains', ['CHK-06'], {
    summary: 'A session is opened for any domain, listed or not.',
    ...handling('checkout.create', (input, correct) => {
      listAtExpectedPrice({ ...input, body: { ...input.body, expected_price: 1, currency: LISTING_CURRENCY } })
      return correct(input)
    }),
  }),
  defect('checkout-of-unlisted-domains-is-validation-error', ['CHK-06'], {
    summary: 'A session for an unlisted domain is refused with 400 validation_error.',
    ...refusingWith(refusalsOf('checkout.create', 'not_found'), 400, 'validation_error'),
  }),
  defect('checkout-of-no-json-crashes', ['ERR-02'], {
    summary: 'A checkout session whose body is malformed ends in a 500.',
    ...crashing(refusalsOf('checkout.create', 'validation_error')),
  }),
]

function opensOnce(): Tampered {
  const opened = new WeakMap<World['db'], Set<string>>()
  return serving('checkout', (request, world, sound) => {
    const token = fieldIn(request.query, 'pt')
    const seen = opened.get(world.db) ?? new Set()
    opened.set(world.db, seen)
    if (request.method === 'GET' && seen.has(token)) throw new PageRefusal(410, 'the token has been used')
    seen.add(token)
    return sound(request, world)
  })
}

/** A server that takes the form of the page in another way than it shows the page. */
function takingForms(take: ServePage): Tampered {
  return serving('checkout', (request, world, correct) =>
    request.method === 'POST' ? take(request, world, correct) : correct(request, world),
  )
}

/** A server that takes one button of the page for another. */
function takingButton(pressed: string, taken: string): Tampered {
  return serving('checkout', (request, world, sound) => {
    const isPressed = request.method === 'POST' && fieldIn(request.form, 'action') === pressed
    return sound(isPressed ? withField(request, 'form', 'action', taken) : request, world)
  })
}

/** Gives the session of a token another week, and a token that says so. */
function reviving(...[request, world, correct]: Parameters<ServePage>): PageReply {
  const session = sessionNamedBy(world, fieldIn(request.query, 'pt'))
  if (!session) return correct(request, world)
  const expiresAtMs = world.clock.nowMs() + WEEK_MS
  world.db
    .prepare("UPDATE checkout_sessions SET expires_at = ?, state = 'open' WHERE seq = ? AND state = 'expired'")
    .run(expiresAtMs, session.seq)
  const token = pageToken(world, 'checkout', { id: session.sessionId, expiresAtMs })
  return correct(withField(request, 'query', 'pt', token), world)
}

interface TokenParts {
  facts: string
  digest: string
}

/**
 * A server that accepts more tokens than it should.
 *
 * @param isGood decides by the given token and the real token of the session that it names.
 */
function believing(isGood: IsGood): Tampered {
  return serving('checkout', believed(isGood))
}

type IsGood = (given: TokenParts, correct: TokenParts) => boolean

function believed(isGood: IsGood): ServePage {
  return (request, world, correct) => {
    const given = fieldIn(request.query, 'pt')
    const real = realToken(world, unverifiedToken('checkout', given))
    const isBelieved = real !== null && isGood(partsOf(given), partsOf(real))
    return correct(isBelieved ? withField(request, 'query', 'pt', real) : request, world)
  }
}

function realToken(world: World, claimed: PageToken | null): string | null {
  const session = claimed && findSession(world, claimed.id)
  return session && pageToken(world, 'checkout', { id: session.sessionId, expiresAtMs: session.expiresAtMs })
}

function partsOf(token: string): TokenParts {
  const [facts = '', digest = ''] = token.split('.')
  return { facts, digest }
}

function decoded(facts: string): string {
  return Buffer.from(facts, 'base64url').toString('utf8')
}

function begins(given: string, sound: string): boolean {
  return given.length === sound.length && given.slice(0, PREFIX) === sound.slice(0, PREFIX)
}
