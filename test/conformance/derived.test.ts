import { expect, it } from 'vitest'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import type { Step } from '../../src/conformance/format/scenario.ts'
import {
  derivedEffects,
  derivedNeeds,
  needsOf,
  sellableNeeded,
  tagsOf,
} from '../../src/conformance/format/step-facts.ts'
import { registry, scenario } from '../support/referee.ts'

const of = (...steps: Step[]) => scenario({ steps }).scenario
const ORDER: Step = { call: { op: 'orders.create' } }

it('counts what the steps leave behind: not what is refused, and calls with one key once', () => {
  const made = of(
    ORDER,
    { ...ORDER, expect: { refused: 'price_mismatch' } },
    { call: { op: 'orders.create', at_once: { calls: 8, share: ['idempotency_key', 'body'] } } },
    { call: { op: 'quotes.create', at_once: 3 } },
    { operator: { advance_clock: '1h' } },
  )
  expect(derivedEffects(made)).toEqual({ orders: 2, quotes: 3, clock: true })
})

it('leases the domains that are named, and one for a body that is about the first', () => {
  expect(sellableNeeded(of({ call: { op: 'availability', query: { domain: '${sellable[2].domain}' } } }))).toBe(3)
  expect(sellableNeeded(of(ORDER))).toBe(1)
  expect(sellableNeeded(of({ call: { op: 'quotes.create' }, fault: { body: 'not_json' } }))).toBe(0)
  expect(sellableNeeded({ ...of(ORDER), needs: ['fixture.sellable(4)'] })).toBe(4)
})

it('needs the scopes, the partner and the operator of its steps, and what its file lists', () => {
  const made = of(
    { ...ORDER, as: 'other_partner' },
    { call: { op: 'quotes.create' } },
    { operator: { settle: 'ord_1' } },
    { operator: { refund: 'ord_1' }, else: ['go_on'] },
  )
  expect(derivedNeeds(made)).not.toContain('operator.refund')
  expect(needsOf({ ...made, needs: ['scope.report'] })).toEqual([
    ...['scope.buy', 'partner.other', 'operator.settle', 'scope.report', 'fixture.sellable'],
  ])
})

it('has its folder for a tag, and open if it proves nothing', () => {
  expect(tagsOf({ id: 'orders/one', scenario: { ...of(ORDER), proves: [], tags: ['race'] } })).toEqual([
    ...['orders', 'open', 'race'],
  ])
})

it('no scenario of this package says what follows from its steps', () => {
  for (const loaded of loadScenarios('scenarios', registry).scenarios) {
    const { scenario, id } = loaded
    const { needs = [], tags = [], effects = {} } = scenario
    const derived = { needs: derivedNeeds(scenario), effects: derivedEffects(scenario) }
    expect(
      needs.filter((need) => derived.needs.includes(need)),
      `needs of ${id}`,
    ).toEqual([])
    const plain = tagsOf({ id, scenario: { ...scenario, tags: [] } })
    expect(
      tags.filter((tag) => plain.includes(tag)),
      `tags of ${id}`,
    ).toEqual([])
    const again = Object.entries(effects).filter(([kind, value]) => derived.effects[kind as 'orders'] === value)
    expect(again, `effects of ${id}`).toEqual([])
  }
})
