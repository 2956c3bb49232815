import { FAR_REACHING } from '../../conformance/format/lint-effects.ts'
import type { CredentialChoice, Effects, OperatorStep, Step } from '../../conformance/format/scenario.ts'
import type { History, RecordedCall } from './history.ts'
import { Names, type RecordedDomain } from './names.ts'

/** A scenario while it is written. */
export class Draft {
  readonly history: History
  readonly domains: ReadonlyMap<string, RecordedDomain>
  readonly names = new Names()
  /** Variables of the scenario for idempotency keys that more than one call has. */
  readonly keys: ReadonlyMap<string, string>
  readonly steps: Step[] = [{ mark: 'events' }]
  readonly leftOut: string[] = []
  readonly effects: Effects = {}
  /** Step ids by request id. */
  readonly ids = new Map<string, string>()
  /** Who opened each checkout session. */
  readonly openers = new Map<unknown, CredentialChoice>()
  /** Orders and cases that the main partner made here: their events are looked for at the end. */
  readonly subjects: string[] = []
  /** Those of them that a hosted checkout sold. */
  readonly hosted = new Set<string>()
  latestOrder: string | null = null
  /** World time at which webhooks were registered first; null before. */
  registeredAtMs: number | null = null
  readonly #counts = new Map<string, number>()

  constructor(history: History, domains: ReadonlyMap<string, RecordedDomain>, keys: ReadonlyMap<string, string>) {
    this.history = history
    this.domains = domains
    this.keys = keys
    for (const [name, { fixture }] of domains) if (fixture !== null) this.names.learn(name, `${fixture}.domain`)
  }

  /** The calls that were logged before this one. */
  callsBefore(call: RecordedCall): RecordedCall[] {
    const { happened } = this.history
    return happened.slice(0, happened.indexOf(call)).filter((one) => one.kind === 'call')
  }

  /** Has the operator do something, and announces what of it reaches beyond the scenario. */
  operate(action: OperatorStep): void {
    this.steps.push({ operator: action })
    for (const { effect, actions } of FAR_REACHING)
      if (actions.some((name) => name in action)) this.effects[effect] = true
  }

  nextId(name: string): string {
    const stem = name.replaceAll('.', '_')
    return `${stem}_${this.#count(stem)}`
  }

  /** Notes one more order of a domain. @returns whether the partner had one before. */
  sellsAgain(as: CredentialChoice, domain: unknown): boolean {
    return this.#count(`${as === 'other_partner' ? as : 'main'} ${domain}`) > 1
  }

  #count(what: string): number {
    const count = (this.#counts.get(what) ?? 0) + 1
    this.#counts.set(what, count)
    return count
  }
}
