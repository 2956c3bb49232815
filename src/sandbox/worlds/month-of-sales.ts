import { CASE_TIERS } from '../../contract/case-states.ts'
import { ApiError } from '../../contract/errors.ts'
import type { OrderStepName } from '../../contract/order-states.ts'
import type { Environment } from '../app/environment.ts'
import { takeCaseStep } from '../brokerage/case-steps.ts'
import { openCase, ownCase } from '../brokerage/cases.ts'
import { cancel, pay } from '../checkout/payments.ts'
import { findSession, openSession } from '../checkout/sessions.ts'
import type { CheckoutSession } from '../checkout/types.ts'
import { lastEventSeq } from '../events/events.ts'
import { addDrawnListings } from '../inventory/generate.ts'
import { pauseIn } from '../kernel/batches.ts'
import { createDice, type Dice, seedKey } from '../kernel/chance.ts'
import type { Credential, World } from '../kernel/world.ts'
import { recordOrder, takeStep } from '../sales/order-steps.ts'
import { ownOrder } from '../sales/orders.ts'
import { forSale, issueQuote, quoteId } from '../sales/quotes.ts'
import { requestRefund } from '../sales/refunds.ts'
import { startPayouts } from '../settlement/payout-runs.ts'
import { startSettlement } from '../settlement/settlement-runs.ts'
import { advance, Script, type ScriptedAct } from './advance.ts'

/** Few milliseconds' worth. */
const LISTINGS_A_BATCH = 100

/**
 * Moves a world's clock by a month, in which so many domains are sold: with quotes, checkout sessions, brokerage cases, settlement
 * runs and payouts. Each order sells a listing that is added for it, so the domains that are for sale stay so. The seed of the world and
 * the length of its history decide everything.
 *
 * @param stop ends the month at the instant that it has reached.
 * @throws ApiError conflict while a jump is under way, and in a world without a credential that may sell.
 */
export async function seedWorld(world: Environment, orders: number, stop?: AbortSignal) {
  const sellers = sellersOf(world)
  const script = new Script(async () => {
    const seed = `${world.chance.seed} ${lastEventSeq(world)}`
    const pause = pauseIn(world)
    const domains = await addListings(world, orders, pause)
    return monthOfSales({ fromMs: world.clock.nowMs(), domains, sellers, seed }, pause)
  })
  const { fromMs, toMs, stopped } = await advance(
    world,
    { byMs: MONTH_MS },
    { script, listed: 0, ...(stop && { stop }) },
  )
  return { fromMs, toMs, stopped, made: script.made }
}

/** A credential of each partner that may sell in every way. */
function sellersOf({ credentials }: Environment): Credential[] {
  const able = [...credentials.values()].filter(
    ({ revoked, scopes, affiliate, merchantOfRecord }) =>
      !revoked && scopes.has('buy') && affiliate && merchantOfRecord,
  )
  const sellers = [...new Map(able.map((credential) => [credential.partnerId, credential])).values()]
  if (sellers.length === 0) {
    throw new ApiError(
      'conflict',
      'no credential of this world may sell: one with the scope buy, affiliate and merchant_of_record',
    )
  }
  return sellers
}

async function addListings(world: Environment, count: number, pause: () => Promise<void>): Promise<string[]> {
  const domains: string[] = []
  while (domains.length < count) {
    const some = Math.min(LISTINGS_A_BATCH, count - domains.length)
    domains.push(...world.commits.commitNow(() => addDrawnListings(world, some)))
    await pause()
  }
  return domains
}

/** What a month is drawn for. */
interface MonthOptions {
  readonly fromMs: number
  readonly domains: readonly string[]
  /** Who sells, in turns; one for each partner. */
  readonly sellers: readonly Credential[]
  /** The same seed and the same options give the same month. */
  readonly seed: string
}

const MINUTE_MS = 60_000
const HOUR = 60
const DAY = 24 * HOUR
export const MONTH_MS = 30 * DAY * MINUTE_MS

/** A range of minutes, from which one is drawn. */
type Minutes = readonly [least: number, most: number]

/** What follows a sale: a step of its order that an operator takes, or a refund that the partner asks for. */
type Follow = readonly [after: Minutes, what: OrderStepName | 'refund by the partner']

/** When in the month a sale of this kind is made, and what becomes of its order. */
interface Fate {
  readonly sold: Minutes
  readonly hosted?: true
  readonly follows: readonly Follow[]
}

const TRANSFER: readonly Follow[] = [
  [[10, 6 * HOUR], 'start-transfer'],
  [[DAY, 2 * DAY], 'complete-transfer'],
]
/** Each week, at the same hour. */
const SETTLEMENTS: readonly number[] = [7 * DAY, 14 * DAY, 21 * DAY, 28 * DAY]
const PAYOUTS = 29 * DAY

