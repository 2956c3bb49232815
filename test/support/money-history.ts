import { DEFAULT_GAPS } from '../../src/contract/choices.ts'
import { type OrderState, type OrderStepName, stepsFrom } from '../../src/contract/order-states.ts'
import type { PaymentModel } from '../../src/contract/payment-models.ts'
import type { Environment } from '../../src/sandbox/app/environment.ts'
import { takeCaseStep } from '../../src/sandbox/brokerage/case-steps.ts'
import { openCase } from '../../src/sandbox/brokerage/cases.ts'
import { findListing } from '../../src/sandbox/inventory/listings.ts'
import type { Credential } from '../../src/sandbox/kernel/world.ts'
import { createLink } from '../../src/sandbox/referral/links.ts'
import { recordHostedOrder, recordOrder, takeStep } from '../../src/sandbox/sales/order-steps.ts'
import { findOrder } from '../../src/sandbox/sales/orders.ts'
import { requestRefund } from '../../src/sandbox/sales/refunds.ts'
import type { Order } from '../../src/sandbox/sales/types.ts'
import { findPayoutRun, type PayoutRun, startPayouts } from '../../src/sandbox/settlement/payout-runs.ts'
import { startSettlement } from '../../src/sandbox/settlement/settlement-runs.ts'
import { changeSettings } from '../../src/sandbox/worlds/world-facts.ts'
import { castMember } from './world.ts'

/** Something that happens in a history; `pick` chooses among what is there. */
export type Act =
  | { act: 'sell'; partner: 0 | 1; model: PaymentModel; priceCents: number; linked: boolean }
  | { act: 'resell'; pick: number; partner: 0 | 1 }
  | { act: 'step'; pick: number; step: number }
  | { act: 'forward'; pick: number }
  | { act: 'refund'; pick: number }
  | { act: 'settle' }
  | { act: 'pay out' }
  | { act: 'rates'; basisPoints: number }
  | { act: 'wait'; hours: number }

/** A sale as the test itself keeps account of it, apart from everything that is tested. */
export interface Remembered {
  id: string
  partnerId: string
  model: PaymentModel
  domain: string | null
  priceCents: number
  commissionCents: number
  linked: boolean
  createdAtMs: number
  status: OrderState | 'DEAL_CLOSED'
  isUndone: boolean
  isPayable: boolean
  paidCents: number
  /** What statements have said of it in all. */
  statedCents: number
}

const HOUR_MS = 3_600_000

/** What takes an order towards its delivery. */
const FORWARD: Partial<Record<Remembered['status'], OrderStepName>> = {
  MANUAL_REVIEW: 'clear',
  EXTERNALLY_PAID: 'start-transfer',
  TRANSFER_IN_PROGRESS: 'complete-transfer',
}

/** Plays acts in a world, and keeps account of them by simple arithmetic of its own. */
export class MoneyHistory {
  readonly world: Environment
  readonly partners: readonly [Credential, Credential]
  readonly sales: Remembered[] = []
  /** The orders that each settlement run settles. */
  readonly settlementRuns: string[][] = []
  readonly payoutRuns: PayoutRun[] = []
  private readonly linkIds: readonly [string, string]
  private names: number

  /** @param names how many of the numbered names are taken already. */
  constructor(world: Environment, names = 0) {
    this.world = world
    this.names = names
    this.partners = [castMember(world, 'main'), castMember(world, 'other-partner')]
    const link = (partner: Credential) =>
      world.commits.commitNow(() => createLink(world, partner, { kind: 'generic' }).linkId)
    this.linkIds = [link(this.partners[0]), link(this.partners[1])]
  }

  play(acts: readonly Act[]): this {
    for (const act of acts) this.world.commits.commitNow(() => this.one(act))
    // The last batches of a run, too.
    this.world.commits.commitNow(() => {})
    return this
  }

  private one(act: Act): void {
    if (act.act === 'sell') this.sell(act, `stalls-${++this.names}.test`)
    else if (act.act === 'resell') this.resell(act)
    else if (act.act === 'step') this.step(act)
    else if (act.act === 'forward') this.forward(this.picked(act.pick))
    else if (act.act === 'refund') this.refund(this.picked(act.pick))
    else if (act.act === 'settle') this.settlementRuns.push(this.settle())
    else if (act.act === 'pay out') this.payoutRuns.push(this.payOut())
    else if (act.act === 'rates') this.setRates(act.basisPoints)
    else this.wait(act.hours)
  }

  private wait(hours: number): void {
    this.world.clock.pin(null)
    this.world.clock.moveTo(this.world.clock.nowMs() + hours * HOUR_MS)
  }

  private picked(pick: number): Remembered | undefined {
    return this.sales[pick % Math.max(this.sales.length, 1)]
  }

  private sell(act: Extract<Act, { act: 'sell' }>, domain: string): void {
    if (act.model === 'brokerage') this.broker(this.partners[act.partner], act.priceCents)
    else this.order(act, domain)
  }

  private order(act: Extract<Act, { act: 'sell' }>, domain: string): void {
    const caller = this.partners[act.partner]
    const listedCents = findListing(this.world, domain)?.priceCents ?? 0
    const order =
      act.model === 'partner_collected'
        ? recordOrder(this.world, caller, {
            domain,
            expectedPriceCents: listedCents,
            currency: 'USD',
            buyer: { email: 'buyer@example.test' },
          })
        : this.hosted(act, domain)
    const rates = this.world.settings.commission
    const rate = act.model === 'partner_collected' ? rates.partnerCollectedBasisPoints : rates.hostedCheckoutBasisPoints
    this.remember({ ...order, id: order.publicId, model: act.model, linked: order.linkId !== null }, rate)
  }

