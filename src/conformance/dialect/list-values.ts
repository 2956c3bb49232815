import type { EndpointId } from '../../contract/endpoints.ts'
import type { Found } from '../format/roles.ts'
import type { Scenario } from '../format/scenario.ts'
import { expectationsOf, LIST_OF } from '../format/step-facts.ts'
import { type Matcher, matches } from '../format/values.ts'
import { Open } from '../result/open.ts'

/** The list of an earlier answer, and how to look into one item of it. */
interface KeptList {
  readonly items: readonly unknown[]
  find(item: unknown, role: string): Found
}

/** @throws RangeError for an operation that lists nothing. */
export function listRoleOf(op: EndpointId | null): NonNullable<(typeof LIST_OF)[EndpointId]> {
  const role = op === null ? undefined : LIST_OF[op]
  if (role === undefined) throw new RangeError('only an answer of an operation that lists something has a sum or found')
  return role
}

/**
 * What a role of all items comes to.
 *
 * @throws Open (inconclusive) if an item lacks it.
 */
export function sumOver({ items, find }: KeptList, role: string, missing: (found: Found) => never): number {
  return items.reduce((sum: number, item) => {
    const found = find(item, role)
    return found.found ? sum + Number(found.value) : missing(found)
  }, 0)
}

type Fill = (matcher: Matcher, item: unknown) => unknown

/**
 * The first item that the step's `includes` selects.
 *
 * @param fill fills in what the scenario wrote, with the item at hand.
 * @throws Open (inconclusive) if none fits; RangeError if the step includes nothing.
 */
export function includedItem(scenario: Scenario, step: string, list: KeptList, fill: Fill): unknown {
  if (!includesOf(scenario, step))
    throw new RangeError(`step ${step} expects nothing to be included, so that it has found nothing`)
  const [found] = includedItems(scenario, step, list, fill)
  if (found === undefined) throw Open.unproven(`step ${step} found no such item`)
  return found
}

/** Every item that the step's `includes` selects; all of them if it has none. */
export function includedItems(scenario: Scenario, step: string, { items, find }: KeptList, fill: Fill): unknown[] {
  const includes = Object.entries(includesOf(scenario, step) ?? {})
  return items.filter((item) =>
    includes.every(([role, matcher]) => {
      const value = find(item, role)
      return value.found && matches(value.value, fill(matcher, item) as Matcher)
    }),
  )
}

function includesOf(scenario: Scenario, step: string): Record<string, Matcher> | undefined {
  const wanted = scenario.steps.find(({ id }) => id === step)
  return wanted && expectationsOf(wanted).find((expectation) => expectation.includes)?.includes
}

const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['paid_out', /^(paid|paidout|payout|payouts|disbursed)$/],
  ['reversed', /^(reversed|reversal|reverse|clawback|clawedback)$/],
  ['pending', /^(pending|payable)$/],
  ['accrued', /^(accrued|accrual|accrue|earned)$/],
]

/**
 * The kind of a ledger line in the document's words, however a target spells it; any other word as it stands.
 *
 * @example ledgerKind('PAID OUT') // 'paid_out'
 */
export function ledgerKind(value: unknown): unknown {
  const letters = String(value)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
  return KINDS.find(([, pattern]) => pattern.test(letters))?.[0] ?? value
}