const settled: Fate = { sold: [3 * HOUR, 25 * DAY], follows: TRANSFER }
const paid: Fate = { sold: [29 * DAY, 30 * DAY], follows: [] }
const inTransfer: Fate = { sold: [28 * DAY, 29 * DAY], follows: [[[10, 6 * HOUR], 'start-transfer']] }
/** After the last settlement. */
const delivered: Fate = { sold: [27 * DAY, 27 * DAY + 12 * HOUR], follows: TRANSFER }
const held: Fate = { sold: [26 * DAY, 29 * DAY], follows: [[[5, HOUR], 'hold']] }
const cleared: Fate = {
  sold: [3 * HOUR, 22 * DAY],
  follows: [[[5, HOUR], 'hold'], [[4 * HOUR, 2 * DAY], 'clear'], ...TRANSFER],
}
const refunded: Fate = { sold: [3 * HOUR, 27 * DAY], follows: [[[HOUR, 2 * DAY], 'refund by the partner']] }
const cancelled: Fate = { sold: [3 * HOUR, 28 * DAY], follows: [[[30, 10 * HOUR], 'cancel']] }
/** After its settlement, so that a statement carries an adjustment. */
const undone: Fate = { sold: [3 * HOUR, 11 * DAY], follows: [...TRANSFER, [[8 * DAY, 12 * DAY], 'refund']] }
const hosted: Fate = {
  sold: [3 * HOUR, 29 * DAY],
  hosted: true,
  follows: [[[DAY, 3 * DAY], 'complete-transfer']],
}

/** In turns, the rarest first, so that eight orders have every state. */
const FATES: readonly Fate[] = [
  ...[settled, paid, inTransfer, delivered, held, refunded, cancelled, hosted, cleared, undone],
  ...[settled, settled, hosted, settled, settled, settled, hosted, settled, settled, hosted],
]

/** How cases go on, in turns. */
const CASES = [['negotiate', 'close-deal'], ['negotiate', 'close-no-deal'], ['negotiate'], []] as const

const FIRST_NAMES = ['Ada', 'Amir', 'Chloe', 'Diego', 'Emma', 'Hana', 'Jonas', 'Lena', 'Mateo', 'Noor', 'Sofia', 'Yuki']
const LAST_NAMES = ['Berg', 'Costa', 'Dubois', 'Haddad', 'Ito', 'Kim', 'Miller', 'Novak', 'Okafor', 'Rossi', 'Silva']
const COUNTRIES = ['US', 'US', 'US', 'GB', 'DE', 'FR', 'SE', 'JP', 'BR', 'IN']
const SHOP = 'https://shop.example.test'

/** Few milliseconds' worth. */
const SALES_A_BATCH = 100
/** So often a brokerage case is opened. */
const SALES_A_CASE = 15

/**
 * A month of sales in the order of time: quotes, orders and what becomes of them, sessions, cases, settlements and payouts.
 *
 * @param pause comes after each batch, because a month may have half a million acts.
 */
async function monthOfSales(options: MonthOptions, pause: () => Promise<void>): Promise<ScriptedAct[]> {
  const { domains, fromMs } = options
  const byHour: ScriptedAct[][] = []
  const add = (act: ScriptedAct) => {
    const hour = Math.floor(act.atMs / (HOUR * MINUTE_MS))
    byHour[hour] ??= []
    byHour[hour].push({ ...act, atMs: fromMs + act.atMs })
  }
  for (const n of domains.keys()) {
    actsOfSale(options, n).forEach(add)
    if (n % SALES_A_CASE === 0) actsOfCase(options, n / SALES_A_CASE).forEach(add)
    if (n % SALES_A_BATCH === 0) await pause()
  }
  for (const minute of SETTLEMENTS) add({ atMs: minute * MINUTE_MS, makes: 'settlement_runs', run: startSettlement })
  add({ atMs: PAYOUTS * MINUTE_MS, makes: 'payout_runs', run: startPayouts })
  const inOrder: ScriptedAct[] = []
  for (const acts of byHour) {
    inOrder.push(...(acts ?? []).sort((a, b) => a.atMs - b.atMs))
    await pause()
  }
  return inOrder
}

interface DrawnSale {
  readonly seller: Credential
  readonly domain: string
  readonly buyer: { email: string; name: string; country: string }
  readonly soldMs: number
  readonly dice: Dice
  /** Known once the order is recorded. */
  publicId: string
}

function actsOfSale({ seed, domains, sellers }: MonthOptions, n: number): ScriptedAct[] {
  const dice = createDice(seedKey(seed, 'sales'), n, 0)
  const { sold, hosted, follows } = FATES[n % FATES.length] as Fate
  const sale: DrawnSale = {
    seller: sellers[dice.below(sellers.length)] as Credential,
    domain: domains[n] as string,
    buyer: drawBuyer(dice),
    soldMs: drawMs(dice, sold),
    dice,
    publicId: '',
  }
  const before = n % 4 === 0 ? [quoteThatExpires(sale)] : n % 10 === 5 ? sessionWithoutSale(sale) : []
  return [...before, ...(hosted ? hostedSale(sale) : collectedSale(sale)), ...actsThatFollow(sale, follows)]
}