  private hosted(act: Extract<Act, { act: 'sell' }>, domain: string): Order {
    return recordHostedOrder(this.world, {
      partnerId: this.partners[act.partner].partnerId,
      domain,
      priceCents: act.priceCents,
      buyer: { email: 'buyer@example.test', country: 'DE' },
      returnUrl: 'https://shop.example/done',
      cancelUrl: 'https://shop.example/cancelled',
      linkId: act.linked ? this.linkIds[act.partner] : null,
    })
  }

  private broker(caller: Credential, priceCents: number): void {
    const rate = this.world.settings.commission.brokerageBasisPoints
    const opened = openCase(this.world, caller, { tier: 'managed', buyerEmail: 'b@example.test', budgetCents: 1_000 })
    takeCaseStep(this.world, opened, 'close-deal', { note: null, priceCents })
    const born = { ...opened, salePriceCents: priceCents, createdAtMs: this.world.clock.nowMs() }
    this.remember({ ...born, id: opened.caseId, model: 'brokerage', linked: false, status: 'DEAL_CLOSED' }, rate)
  }

  private remember(
    sale: Pick<Remembered, 'id' | 'partnerId' | 'model' | 'domain' | 'linked' | 'createdAtMs' | 'status'> & {
      salePriceCents: number
    },
    basisPoints: number,
  ): void {
    const { id, partnerId, model, domain, linked, createdAtMs, status, salePriceCents: priceCents } = sale
    this.sales.push({
      id,
      partnerId,
      model,
      domain,
      linked,
      createdAtMs,
      status,
      priceCents,
      commissionCents: Number((BigInt(priceCents) * BigInt(basisPoints)) / 10_000n),
      isUndone: false,
      isPayable: model === 'brokerage',
      paidCents: 0,
      statedCents: 0,
    })
  }

  private resell({ pick, partner }: Extract<Act, { act: 'resell' }>): void {
    const free = this.sales.filter(({ domain }) => domain !== null && !this.isTaken(domain))
    const domain = free[pick % Math.max(free.length, 1)]?.domain
    if (domain) this.sell({ act: 'sell', partner, model: 'partner_collected', priceCents: 0, linked: false }, domain)
  }

  private isTaken(domain: string): boolean {
    return this.sales.some((sale) => sale.domain === domain && !sale.isUndone)
  }

  private step({ pick, step }: Extract<Act, { act: 'step' }>): void {
    const sale = this.picked(pick)
    if (!sale || sale.model === 'brokerage') return
    const allowed = stepsFrom(sale.status as OrderState, DEFAULT_GAPS)
    const name = allowed[step % Math.max(allowed.length, 1)] as OrderStepName | undefined
    if (name) this.take(sale, name)
  }

  private forward(sale: Remembered | undefined): void {
    const name = sale && FORWARD[sale.status]
    if (name) this.take(sale, name)
  }

  private take(sale: Remembered, name: OrderStepName): void {
    this.moved(sale, takeStep(this.world, findOrder(this.world, sale.id) as Order, name, null))
  }

  private moved(sale: Remembered, order: Order): void {
    sale.status = order.status
    if (order.status === 'TRANSFER_COMPLETED') sale.isPayable = sale.model !== 'partner_collected'
    if (order.status === 'REFUNDED' || order.status === 'CANCELLED') sale.isUndone = true
  }

  private refund(sale: Remembered | undefined): void {
    if (sale?.model !== 'partner_collected') return
    if (!['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS'].includes(sale.status)) return
    const caller = this.partners.find(({ partnerId }) => partnerId === sale.partnerId) as Credential
    this.moved(sale, requestRefund(this.world, caller, { publicId: sale.id }).order)
  }

  private settle(): string[] {
    startSettlement(this.world)
    const settled: string[] = []
    for (const sale of this.sales.filter(({ model }) => model === 'partner_collected')) {
      if (sale.status === 'TRANSFER_COMPLETED') {
        sale.status = 'SETTLED'
        settled.push(sale.id)
        sale.statedCents = sale.priceCents - sale.commissionCents
      } else if (sale.isUndone) sale.statedCents = 0
    }
    return settled
  }

  private payOut(): PayoutRun {
    const run = findPayoutRun(this.world, startPayouts(this.world)) as PayoutRun
    for (const { partnerId, kind } of run.payouts) {
      for (const sale of this.sales) {
        const isOfKind = kind === (sale.model === 'brokerage' ? 'brokerage' : 'commission')
        if (sale.partnerId === partnerId && isOfKind) sale.paidCents = payableOf(sale)
      }
    }
    return run
  }

  private setRates(basisPoints: number): void {
    const commission = {
      partnerCollectedBasisPoints: basisPoints,
      hostedCheckoutBasisPoints: 10_000 - basisPoints,
      brokerageBasisPoints: Math.floor(basisPoints / 3),
    }
    changeSettings(this.world, { commission })
  }
}

/** What could be paid for a sale in all, paid or not. */
export function payableOf(sale: Remembered): number {
  return sale.isPayable && !sale.isUndone ? sale.commissionCents : 0
}

/** What a partner is owed for a sale now: its commission less what was paid. */
export function dueOf(sale: Remembered): number {
  if (sale.model === 'partner_collected') return 0
  return (sale.isUndone ? 0 : sale.commissionCents) - sale.paidCents
}
