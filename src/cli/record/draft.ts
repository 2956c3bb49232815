import type { CredentialChoice, Effects, Step } from '../../conformance/scenario.ts'
import type { RecordedEvent } from './history.ts'
import type { Names, RecordedDomain } from './names.ts'

/** A scenario while it is written. */
export interface Draft {
  readonly names: Names
  readonly domains: ReadonlyMap<string, RecordedDomain>
  readonly events: readonly RecordedEvent[]
  /** Variables of the scenario for idempotency keys that more than one call has. */
  readonly keys: ReadonlyMap<string, string>
  steps: Step[]
  leftOut: string[]
  effects: Effects
  /** Step ids by request id. */
  ids: Map<string, string>
  /** How many steps have an id that begins with that. */
  counted: Map<string, number>
  latestOrder: string | null
  /** Orders and cases that the main partner made here: their events are looked for at the end. */
  subjects: string[]
  /** Those of them that a hosted checkout sold. */
  hosted: Set<string>
  /** World time at which webhooks were registered first; null before. */
  registeredAtMs: number | null
  /** How many orders of a domain each partner has by now: `other_partner NAME`, `main NAME`. */
  orders: Map<string, number>
}

export function nextId({ counted }: Draft, name: string): string {
  const stem = name.replaceAll('.', '_')
  const number = (counted.get(stem) ?? 0) + 1
  counted.set(stem, number)
  return `${stem}_${number}`
}

/** Counts one more order of a domain. @returns how many the partner had before. */
export function countOrder({ orders }: Draft, as: CredentialChoice, domain: string): number {
  const key = `${as === 'other_partner' ? as : 'main'} ${domain}`
  const earlier = orders.get(key) ?? 0
  orders.set(key, earlier + 1)
  return earlier
}
