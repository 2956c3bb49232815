import fc from 'fast-check'
import { ApiError } from '../../src/contract/errors.ts'
import { ORDER_STEPS, type OrderStepName } from '../../src/contract/order-states.ts'
import type { Environment } from '../../src/sandbox/app/environment.ts'
import { keepAnswer, useOfKey } from '../../src/sandbox/app/idempotency.ts'
import { openCase } from '../../src/sandbox/brokerage/cases.ts'
import { pay } from '../../src/sandbox/checkout/payments.ts'
import { openSession } from '../../src/sandbox/checkout/sessions.ts'
import { findListing } from '../../src/sandbox/inventory/listings.ts'
import type { Progress } from '../../src/sandbox/kernel/settings.ts'
import { createLink } from '../../src/sandbox/referral/links.ts'
import { recordOrder, takeStep } from '../../src/sandbox/sales/order-steps.ts'
import { findOrder } from '../../src/sandbox/sales/orders.ts'
import { issueQuote } from '../../src/sandbox/sales/quotes.ts'
import { requestRefund } from '../../src/sandbox/sales/refunds.ts'
import type { Order } from '../../src/sandbox/sales/types.ts'
import { startPayouts } from '../../src/sandbox/settlement/payout-runs.ts'
import { startSettlement } from '../../src/sandbox/settlement/settlement-runs.ts'
import type { AuthenticatedCall } from '../../src/sandbox/wire/call.ts'
import { setProgress } from '../../src/sandbox/worlds/world-facts.ts'
import { castMember } from './world.ts'

const HOUR_MS = 3_600_000

/** What somebody does in a world; a refusal is part of the history. */
export type Doing =
  | OnDomain
  | OnOrder
  | { what: 'progress'; progress: Omit<Progress, 'sinceMs'> }
  | { what: 'link' | 'settle' | 'pay out'; partner: string }

interface OnDomain {
  what: 'quote' | 'order' | 'checkout' | 'pay' | 'pay late' | 'case'
  domain: string
  partner: string
}

interface OnOrder {
  what: 'refund' | 'step'
  pick: number
  step: OrderStepName
}

export interface Deed {
  /** How long after the one before. */
  afterMs: number
  doing: Doing
}

// Few names of each kind, so that partners get into each other's way.
const domain = fc
  .tuple(
    fc.constantFrom('stalls', 'live-site', 'fails', 'refund-race', 'held', 'deal-closes', 'taken', 'price-moves'),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([name, n]) => `${name}-${n}.test`)
const partner = fc.constantFrom('main', 'other-partner')
const wait = fc.option(fc.integer({ min: 1, max: 30 * HOUR_MS }), { nil: null })

/** @param settles whether settlement runs may come round by themselves. */
export function anyDeeds({ settles }: { settles: boolean }): fc.Arbitrary<Deed[]> {
  const everyMs = settles
    ? fc.option(fc.integer({ min: 12 * HOUR_MS, max: 90 * HOUR_MS }), { nil: null })
    : fc.constant(null)
  const progress = fc.record({ startAfterMs: wait, completeAfterMs: wait, settleEveryMs: everyMs })
  const onDomain = fc.constantFrom('quote', 'order', 'order', 'checkout', 'pay', 'pay late', 'case')
  const doing: fc.Arbitrary<Doing> = fc.oneof(
    { weight: 8, arbitrary: fc.record({ what: onDomain, domain, partner }) as fc.Arbitrary<Doing> },
    {
      weight: 3,
      arbitrary: fc.record({
        what: fc.constantFrom('refund' as const, 'step' as const),
        pick: fc.nat({ max: 100 }),
        step: fc.constantFrom(...(Object.keys(ORDER_STEPS) as OrderStepName[])),
      }),
    },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('progress' as const), progress }) },
    {
      weight: 2,
      arbitrary: fc.record({ what: fc.constantFrom('link' as const, 'settle' as const, 'pay out' as const), partner }),
    },
  )
  const afterMs = fc.oneof(
    fc.constant(0),
    fc.integer({ min: 1, max: HOUR_MS }),
    fc.integer({ min: 1, max: 50 * HOUR_MS }),
  )
  return fc.array(fc.record({ afterMs, doing }), { minLength: 1, maxLength: 14 })
}

