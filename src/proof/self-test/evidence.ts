import type { LoadedScenario, Step } from '../../conformance/format/scenario.ts'

/**
 * Sound calls of every operation, one scenario each so that one which a defect breaks does not hide the others. They
 * judge nothing. A run of a few scenarios needs them, because a refusal proves something only where the same operation
 * was seen to accept a call, and in a run of the whole suite it is.
 */
export const EVIDENCE: readonly LoadedScenario[] = [
  evidence('search', [{ call: { op: 'domains.search', query: { q: 'solar' } } }]),
  evidence('detail', [{ call: { op: 'domains.detail', path: { name: '${sellable.domain}' } } }]),
  evidence('availability', [{ call: { op: 'availability', query: { domain: '${sellable.domain}' } } }]),
  evidence('pricing', [{ call: { op: 'pricing', query: { domain: '${sellable.domain}' } } }]),
  evidence('quote', [{ call: { op: 'quotes.create', body: { set: { domain: '${sellable.domain}' } } } }]),
  evidence('order', [
    { id: 'order', call: { op: 'orders.create' } },
    { call: { op: 'orders.detail', path: { public_id: '${order.order.public_id}' } } },
  ]),
  evidence('orders', [{ call: { op: 'orders.list' } }]),
  evidence('history', [{ call: { op: 'events.list' } }]),
]

function evidence(name: string, steps: Step[]): LoadedScenario {
  const id = `selftest/${name}`
  return { id, file: id, scenario: { title: `A sound call: ${name}`, proves: [], needs: ['fixture.sellable'], steps } }
}
