import { ApiError } from '../../contract/errors.ts'
import type { Rules } from '../../contract/rules.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { ok } from '../../sandbox/wire/answer.ts'
import { PageRefusal } from '../../sandbox/wire/page.ts'
import { BARE_500, codeOf, type Fields, refusingWith, without } from './answers.ts'
import { checkoutTokenDefects } from './checkout-tokens.ts'
import { changing, type Defect } from './defect.ts'
import { fieldIn, serving, withField } from './pages.ts'
import { handling, itemsOf, showing, underRules } from './routes.ts'

const DAY_SECONDS = 86_400

/** Mistakes of the hosted checkout. */
export const checkoutDefects: readonly Defect[] = [
  {
    id: 'checkout-url-without-token',
    breaks: ['CHK-01'],
    summary: 'The token in a checkout_url is called token and not pt.',
    ...showing('checkout.create', (body) => ({
      ...body,
      checkout_url: String(body['checkout_url']).replace('?pt=', '?token='),
    })),
  },
  {
    id: 'checkout-without-url',
    breaks: ['CHK-01'],
    summary: 'A checkout session is answered without its checkout_url.',
    ...showing('checkout.create', (body) => without(body, 'checkout_url')),
  },
  {
    id: 'checkout-page-needs-a-signature',
    breaks: ['CHK-01'],
    summary: 'The hosted page is behind the same check as the API and refuses every browser.',
    ...serving('checkout', () => {
      throw new PageRefusal(403, 'the request carries no key id')
    }),
  },
  {
    id: 'checkout-page-opens-once',
    breaks: ['CHK-01'],
    summary: 'The token is used up when the page is first opened, so a reload refuses.',
    ...opensOnce(),
  },
  {
    id: 'checkout-token-unchecked',
    breaks: ['CHK-02'],
    summary: 'The token is read and its signature is not looked at.',
    ...changing('checkout', { tokenChecked: 'never' }),
  },
  {
    id: 'checkout-token-unchecked-at-its-end',
    breaks: ['CHK-02'],
    summary: 'The last character of the token does not count, as base64 has bits to spare there.',
    ...changing('checkout', { tokenChecked: 'all-but-last-character' }),
  },
  ...checkoutTokenDefects,
  {
    id: 'checkout-never-expires',
    breaks: ['CHK-02'],
    summary: 'The hosted page stays good for ever.',
    ...changing('checkout', { expiryChecked: false }),
  },
  {
    id: 'checkout-expires-after-six-days',
    breaks: ['CHK-02'],
    summary: 'The hosted page is good for six days.',
    ...changing('checkout', { seconds: 6 * DAY_SECONDS }),
  },
  {
    id: 'checkout-expires-after-seven-weeks',
    breaks: ['CHK-02'],
    summary: 'The hosted page is good for seven weeks.',
    ...changing('checkout', { seconds: 7 * 7 * DAY_SECONDS }),
  },
  {
    id: 'checkout-expires-with-its-last-day',
    breaks: ['CHK-02'],
    summary: 'The hosted page is good until the end of the day on which its seven days are over.',
    ...changing('checkout', { seconds: 8 * DAY_SECONDS }),
  },
  {
    id: 'checkout-expires-by-the-machines-clock',
    breaks: ['CHK-02'],
    summary: 'Whether the seven days are over is asked of the machine and not of the time that the service goes by.',
    ...serving('checkout', (request, world, sound) => sound(request, byWallTime(world))),
  },
  {
    id: 'checkout-form-unchecked',
    breaks: ['CHK-02'],
    summary: 'An altered token opens no page, yet the form is taken with one.',
    ...serving('checkout', (request, world, sound) =>
      sound(request, request.method === 'POST' ? believingAnyToken(world) : world),
    ),
  },
  {
    id: 'checkout-form-outlives-its-page',
    breaks: ['CHK-02'],
    summary: 'An expired page does not open, yet whoever has it open still may pay.',
    ...serving('checkout', (request, world, sound) =>
      sound(request, request.method === 'POST' ? neverExpiring(world) : world),
    ),
  },
  {
    id: 'checkout-sale-is-nobodys',
    breaks: ['CHK-03'],
    summary: 'What is paid on the hosted page is attributed to no partner.',
    ...changing('checkout', { attributesTo: 'nobody' }),
  },
  {
    id: 'checkout-sale-is-the-first-partners',
    breaks: ['CHK-03'],
    summary: 'What is paid on the hosted page is attributed to the first partner there is.',
    ...handling('checkout.create', (input, sound) => {
      const first = input.world.db.prepare('SELECT partner_id FROM credentials ORDER BY id').pluck().get()
      return sound({ ...input, caller: { ...input.caller, partnerId: String(first) } })
    }),
  },
  {
    id: 'checkout-takes-money-and-sells-nothing',
    breaks: ['CHK-03'],
    summary: 'The page thanks for the payment, and no sale is recorded.',
    ...serving('checkout', (request, world, sound) => {
      const isPayment = request.method === 'POST' && fieldIn(request.form, 'action') === 'pay'
      return sound(isPayment ? withField(request, 'form', 'action', 'cancel') : request, world)
    }),
  },
  {
    id: 'checkout-sale-is-missing-from-the-history',
    breaks: ['CHK-03'],
    summary: 'The history of sales has no hosted checkout in it.',
    ...showing('transactions.list', (body) => ({
      ...body,
      transactions: itemsOf(body, 'transactions').filter((sale) => sale['payment_model'] !== 'hosted_checkout'),
    })),
  },
  {
    id: 'checkout-sale-is-everyones',
    breaks: ['CHK-03'],
    summary: 'What is paid on the hosted page is in the history of sales of every partner.',
    ...handling('transactions.list', (input, sound) => {
      const own = sound(input).body as Fields
      const all = sound(underRules(input, everyones)).body as Fields
      const hosted = itemsOf(all, 'transactions').filter((sale) => sale['payment_model'] === 'hosted_checkout')
      const others = itemsOf(own, 'transactions').filter((sale) => sale['payment_model'] !== 'hosted_checkout')
      return ok({ ...own, transactions: [...hosted, ...others] })
    }),
  },
  {
    id: 'checkout-cancel-sells',
    breaks: ['TXN-01'],
    summary: 'Whoever presses Cancel has bought.',
    ...serving('checkout', (request, world, sound) => {
      const isLeaving = request.method === 'POST' && fieldIn(request.form, 'action') === 'cancel'
      return sound(isLeaving ? withField(request, 'form', 'action', 'pay') : request, world)
    }),
  },
  {
    id: 'checkout-of-unlisted-domains',
    breaks: ['CHK-06'],
    summary: 'A session is opened for any domain, listed or not.',
    ...changing('checkout', { listedOnly: false }),
  },
  {
    id: 'checkout-of-unlisted-domains-is-validation-error',
    breaks: ['CHK-06'],
    summary: 'A session for an unlisted domain is refused with 400 validation_error.',
    ...refusingUnlisted({ status: 400, code: 'validation_error' }),
  },
  {
    id: 'checkout-of-unlisted-domains-is-conflict',
    breaks: ['CHK-06'],
    summary: 'A session for an unlisted domain is refused with 409 conflict, as for a sold one.',
    ...refusingUnlisted({ status: 409, code: 'conflict' }),
  },
  {
    id: 'checkout-of-unlisted-domains-is-empty',
    breaks: ['CHK-06'],
    summary: 'A session for an unlisted domain is answered 200 and available false, as availability does.',
    ...handling('checkout.create', (input, sound) => {
      try {
        return sound(input)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
        return ok({ domain: input.body['domain'], available: false })
      }
    }),
  },
  {
    id: 'checkout-of-no-json-crashes',
    breaks: ['ERR-02'],
    summary: 'A checkout session whose body is malformed ends in a 500.',
    ...refusingWith(
      (answer, call) => call.endpoint === 'checkout.create' && codeOf(answer) === 'validation_error',
      BARE_500,
    ),
  },
]

function everyones(rules: Rules): Rules {
  return { ...rules, reports: { ...rules.reports, shows: 'everyones' } }
}

function opensOnce(): Pick<Defect, 'hooks'> {
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

function neverExpiring(world: World): World {
  return withCheckout(world, { expiryChecked: false })
}

function believingAnyToken(world: World): World {
  return withCheckout(world, { tokenChecked: 'never' })
}

function withCheckout(world: World, change: Partial<Rules['checkout']>): World {
  return { ...world, rules: { ...world.rules, checkout: { ...world.rules.checkout, ...change } } }
}

/** Sessions whose days are over have been marked as such by the world's own time, which is not to be seen. */
function byWallTime(world: World): World {
  const clock: World['clock'] = Object.create(world.clock, { nowMs: { value: () => world.wall.nowMs() } })
  return { ...neverExpiring(world), clock }
}

function refusingUnlisted(refusal: { status: number; code: 'validation_error' | 'conflict' }): Pick<Defect, 'hooks'> {
  return refusingWith((answer, call) => call.endpoint === 'checkout.create' && codeOf(answer) === 'not_found', refusal)
}