/** An hour or more before the sale, so that its ten minutes are over. */
function quoteThatExpires({ seller, domain, soldMs, dice }: DrawnSale): ScriptedAct {
  const atMs = soldMs - drawMs(dice, [HOUR, 2 * HOUR])
  return { atMs, makes: 'quotes', run: (world) => issueQuote(world, seller, { domain }) }
}

/** A buyer who goes to the hosted page and gives up there. */
function sessionWithoutSale({ seller, domain, soldMs, dice }: DrawnSale): ScriptedAct[] {
  const openedMs = soldMs - drawMs(dice, [2 * HOUR, 3 * HOUR])
  const [opened, session] = opening(seller, domain, openedMs)
  return [opened, { atMs: openedMs + drawMs(dice, [5, HOUR]), run: (world) => cancel(world, session(world)) }]
}

/** Four of five with a quote, some minutes before. */
function collectedSale(sale: DrawnSale): ScriptedAct[] {
  const { seller, domain, buyer, soldMs, dice } = sale
  const ref = `inv-${100_000 + dice.below(900_000)}`
  let quoted: string | undefined
  const quote: ScriptedAct = {
    atMs: soldMs - drawMs(dice, [1, 9]),
    makes: 'quotes',
    run(world) {
      quoted = quoteId(world, issueQuote(world, seller, { domain }))
    },
  }
  const order: ScriptedAct = {
    atMs: soldMs,
    makes: 'orders',
    run(world) {
      const { priceCents, currency } = forSale(world, domain)
      const input = { domain, expectedPriceCents: priceCents, currency, buyer, externalPaymentRef: ref }
      sale.publicId = recordOrder(world, seller, { ...input, quoteId: quoted }).publicId
    },
  }
  return dice.below(5) === 0 ? [order] : [quote, order]
}

function hostedSale(sale: DrawnSale): ScriptedAct[] {
  const { seller, domain, buyer, soldMs, dice } = sale
  const [opened, session] = opening(seller, domain, soldMs - drawMs(dice, [2, HOUR]))
  const paid: ScriptedAct = {
    atMs: soldMs,
    makes: 'orders',
    run(world) {
      sale.publicId = pay(world, session(world), buyer).session.publicId ?? ''
    },
  }
  return [opened, paid]
}

/** Opens a session, and finds it again later. */
function opening(seller: Credential, domain: string, atMs: number): [ScriptedAct, (world: World) => CheckoutSession] {
  let sessionId = ''
  const opened: ScriptedAct = {
    atMs,
    makes: 'checkout_sessions',
    run(world) {
      const addresses = { returnUrl: `${SHOP}/thanks`, cancelUrl: `${SHOP}/cart` }
      sessionId = openSession(world, seller, { domain, ...addresses }).sessionId
    },
  }
  const find = (world: World) => {
    const session = findSession(world, sessionId)
    if (!session) throw new ApiError('not_found', 'the session was not opened')
    return session
  }
  return [opened, find]
}

function actsThatFollow(sale: DrawnSale, follows: readonly Follow[]): ScriptedAct[] {
  let atMs = sale.soldMs
  return follows.map(([after, what]) => {
    atMs += drawMs(sale.dice, after)
    return { atMs, run: (world: World) => follow(world, sale, what) }
  })
}

function follow(world: World, { seller, publicId }: DrawnSale, what: Follow[1]): void {
  if (what === 'refund by the partner')
    requestRefund(world, seller, { publicId, reason: 'the buyer changed their mind' })
  else takeStep(world, ownOrder(world, seller, publicId), what, what === 'hold' ? 'a closer look' : null)
}

function actsOfCase({ seed, sellers }: MonthOptions, n: number): ScriptedAct[] {
  const dice = createDice(seedKey(seed, 'cases'), n, 0)
  const seller = sellers[dice.below(sellers.length)] as Credential
  const budgetCents = (5 + dice.below(95)) * 100_000
  const { email: buyerEmail } = drawBuyer(dice)
  let atMs = drawMs(dice, [HOUR, 20 * DAY])
  let caseId = ''
  const opened: ScriptedAct = {
    atMs,
    makes: 'cases',
    run(world) {
      caseId = openCase(world, seller, { tier: dice.of(CASE_TIERS), buyerEmail, budgetCents }).caseId
    },
  }
  const steps = (CASES[n % CASES.length] ?? []).map((name): ScriptedAct => {
    atMs += drawMs(dice, [DAY, 4 * DAY])
    return { atMs, run: (world) => takeCaseStep(world, ownCase(world, seller, caseId), name, { note: null }) }
  })
  return [opened, ...steps]
}

function drawBuyer(dice: Dice): DrawnSale['buyer'] {
  const [first, last] = [dice.of(FIRST_NAMES), dice.of(LAST_NAMES)]
  const email = `${first}.${last}${10 + dice.below(90)}@example.test`.toLowerCase()
  return { email, name: `${first} ${last}`, country: dice.of(COUNTRIES) }
}

function drawMs(dice: Dice, [least, most]: Minutes): number {
  return least * MINUTE_MS + dice.below((most - least) * MINUTE_MS)
}
