import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Environment } from '../../src/sandbox/app/environment.ts'
import { takeCaseStep } from '../../src/sandbox/brokerage/case-steps.ts'
import { openCase } from '../../src/sandbox/brokerage/cases.ts'
import { addListing } from '../../src/sandbox/inventory/listings.ts'
import { audit } from '../../src/sandbox/reports/audit.ts'
import { listTransactions } from '../../src/sandbox/reports/reports.ts'
import { recordHostedOrder, recordOrder, takeStep } from '../../src/sandbox/sales/order-steps.ts'
import { findOrder } from '../../src/sandbox/sales/orders.ts'
import { requestRefund } from '../../src/sandbox/sales/refunds.ts'
import type { Order } from '../../src/sandbox/sales/types.ts'
import { findPayoutRun, startPayouts } from '../../src/sandbox/settlement/payout-runs.ts'
import { startSettlement } from '../../src/sandbox/settlement/settlement-runs.ts'
import { listStatements } from '../../src/sandbox/settlement/statements.ts'
import { castMember, testWorld } from '../support/world.ts'

const DAY_MS = 86_400_000
const buyer = { email: 'buyer@example.test' }
const cents = (amount: number) => amount.toLocaleString('en-US')

/** The history of docs/orders-and-money.md, played; what each act says is its row. */
class Example {
  readonly world: Environment = testWorld({ inventory: 0 })
  readonly partner = castMember(this.world, 'main')
  private readonly rows: string[] = []
  private readonly orders = new Map<string, string>()
  private day = 1

  act<Result>(what: string, work: () => Result, outcome: (result: Result) => string = () => ''): this {
    const before = this.lastLine()
    const result = this.world.commits.commitNow(work)
    const lines = this.linesAfter(before)
    this.rows.push(`| ${this.day} | ${what}${outcome(result)} | | | | | | |`, ...lines)
    return this
  }

  nextDay(): this {
    this.world.clock.moveTo(this.world.clock.nowMs() + DAY_MS)
    this.day++
    return this
  }

  sell(domain: string, priceCents: number, model: 'partner_collected' | 'hosted_checkout'): this {
    return this.act(`${domain} is sold at ${cents(priceCents)}, ${model}`, () => {
      addListing(this.world, { domain, priceCents })
      const { publicId } =
        model === 'partner_collected'
          ? recordOrder(this.world, this.partner, { domain, expectedPriceCents: priceCents, currency: 'USD', buyer })
          : recordHostedOrder(this.world, {
              partnerId: this.partner.partnerId,
              domain,
              priceCents,
              buyer,
              linkId: null,
              returnUrl: 'https://shop.example/',
              cancelUrl: 'https://shop.example/',
            })
      this.orders.set(domain, publicId)
    })
  }

  step(domain: string, what: string, ...names: ('start-transfer' | 'complete-transfer' | 'refund')[]): this {
    return this.act(`${domain} is ${what}`, () => {
      for (const name of names) takeStep(this.world, this.order(domain), name, null)
    })
  }

  order(domain: string): Order {
    return findOrder(this.world, this.orders.get(domain) as string) as Order
  }

  settle(): this {
    return this.act(
      'settlement run: ',
      () => {
        startSettlement(this.world)
        return listStatements(this.world, castMember(this.world, 'main'), { cursor: undefined, limit: 1 }).rows[0]
      },
      (stated) =>
        `gross ${cents(stated!.grossSoldCents)}, commission ${cents(stated!.commissionRetainedCents)}, owed ${cents(stated!.amountOwedCents)}, adjustment ${cents(stated!.adjustmentCents)}`,
    )
  }

  payOut(): this {
    return this.act(
      'payout run: ',
      () => findPayoutRun(this.world, startPayouts(this.world))!.payouts,
      (made) => made.map(({ kind, amountCents }) => `${kind} ${cents(amountCents)}`).join(', ') || 'nothing',
    )
  }

  table(): string {
    const head = '| day | what happens | gross | commission | due | payable | unsettled | balance |'
    return [head, '|---|---|--:|--:|--:|--:|--:|--:|', ...this.rows].join('\n')
  }

  private lastLine(): number {
    return (this.world.db.prepare('SELECT coalesce(max(seq), 0) AS seq FROM ledger_entries').get() as { seq: number })
      .seq
  }

  private linesAfter(seq: number): string[] {
    const columns = ['gross', 'commission', 'due', 'payable', 'unsettled', 'balance'].map(
      (name) => `${name}_cents AS ${name}`,
    )
    const sql = `SELECT kind, ${columns.join(', ')} FROM ledger_entries WHERE seq > ? ORDER BY seq`
    return this.world.db
      .prepare(sql)
      .all(seq)
      .map((line) => {
        const { kind, balance, ...changes } = line as { kind: string; balance: number } & Record<string, number>
        const written = Object.values(changes).map((change) => (change === 0 ? '' : cents(change)))
        return `| | \`${kind}\` | ${[...written, cents(balance)].join(' | ')} |`
      })
  }
}

test('the worked example of docs/orders-and-money.md is what happens', async () => {
  const example = new Example()
    .sell('alpha.test', 149_999, 'partner_collected')
    .sell('beta.test', 100_000, 'hosted_checkout')
    .sell('gamma.test', 50_001, 'partner_collected')
  const { world, partner } = example
  example
    .act('the partner asks for a refund of gamma.test', () =>
      requestRefund(world, partner, { publicId: example.order('gamma.test').publicId }),
    )
    .act('a brokerage deal closes at 450,005', () => {
      const input = { tier: 'managed', buyerEmail: 'b@example.test', budgetCents: 500_000 } as const
      takeCaseStep(world, openCase(world, partner, input), 'close-deal', { note: null, priceCents: 450_005 })
    })
    .nextDay()
    .step('alpha.test', 'delivered', 'start-transfer', 'complete-transfer')
    .step('beta.test', 'delivered', 'complete-transfer')
    .settle()
    .payOut()
    .nextDay()
    .step('alpha.test', 'undone by the operator', 'refund')
    .step('beta.test', 'undone by the operator', 'refund')
    .settle()
    .payOut()
  const { totals } = listTransactions(world, partner, { limit: 1 })
  const written = readFileSync(new URL('../../docs/orders-and-money.md', import.meta.url), 'utf8')
  expect(written).toContain(example.table())
  expect(written).toContain(
    `${totals.count} transactions, GMV ${cents(totals.gmvCents)}, commission ${cents(totals.commissionCents)}`,
  )
  expect(await audit(world)).toMatchObject({ balanced: true })
})
