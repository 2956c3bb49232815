import { RULES, type Rules } from '../../contract/rules.ts'
import { closestTo, fits } from '../../contract/words.ts'
import { type DefectHooks, NO_DEFECT_HOOKS } from '../../sandbox/app/defect-hooks.ts'
import { brokerageDefects } from './brokerage.ts'
import { checkoutDefects } from './checkout.ts'
import type { Defect } from './defect.ts'
import { environmentDefects } from './environments.ts'
import { errorDefects } from './errors.ts'
import { idempotencyDefects } from './idempotency.ts'
import { inventoryDefects } from './inventory.ts'
import { lifecycleDefects } from './lifecycle.ts'
import { listMistakes } from './lists.ts'
import { oddInputDefects } from './odd-input.ts'
import { orderInputDefects } from './order-input.ts'
import { orderListDefects } from './order-lists.ts'
import { orderDefects } from './orders.ts'
import { payoutDefects } from './payouts.ts'
import { quoteDefects } from './quotes.ts'
import { referralDefects } from './referral.ts'
import { refundDefects } from './refunds.ts'
import { reportDefects } from './reports.ts'
import { searchDefects } from './search.ts'
import { settlementDefects } from './settlement.ts'
import { authenticationDefects } from './signature/authentication.ts'
import { canonicalLeniencyDefects, canonicalStringDefects } from './signature/canonical-string.ts'
import { digestDefects } from './signature/digests.ts'
import { eachOperationDefects } from './signature/each-operation.ts'
import { replayDefects } from './signature/replay.ts'
import { scopeDefects } from './signature/scopes.ts'
import { coverageDefects } from './signature/signature-coverage.ts'
import { timestampDefects } from './signature/timestamp.ts'
import { transactionDefects } from './transactions.ts'
import { deliveryDefects } from './webhooks/deliveries.ts'
import { eventDefects } from './webhooks/events.ts'
import { webhookDefects } from './webhooks/webhooks.ts'

/**
 * Every defect, in the order of the registry of requirements. One that is written by hand stays only if without it a check
 * would be red for none, a requirement for fewer than two, or something that a check compares would never be wrong; of
 * several that would do, the plainest and likeliest. Those that are made from rows (operations, fields, pairs of filters)
 * stay whole where a row costs nothing: they show that a check of a row tries that row.
 */
const DEFECTS: readonly Defect[] = [
  ...environmentDefects,
  ...authenticationDefects,
  ...coverageDefects,
  ...digestDefects,
  ...canonicalStringDefects,
  ...canonicalLeniencyDefects,
  ...timestampDefects,
  ...replayDefects,
  ...eachOperationDefects,
  ...scopeDefects,
  ...searchDefects,
  ...inventoryDefects,
  ...quoteDefects,
  ...orderDefects,
  ...orderInputDefects,
  ...orderListDefects,
  ...idempotencyDefects,
  ...refundDefects,
  ...checkoutDefects,
  ...lifecycleDefects,
  ...settlementDefects,
  ...transactionDefects,
  ...payoutDefects,
  ...brokerageDefects,
  ...referralDefects,
  ...reportDefects,
  ...webhookDefects,
  ...deliveryDefects,
  ...eventDefects,
  ...errorDefects,
  ...oddInputDefects,
  ...listMistakes,
]

/** An id that no defect has. */
export class UnknownDefectError extends Error {
  override name = 'UnknownDefectError'
}

export function listDefects(): readonly Defect[] {
  return DEFECTS
}

/**
 * The rules and the hooks of a sandbox with this defect.
 *
 * @throws UnknownDefectError with the nearest id.
 * @example brokenRules('quote-lasts-an-hour').rules.quotes.seconds // 3600
 */
export function brokenRules(id: string): { rules: Rules; hooks: DefectHooks } {
  const defect = findDefect(id)
  return { rules: defect.rules?.(RULES) ?? RULES, hooks: defect.hooks ?? NO_DEFECT_HOOKS }
}

/**
 * The defects with an id or a pattern, in which `*` stands for any text.
 *
 * @throws UnknownDefectError if there is none.
 * @example findDefects('affiliate-link-*').map(({ id }) => id)
 */
export function findDefects(pattern: string): readonly Defect[] {
  if (!pattern.includes('*')) return [findDefect(pattern)]
  const found = DEFECTS.filter(({ id }) => fits(pattern, id))
  if (found.length > 0) return found
  throw new UnknownDefectError(
    `no defect is called ${JSON.stringify(pattern.slice(0, 64))}; all are in npx partner-sandbox selftest --list`,
  )
}

/** @throws UnknownDefectError */
export function findDefect(id: string): Defect {
  const found = DEFECTS.find((defect) => defect.id === id)
  if (found) return found
  const near = closestTo(
    id.slice(0, 64),
    DEFECTS.map((defect) => defect.id),
  )
  const hint = near === null ? 'all are' : `did you mean ${near}? All are`
  throw new UnknownDefectError(
    `no such defect: ${JSON.stringify(id.slice(0, 64))}; ${hint} in npx partner-sandbox selftest --list`,
  )
}