/** Does it, whatever comes of it. */
export function doOne(world: Environment, doing: Doing): void {
  try {
    if (doing.what === 'progress') setProgress(world, doing.progress)
    else world.commits.commitNow(() => act(world, doing))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}

const buyer = { email: 'buyer@example.test', name: 'Jo Doe', country: 'AT' }
const urls = { returnUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/cancelled' }

function act(world: Environment, doing: Exclude<Doing, { what: 'progress' }>): void {
  if ('domain' in doing) actOnDomain(world, doing)
  else if ('pick' in doing) actOnOrder(world, doing)
  else if (doing.what === 'settle') startSettlement(world)
  else if (doing.what === 'pay out') startPayouts(world)
  else createLink(world, castMember(world, doing.partner), { kind: 'generic' })
}

function actOnDomain(world: Environment, { what, domain, partner }: OnDomain): void {
  const caller = castMember(world, partner)
  useKey(world, partner, `${what} ${domain} ${world.clock.nowMs()}`)
  if (what === 'quote') issueQuote(world, caller, { domain })
  else if (what === 'order') order(world, partner, domain)
  else if (what === 'case')
    openCase(world, caller, { tier: 'managed', buyerEmail: buyer.email, budgetCents: 90_000, domain })
  else checkOut(world, { what, domain, partner })
}

/** A key is forgotten a day later. The number tells two acts of one moment apart: a key is used once. */
function useKey(world: Environment, partner: string, act: string): void {
  const { used } = world.db.prepare('SELECT count(*) AS used FROM idempotency_keys').get() as { used: number }
  const headers = ['Idempotency-Key', `${act.replaceAll(' ', '-')}-${used}`]
  const known = { world, credential: castMember(world, partner) }
  const call = { ...known, rawHeaders: headers, body: new Uint8Array(0) } as unknown as AuthenticatedCall
  keepAnswer(world, useOfKey(call), { status: 201, headers: {}, body: '{}' })
}

function order(world: Environment, partner: string, domain: string): void {
  const expectedPriceCents = findListing(world, domain)?.priceCents ?? 1
  recordOrder(world, castMember(world, partner), { domain, expectedPriceCents, currency: 'USD', buyer })
}

function checkOut(world: Environment, { what, domain, partner }: OnDomain): void {
  const session = openSession(world, castMember(world, partner), { domain, ...urls })
  if (what === 'pay') pay(world, session, buyer)
  if (what === 'pay late') pay(world, session, { ...buyer, email: 'buyer+pays-late@example.test' })
}

function actOnOrder(world: Environment, { what, pick, step }: OnOrder): void {
  const ids = world.db.prepare('SELECT public_id, partner_id FROM orders ORDER BY seq').all() as {
    public_id: string
    partner_id: string
  }[]
  const found = ids[pick % Math.max(ids.length, 1)]
  if (!found) return
  const owner = ['main', 'other-partner']
    .map((name) => castMember(world, name))
    .find((one) => one.partnerId === found.partner_id)
  if (what === 'step') takeStep(world, findOrder(world, found.public_id) as Order, step, null)
  else if (owner) requestRefund(world, owner, { publicId: found.public_id })
}

/** Different in every world, or in every run: secrets, and how long the machine took. */
const NOT_COMPARED: Readonly<Record<string, readonly string[]>> = {
  credentials: ['key_id', 'secret'],
  delivery_attempts: ['took_ms'],
}

/** Every row of every table, and what a world remembers beside them. */
export function everythingIn(world: Environment): Record<string, unknown> {
  const names = world.db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'listing_index%'",
    )
    .pluck()
    .all() as string[]
  const tables = names.map((name) => [name, rowsOf(world, name)])
  return { ...Object.fromEntries(tables), nowMs: world.clock.nowMs(), waiting: world.scheduler.countByKind() }
}

function rowsOf(world: Environment, table: string): unknown[] {
  const rows = world.db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]
  if (table === 'meta')
    return rows.map(({ value }) => ({ ...JSON.parse(value as string), pageKey: '', clock: '', start: '' }))
  const left = NOT_COMPARED[table] ?? []
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !left.includes(column))))
}
