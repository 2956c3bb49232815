import { expect, it, onTestFinished } from 'vitest'
import type { Progress } from '../../src/conformance/engine/run-options.ts'
import type { Step } from '../../src/conformance/format/scenario.ts'
import { ownTarget } from '../../src/proof/self-test/own-target.ts'
import { startServer } from '../../src/server.ts'
import { judge, scenario } from '../support/referee.ts'

async function ownServer() {
  const server = await startServer({ port: 0, operatorPort: 0, rateLimit: null })
  onTestFinished(() => server.close())
  return server
}

/** Places an order and moves the clock. */
function mover(id: string) {
  const steps = [
    { id: 'order', call: { op: 'orders.create' as const }, expect: { accepted: true, shows: 'ORD-01' } },
    { operator: { advance_clock: '3d' } },
  ]
  const effects = { orders: 1, clock: true }
  const needs = ['scope.buy', 'fixture.sellable']
  return { ...scenario({ proves: ['ORD-01'], needs, effects, steps }), id }
}

const all = { ownsTarget: true, transcript: 'all' } as const

it('what would disturb others happens in copies of the world, which are gone afterwards', async () => {
  const server = await ownServer()
  const before = Date.now()
  const run = await judge(ownTarget(server), [mover('a/one'), mover('a/two')], all)
  expect(run.scenarios.map(({ verdict }) => verdict)).toEqual(['pass', 'pass'])
  // The call that finds the body of an order is made once, for all copies, in the world itself.
  expect(run.created.map(({ kind }) => kind)).toEqual(['order'])
  const response = await fetch(`${server.operator?.url}/v1/worlds`)
  const { worlds } = (await response.json()) as { worlds: { world: string; now: string }[] }
  expect(worlds.map(({ world }) => world)).toEqual(['default'])
  expect(Date.parse(worlds[0]?.now ?? '') - before).toBeLessThan(86_400_000)
  // Exchanges of copies have ids of their own, and no secret of a copy is in any.
  const ids = run.exchanges.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toEqual(expect.arrayContaining(['w1s1e1', 'w2s2e1']))
  expect(JSON.stringify(run)).not.toMatch(/sk_(?:test|sandbox)_\w/)
})

it('a target that the run does not own is disturbed by one scenario after the other', async () => {
  const server = await ownServer()
  const { created } = await judge(ownTarget(server), [mover('a/one'), mover('a/two')])
  expect(created.filter(({ kind }) => kind === 'order').length).toBeGreaterThan(2)
})

/** Buys something without disturbing anybody. */
function buyer(id: string, domains: number) {
  const steps = Array.from({ length: domains }, (_, index) => ({
    call: { op: 'orders.create' as const, body: { set: { domain: `\${sellable[${index}].domain}` } } },
    expect: { accepted: true as const, ...(index === 0 ? { shows: 'ORD-01' } : {}) },
  }))
  const needs = ['scope.buy', `fixture.sellable(${domains})`]
  return { ...scenario({ proves: ['ORD-01'], needs, effects: { orders: domains }, steps }), id }
}

it('a copy takes domains and bodies from the run that copied it, makes only domains that are lacking, and searches for none', async () => {
  const server = await ownServer()
  const many = buyer('c/many', 14)
  const alone = { ...many, scenario: { ...many.scenario, effects: { orders: 14, exclusive: true } } }
  const { exchanges, scenarios } = await judge(ownTarget(server), [buyer('a/one', 2), mover('b/two'), alone], all)
  expect(scenarios.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass'])
  const ofCopies = exchanges.filter(({ id, scenario }) => id.startsWith('w') && scenario === 'fixtures')
  expect(ofCopies.map(({ id, method, status }) => [id, method, status])).toEqual([['w3fe1', 'POST', 201]])
  const tried = exchanges.filter(
    ({ method, target, scenario }) => scenario === 'control' && `${method} ${target}`.endsWith('/orders'),
  )
  expect(tried.map(({ method, id }) => [method, id.startsWith('w')])).toEqual([['POST', false]])
})

it('a copy lists a domain about a topic of its own, although it holds the one that was listed before', async () => {
  const server = await ownServer()
  const topic = (id: string, ...more: Step[]) => {
    const call = { op: 'domains.search' as const, query: { q: '${topic.query}' } }
    const expect = { items: 'search.items', includes: { 'search.domain': '${topic.finds[0]}' }, shows: 'INV-04' }
    const steps: Step[] = [{ call, expect }, ...more]
    const effects = { clock: more.length > 0 }
    return { ...scenario({ proves: ['INV-04'], needs: ['fixture.topic'], effects, steps }), id }
  }
  const scenarios = [topic('a/one'), topic('b/two', { operator: { advance_clock: '3d' } })]
  const run = await judge(ownTarget(server), scenarios, { ownsTarget: true })
  expect(run.scenarios.map(({ verdict }) => verdict)).toEqual(['pass', 'pass'])
})

it('a copy is of a world in which something has happened, where anything could', async () => {
  const server = await ownServer()
  const steps = [
    {
      id: 'history',
      call: { op: 'events.list' as const },
      expect: { items: 'events.items', count: { at_least: 1 }, shows: 'EVT-01' },
    },
  ]
  const reader = { ...scenario({ proves: ['EVT-01'], effects: { exclusive: true }, steps }), id: 'b/two' }
  const { scenarios } = await judge(ownTarget(server), [buyer('a/one', 1), reader], { ownsTarget: true })
  expect(scenarios.map(({ verdict }) => verdict)).toEqual(['pass', 'pass'])
})

it('what waits long starts first', async () => {
  const server = await ownServer()
  const steps = [{ events: { type: 'order.recorded', none_for: '1s' } }]
  const waiter = { ...scenario({ effects: { exclusive: true }, steps }), id: 'z/waits' }
  const started: string[] = []
  const onProgress = (progress: Progress): void => {
    if (progress.kind === 'scenario-started') started.push(progress.id)
  }
  await judge(ownTarget(server), [buyer('a/one', 1), waiter], { ownsTarget: true, onProgress, concurrency: 1 })
  expect(started).toEqual(['z/waits', 'a/one'])
})

it('domains are made many at a time', async () => {
  const server = await ownServer()
  const { exchanges } = await judge(ownTarget(server), [buyer('a/one', 30), buyer('b/two', 30)], all)
  const calls = exchanges.filter(({ scenario }) => scenario === 'fixtures')
  expect(calls.length).toBeLessThanOrEqual(8)
  const made = calls.flatMap(({ requestBody }) => requestBody.split('\n').slice(1))
  expect(made.length).toBeGreaterThanOrEqual(60)
  expect(made.length).toBeLessThan(2 * 62)
})
