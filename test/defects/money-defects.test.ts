import { closeDeal, deliver, payOut, sellHosted, settle, step } from '../support/sales.ts'
import type { TestSandbox } from '../support/sandbox.ts'
import { type Probe, showDefects } from './probe.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are judged member by member
type Fields = any
type Look = Probe['look']

const read = async (sandbox: TestSandbox, path: string, as = 'main'): Promise<Fields> =>
  (await sandbox.call({ as, path })).json

/** Orders of these kinds, made before one of the partner's own is settled; gives the latest statement, in shares of its price. */
const stated =
  (
    look: (statement: Fields, price: number, list: Fields[]) => unknown,
    before: (sandbox: TestSandbox) => unknown = () => {},
  ): Look =>
  async (sandbox) => {
    await before(sandbox)
    const { public_id, sale_price_cents } = (await sandbox.sell()).json
    await deliver(sandbox, public_id)
    await settle(sandbox)
    const { settlements } = await read(sandbox, '/settlements')
    return look(settlements[0] ?? null, sale_price_cents, settlements)
  }

const adds = stated(
  (found: Fields) => found.gross_sold_cents === found.commission_retained_cents + found.amount_owed_cents,
)
const isGross = (before?: (sandbox: TestSandbox) => unknown) =>
  stated((found: Fields, price) => found.gross_sold_cents === price, before)

const undelivered = (sandbox: TestSandbox) => sandbox.sell()
const hosted = async (sandbox: TestSandbox) => deliver2(sandbox, (await sellHosted(sandbox)).public_id)
const deliver2 = (sandbox: TestSandbox, publicId: string) => step(sandbox, publicId, 'complete-transfer')
const refunded = async (sandbox: TestSandbox) => step(sandbox, (await sandbox.sell()).json.public_id, 'refund')
const earlier = async (sandbox: TestSandbox) => {
  await deliver(sandbox, (await sandbox.sell()).json.public_id)
  await settle(sandbox)
}
const foreign = async (sandbox: TestSandbox) => {
  await deliver(sandbox, (await sandbox.sell({ as: 'other-partner' })).json.public_id)
  await settle(sandbox)
}

/** One sale of each model, and what the transactions then say. */
const transactions =
  (look: (body: Fields) => unknown, query = ''): Look =>
  async (sandbox) => {
    await sandbox.sell()
    await sellHosted(sandbox)
    await closeDeal(sandbox, 123_400)
    return look(await read(sandbox, `/transactions${query}`))
  }

const models = (body: Fields) =>
  body.transactions
    .map((row: Fields) => row.payment_model)
    .sort()
    .join()
const ALL = 'brokerage,hosted_checkout,partner_collected'
const balances = ({ transactions: rows, totals }: Fields) =>
  rows.reduce((sum: number, row: Fields) => sum + row.sale_price_cents, 0) === totals.gmv_cents &&
  rows.reduce((sum: number, row: Fields) => sum + row.commission_cents, 0) === totals.commission_cents

/** Two hosted sales, paid by two runs, beside one of the partner's own. */
const paid =
  (look: (body: Fields) => unknown, path = '/payouts'): Look =>
  async (sandbox) => {
    await deliver(sandbox, (await sandbox.sell()).json.public_id)
    for (const _ of [1, 2]) {
      await hosted(sandbox)
      await payOut(sandbox)
    }
    return look(await read(sandbox, path))
  }

const payouts = paid(({ payouts: list }) => list.length)
/** What was paid, against the commission of the hosted sales. */
const paysHostedAlone: Look = async (sandbox) => {
  await payouts(sandbox)
  const { totals } = await read(sandbox, '/transactions?payment_model=hosted_checkout')
  return Math.sign((await read(sandbox, '/payouts')).total_paid_cents - totals.commission_cents)
}

const totalIsSum = (path?: string) =>
  paid(
    ({ payouts: list, total_paid_cents }) =>
      list.reduce((sum: number, one: Fields) => sum + one.amount_cents, 0) === total_paid_cents,
    path,
  )

/** A sale over a link, then another that is undone; the ledger, newest line first. */
const ledger =
  (look: (entries: Fields[]) => unknown): Look =>
  async (sandbox) => {
    await hosted(sandbox)
    await payOut(sandbox)
    await step(sandbox, (await sellHosted(sandbox)).public_id, 'refund')
    return look((await read(sandbox, '/me/commissions')).entries)
  }

const runs = ledger((entries) => {
  let sum = 0
  return [...entries].reverse().every(({ amount_cents, balance_cents }) => {
    sum += amount_cents
    return sum === balance_cents
  })
})
const kinds = ledger((entries) => [...new Set(entries.map(({ kind }) => kind))].sort().join())

/** A referred sale beside one that no link led to. */
const referred =
  (look: (sale: Fields, funnel: Fields, list: Fields[]) => unknown, query = ''): Look =>
  async (sandbox) => {
    await sandbox.sell()
    const link = (await sandbox.call({ path: '/links', body: { kind: 'generic' } })).json
    await sellHosted(sandbox, { link_id: link.link_id })
    const { sales } = await read(sandbox, '/me/sales')
    return look(sales[0], await read(sandbox, `/analytics${query}`), sales)
  }

const agrees = referred(
  (sale, funnel) => funnel.gmv_cents === sale.amount_cents && funnel.commission_cents === sale.commission_cents,
)
const gmv = (query: string) => referred((_, funnel) => funnel.gmv_cents > 0, query)
const [PAST, FUTURE] = ['2001-01-01', '2199-01-01']

const sets = (ids: readonly string[], look: Look, sound: unknown, broken: unknown): Probe[] =>
  ids.map((defect) => ({ defect, look, sound, broken }))

