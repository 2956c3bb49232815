import type { Effects, Step } from '../../conformance/scenario.ts'
import type { CallContext } from './call-step.ts'
import type { RecordedEvent } from './recorded-event.ts'

/** A scenario while it is written. */
export interface Draft {
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
  /** World time at which webhooks were registered first; null where they were not. */
  registeredAtMs: number | null
  /** How many orders of a domain each partner has by now: `other_partner NAME`, `main NAME`. */
  recorded: Map<string, number>
  events: readonly RecordedEvent[]
  context: CallContext
}

export function nextId({ counted }: Draft, name: string): string {
  const stem = name.replaceAll('.', '_')
  const number = (counted.get(stem) ?? 0) + 1
  counted.set(stem, number)
  return `${stem}_${number}`
}
