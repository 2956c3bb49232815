import { RULES, type Rules } from '../contract/rules.ts'
import { NO_TAMPERING, type Tampering } from '../sandbox/tampering.ts'
import { authenticationDefects } from './authentication.ts'
import { canonicalLeniencyDefects } from './canonical-leniency.ts'
import { canonicalStringDefects } from './canonical-string.ts'
import type { Defect } from './defect.ts'
import { digestDefects } from './digests.ts'
import { errorDefects } from './errors.ts'
import { eventDefects } from './events.ts'
import { idempotencyDefects } from './idempotency.ts'
import { inventoryDefects } from './inventory.ts'
import { lifecycleDefects } from './lifecycle.ts'
import { nearest } from './nearest.ts'
import { orderInputDefects } from './order-input.ts'
import { orderListDefects } from './order-lists.ts'
import { orderDefects } from './orders.ts'
import { quoteDefects } from './quotes.ts'
import { replayDefects } from './replay.ts'
import { scopeDefects } from './scopes.ts'
import { searchDefects } from './search.ts'
import { coverageDefects } from './signature-coverage.ts'
import { timestampDefects } from './timestamp.ts'

/** Every defect, in the order of the registry of requirements. */
const DEFECTS: readonly Defect[] = [
  ...authenticationDefects,
  ...coverageDefects,
  ...digestDefects,
  ...canonicalStringDefects,
  ...canonicalLeniencyDefects,
  ...timestampDefects,
  ...replayDefects,
  ...scopeDefects,
  ...searchDefects,
  ...inventoryDefects,
  ...quoteDefects,
  ...orderDefects,
  ...orderInputDefects,
  ...orderListDefects,
  ...idempotencyDefects,
  ...lifecycleDefects,
  ...eventDefects,
  ...errorDefects,
]

/** An id that no defect has. */
export class UnknownDefectError extends Error {
  override name = 'UnknownDefectError'
}

export function listDefects(): readonly Defect[] {
  return DEFECTS
}

/**
 * What a sandbox with this defect obeys, and what is tampered with in it.
 *
 * @throws UnknownDefectError naming the ids that come near.
 * @example brokenRules('nonce-never-tracked').rules.nonce.tracked // false
 */
export function brokenRules(id: string): { rules: Rules; tampering: Tampering } {
  const defect = findDefect(id)
  return { rules: defect.rules?.(RULES) ?? RULES, tampering: defect.tampering ?? NO_TAMPERING }
}

/** @throws UnknownDefectError */
export function findDefect(id: string): Defect {
  const found = DEFECTS.find((defect) => defect.id === id)
  if (found) return found
  const near = nearest(
    id,
    DEFECTS.map((defect) => defect.id),
  )
  throw new UnknownDefectError(
    `there is no defect called ${JSON.stringify(id.slice(0, 64))}; did you mean ${near.join(', ')}?`,
  )
}