showDefects([
  ...sets(
    ['statement-owes-the-gross', 'statement-owes-the-commission', 'statement-gross-is-the-commission'],
    adds,
    true,
    false,
  ),
  ...sets(['statement-gross-is-net', 'statement-loses-a-cent-an-order'], adds, true, false),
  ...sets(
    ['no-statements'],
    stated((found) => found === null),
    false,
    true,
  ),
  ...sets(
    ['statement-without-period'],
    stated((found: Fields) => found.period_end !== undefined),
    true,
    false,
  ),
  ...sets(
    ['statement-retains-nothing'],
    stated((found: Fields) => found.commission_retained_cents > 0),
    true,
    false,
  ),
  ...sets(
    ['statement-includes-unsettled-orders', 'statement-includes-recorded-orders'],
    isGross(undelivered),
    true,
    false,
  ),
  ...sets(['statement-includes-hosted-orders'], isGross(hosted), true, false),
  ...sets(['statement-includes-refunded-orders'], isGross(refunded), true, false),
  ...sets(['statement-includes-foreign-orders'], isGross(foreign), true, false),
  ...sets(['statement-repeats-earlier-ones'], isGross(earlier), true, false),
  ...sets(['statement-leaves-the-last-order-out'], isGross(), true, false),
  ...sets(
    ['statement-names-unsettled-orders'],
    stated((found: Fields) => found.orders.length, undelivered),
    1,
    2,
  ),
  ...sets(
    ['settlement-list-shows-everyones'],
    stated((_, __, list) => new Set(list.map(({ period_end }) => period_end)).size === list.length),
    true,
    false,
  ),
  ...sets(['transactions-lack-hosted-checkout-sales'], transactions(models), ALL, 'brokerage,partner_collected'),
  ...sets(['transactions-lack-brokerage-sales'], transactions(models), ALL, 'hosted_checkout,partner_collected'),
  ...sets(
    ['transaction-gmv-lacks-a-row', 'transaction-gmv-is-the-commission', 'transaction-commission-lacks-own-sales'],
    transactions(balances),
    true,
    false,
  ),
  ...sets(['transaction-amount-is-net'], transactions(balances), true, false),
  ...sets(
    ['transaction-totals-of-the-page'],
    transactions(({ totals }) => totals.count, '?limit=1'),
    3,
    1,
  ),
  ...sets(['transaction-totals-without-the-filter'], transactions(balances, '?status=EXTERNALLY_PAID'), true, false),
  ...sets(['transactions-ignore-status'], transactions(models, '?status=EXTERNALLY_PAID'), 'partner_collected', ALL),
  ...sets(['transactions-ignore-payment-model'], transactions(models, '?payment_model=brokerage'), 'brokerage', ALL),
  ...sets(['transactions-ignore-from'], transactions(models, `?from=${FUTURE}`), '', ALL),
  ...sets(['transactions-ignore-to'], transactions(models, `?to=${PAST}`), '', ALL),
  ...sets(
    ['transactions-heed-the-model-alone'],
    transactions(models, '?payment_model=partner_collected&status=SETTLED'),
    '',
    'partner_collected',
  ),
  ...sets(
    ['transactions-heed-the-status-alone'],
    transactions(models, `?status=EXTERNALLY_PAID&to=${PAST}`),
    '',
    'partner_collected',
  ),
  ...sets(
    ['transactions-fit-any-filter'],
    transactions(models, '?payment_model=hosted_checkout&status=EXTERNALLY_PAID'),
    '',
    'hosted_checkout,partner_collected',
  ),
  ...sets(['transactions-swap-from-and-to'], transactions(models, `?from=${PAST}`), ALL, ''),
  ...sets(['payouts-pay-partner-collected-sales'], paysHostedAlone, 0, 1),
  ...sets(['payouts-lack-hosted-sales', 'payout-list-is-empty'], payouts, 2, 0),
  ...sets(['payout-list-says-everything-twice'], payouts, 2, 4),
  ...sets(['payout-total-of-the-latest'], totalIsSum(), true, false),
  ...sets(
    ['affiliate-payout-total-is-a-cent-off', 'affiliate-payout-total-lacks-the-latest'],
    totalIsSum('/me/payouts'),
    true,
    false,
  ),
  ...sets(['affiliate-payouts-are-never-listed'], totalIsSum('/me/payouts'), true, false),
  ...sets(
    ['payouts-of-payouts-list-without-date'],
    paid(({ payouts: [first] }) => first.paid_at !== undefined),
    true,
    false,
  ),
  ...sets(
    [
      'ledger-balance-of-the-line',
      'ledger-balance-is-the-last',
      'ledger-adds-what-is-taken-back',
      'ledger-balance-ignores-reversals',
    ],
    runs,
    true,
    false,
  ),
  ...sets(['ledger-lacks-reversed-lines'], kinds, 'accrued,paid_out,pending,reversed', 'accrued,paid_out,pending'),
  ...sets(['ledger-has-one-kind'], kinds, 'accrued,paid_out,pending,reversed', 'commission'),
  ...sets(
    ['attributed-sale-without-buyer'],
    referred((sale) => sale.buyer !== undefined),
    true,
    false,
  ),
  ...sets(['attributed-sale-amount-is-net', 'attributed-sale-commission-is-halved'], agrees, true, false),
  ...sets(
    ['funnel-gmv-is-net', 'funnel-commission-is-zero', 'funnel-gmv-is-in-units', 'funnel-counts-unreferred-sales'],
    agrees,
    true,
    false,
  ),
  ...sets(['funnel-ignores-from', 'funnel-is-of-all-time'], gmv(`?from=${FUTURE}`), false, true),
  ...sets(['funnel-ignores-to'], gmv(`?to=${PAST}`), false, true),
])
