import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Expectation } from '../../src/conformance/format/expectations/expectation.ts'
import type { LoadedScenario, Scenario, Step } from '../../src/conformance/format/scenario.ts'
import type { RunResult } from '../../src/conformance/result/result.ts'
import { judge, scenario, withoutPauses } from '../support/referee.ts'
import { type Answering, answerJson, scriptedTarget, targetAt } from '../support/scripted-target.ts'

/** A target, with all that was asked of it beside the greeting of the run. */
async function serverThat(answers: Answering) {
  const asked: IncomingMessage[] = []
  const { url } = await scriptedTarget((request, response) => {
    if (request.url?.includes('probe.example')) return json(response, 200)
    answers(request, response, asked.push(request))
  })
  return { url, asked }
}

function json(response: ServerResponse, status: number, value: object = { available: true }, headers = {}): void {
  answerJson(response, status, value, headers)
}

const html = (response: ServerResponse, status: number, headers = {}): unknown =>
  response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>Sorry</h1>')

const nonceOf = ({ headers }: IncomingMessage): unknown => headers['x-partner-nonce']

const READ = scenario({
  proves: ['AUTH-01'],
  steps: [
    {
      id: 'read',
      call: { op: 'availability', query: { domain: 'a.example' } },
      expect: { accepted: true, shows: 'AUTH-01' },
    },
  ],
})

async function judged(url: string, chosen: LoadedScenario = READ, more: Record<string, unknown> = {}) {
  const pauses: number[] = []
  const { wall, pause } = withoutPauses()
  const result = await judge(targetAt(url, more), [chosen], {
    wall,
    pause: (ms) => {
      pauses.push(ms)
      return pause(ms)
    },
    transcript: 'all',
  })
  return { result, pauses, checks: result.scenarios.flatMap(({ checks }) => checks) }
}

const verdictsOf = ({ checks }: { checks: RunResult['scenarios'][number]['checks'] }) =>
  checks.map(({ step, verdict }) => `${step} ${verdict}`)

describe('a read', () => {
  it('whose connection breaks is signed anew after one and three seconds, and judged by its answer', async () => {
    const { url, asked } = await serverThat((request, response, n) =>
      n < 4 ? request.socket.destroy() : json(response, 200),
    )
    const run = await judged(url)
    expect(verdictsOf(run)).toEqual(['read pass'])
    expect(run.pauses).toEqual(expect.arrayContaining([1_000, 3_000]))
    expect(new Set(asked.map(nonceOf)).size).toBe(4)
    expect(run.result.exchanges.filter(({ scenario: name }) => name === 'test/one')).toHaveLength(4)
  })

  it('that is answered 503 once proves nothing', async () => {
    const { url } = await serverThat((_, response, n) => (n === 1 ? html(response, 503) : json(response, 200)))
    const run = await judged(url)
    expect(verdictsOf(run)).toEqual(['read inconclusive'])
    expect(run.checks[0]?.note).toBe('the target answered 503 at first and 200 when asked again')
  })

  it('that is always answered 502 fails, while an ordinary read is answered', async () => {
    const { url, asked } = await serverThat((_, response) => html(response, 502))
    expect(verdictsOf(await judged(url))).toEqual(['read fail'])
    expect(asked).toHaveLength(4)
  })

  it('is tried again when Retry-After of a 503 is over, without a pause of its own, and judged by what comes then', async () => {
    const { url } = await serverThat((_, response, n) =>
      n === 1 ? html(response, 503, { 'retry-after': '7' }) : json(response, 200),
    )
    const run = await judged(url)
    expect(run.pauses).not.toContain(1_000)
    expect(Math.max(...run.pauses)).toBeGreaterThan(6_000)
    expect(verdictsOf(run)).toEqual(['read pass'])
  })

  it('on a connection that was closed while idle is signed anew, and both exchanges are in the log', async () => {
    const twice = scenario({
      proves: ['AUTH-01'],
      steps: ['one', 'two'].map((id) => ({ ...READ.scenario.steps[0], id })) as Scenario['steps'],
    })
    const { url, asked } = await serverThat((request, response, n) =>
      n === 2 ? request.socket.destroy() : json(response, 200),
    )
    const run = await judged(url, twice)
    expect(verdictsOf(run)).toEqual(['one pass', 'two pass'])
    expect(new Set(asked.map(nonceOf)).size).toBe(3)
    expect(run.result.exchanges.filter(({ scenario: name }) => name === 'test/one')).toHaveLength(3)
    expect(run.pauses).not.toContain(1_000)
  })

  const resent = scenario({
    proves: ['NONCE-01'],
    steps: [
      { ...READ.scenario.steps[0], id: 'first' },
      { id: 'again', call: { again: 'first' }, expect: { refused: 'replay_detected', shows: 'NONCE-01' } },
    ] as Scenario['steps'],
  })

  it('that is sent byte for byte waits out a 429', async () => {
    const { url, asked } = await serverThat((_request, response, n) => {
      if (n === 1) json(response, 200)
      else if (n === 2) json(response, 429, { code: 'rate_limited', message: 'wait' })
      else json(response, 401, { code: 'replay_detected', message: 'used' })
    })
    const run = await judged(url, resent)
    expect(verdictsOf(run)).toEqual(['first pass', 'again pass'])
    expect(new Set(asked.slice(0, 3).map(nonceOf)).size).toBe(1)
  })

  it('that is sent byte for byte is sent once', async () => {
    const { url, asked } = await serverThat((request, response, n) =>
      n === 1 ? json(response, 200) : request.socket.destroy(),
    )
    const run = await judged(url, resent)
    expect(verdictsOf(run)).toEqual(['first pass', 'again inconclusive'])
    expect(asked.filter((request) => nonceOf(request) === nonceOf(asked[0] as IncomingMessage))).toHaveLength(2)
  })
})

describe('a write whose answer was lost', () => {
  const REFUND = scenario({
    proves: ['REF-01', 'STATE-05'],
    steps: [
      {
        id: 'refund',
        call: { op: 'refunds.create', body: { json: { public_id: 'ord_1' } } },
        expect: { accepted: true, shows: 'REF-01' },
      },
      {
        id: 'polled',
        call: { op: 'orders.detail', path: { public_id: 'ord_1' } },
        expect: { roles: { 'order.status': 'REFUNDED' }, shows: 'STATE-05' },
      },
    ],
  })

  it.each<[string, Answering]>([
    ['by a broken connection', (request) => request.socket.destroy()],
    ['by a 504 of something in between', (_, response) => html(response, 504)],
  ])('%s is not sent again, and what builds on it is inconclusive', async (_how, lost) => {
    const { url, asked } = await serverThat((request, response, n) =>
      request.method === 'POST' ? lost(request, response, n) : json(response, 200, { status: 'EXTERNALLY_PAID' }),
    )
    const run = await judged(url, REFUND)
    expect(verdictsOf(run)).toEqual(['refund inconclusive', 'polled inconclusive'])
    expect(run.checks[1]?.actual).toContain('whether it took effect is not known')
    expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })
})

it.each([
  ['counts where it is accepted then', 503, 201, 'pass'],
  ['proves nothing where it is refused then', 503, 409, 'inconclusive'],
  ['proves nothing where a gateway may have cut it off', 504, 201, 'inconclusive'],
])('an order that is answered with Retry-After %s', async (_, first, then, verdict) => {
  let tries = 0
  const { url } = await serverThat(({ method, headers }, response) => {
    if (method !== 'POST') json(response, 200, { orders: [], events: [], price_cents: 1000, currency: 'USD' })
    else if (headers['idempotency-key'] !== 'the-one') json(response, 201, { public_id: 'ord_learned' })
    else if (++tries === 1) html(response, first, { 'retry-after': '1' })
    else json(response, then, then === 201 ? { public_id: 'ord_one' } : { code: 'conflict', message: 'It is at work.' })
  })
  const call: Step['call'] = { op: 'orders.create', idempotency_key: 'the-one', body: { json: { domain: 'one.test' } } }
  const steps: Step[] = [{ id: 'sell', call, expect: { accepted: true, shows: 'ORD-10' } }]
  const fixtures = { sellable: ['one.example', 'two.example'] }
  const run = await judged(url, scenario({ proves: ['ORD-10'], steps }), { fixtures })
  expect(verdictsOf(run)).toEqual([`sell ${verdict}`])
})

describe('a write without a key that the target itself says has failed', () => {
  const QUOTE = scenario({
    proves: ['QUOTE-01'],
    steps: [
      {
        id: 'quote',
        call: { op: 'quotes.create', body: { json: { domain: 'a.example' } } },
        expect: { accepted: true, shows: 'QUOTE-01' },
      },
    ],
  })
  const failed = { code: 'internal_error', message: 'Something went wrong.' }

  it('fails where it fails again after a pause, with an ordinary read answered between', async () => {
    const { url, asked } = await serverThat((_, response) => json(response, 500, failed))
    const run = await judged(url, QUOTE)
    expect(verdictsOf(run)).toEqual(['quote fail'])
    expect(run.pauses).toContain(1_000)
    expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(2)
  })

  it('proves nothing where it is accepted then', async () => {
    let posts = 0
    const { url } = await serverThat(({ method }, response) =>
      method === 'POST' && ++posts === 1 ? json(response, 500, failed) : json(response, 201, { quote_id: 'q_1' }),
    )
    const run = await judged(url, QUOTE)
    expect(verdictsOf(run)).toEqual(['quote inconclusive'])
    expect(run.checks[0]?.note).toBe('the target answered 500 at first and 201 when asked again')
  })
})

it.each<[string, Expectation, number]>([
  ['the last try after bad moments', { accepted: true, shows: 'ORD-10' }, 502],
  ['its wrongly signed twin', { refused: 'unavailable', authenticated: true, shows: 'ORD-10' }, 409],
])('an order that %s made is among what the run leaves behind', async (_which, expected, status) => {
  let tries = 0
  const { url } = await serverThat(({ method, headers }, response) => {
    if (method !== 'POST') return json(response, 200, { orders: [], events: [], price_cents: 1000, currency: 'USD' })
    const isOne = headers['idempotency-key'] === 'the-one'
    // A 502 is tried three times before the last try; a plain refusal, once.
    if (isOne && ++tries <= (status === 502 ? 3 : 1)) return json(response, status, { code: 'unavailable' })
    return json(response, 201, { public_id: isOne ? 'ord_one' : 'ord_learned', domain: 'one.example' })
  })
  const call: Step['call'] = { op: 'orders.create', idempotency_key: 'the-one', body: { json: { domain: 'one.test' } } }
  const steps: Step[] = [{ id: 'sell', call, expect: expected }]
  const fixtures = { sellable: ['one.example', 'two.example'] }
  const { result } = await judged(url, scenario({ proves: ['ORD-10'], steps }), { fixtures })
  expect(result.created).toContainEqual({ kind: 'order', id: 'ord_one' })
})

describe('a burst', () => {
  const BURST = scenario({
    proves: ['ORD-10'],
    steps: [
      { id: 'sound', call: { op: 'availability', query: { domain: 'one.example' } }, expect: { accepted: true } },
      {
        id: 'rush',
        call: { op: 'orders.detail', path: { public_id: 'ord_other' }, at_once: 4 },
        expect: { among: 'refused', count: { at_least: 1 }, every: { 'error.code': 'not_found' }, shows: 'ORD-10' },
      },
    ],
  })
  const [valid, rush] = BURST.scenario.steps as [Step, Step]
  const ACCEPTING = scenario({
    proves: ['ORD-10'],
    steps: [valid, { ...rush, expect: { among: 'accepted', count: 4, shows: 'ORD-10' } }],
  })
  const rushed = ({ url }: IncomingMessage): boolean => url?.includes('ord_other') ?? false
  const notFound = (response: ServerResponse): void => json(response, 404, { code: 'not_found', message: 'no' })

  it.each<[string, Answering]>([
    ['429', (_, response) => json(response, 429, { code: 'rate_limited', message: 'slow' }, { 'retry-after': '0' })],
    ['503', (_, response) => html(response, 503)],
    ['nothing', (request) => request.socket.destroy()],
  ])('all of which is answered %s is inconclusive', async (_what, answers) => {
    const { url } = await serverThat((request, response, n) =>
      rushed(request) ? answers(request, response, n) : json(response, 200),
    )
    expect(verdictsOf(await judged(url, BURST))).toEqual(['rush inconclusive'])
    expect(verdictsOf(await judged(url, ACCEPTING))).toEqual(['rush inconclusive'])
  })

  it('is judged by the lanes that were answered, where enough of them were', async () => {
    const { url } = await serverThat((request, response, n) => {
      if (!rushed(request)) return json(response, 200)
      return n % 4 === 0 ? html(response, 503) : notFound(response)
    })
    expect(verdictsOf(await judged(url, BURST))).toEqual(['rush pass'])
  })
})

it('too many lanes of a burst are too many, whatever a lost one would have got', async () => {
  const { url } = await serverThat((_, response, n) => (n % 4 === 1 ? html(response, 502) : json(response, 200)))
  const call: Step['call'] = {
    op: 'availability',
    query: { domain: 'one.example' },
    at_once: { calls: 4, share: ['nonce'] },
  }
  const replay = scenario({
    proves: ['NONCE-04'],
    steps: [{ id: 'rush', call, expect: { among: 'accepted', count: 1, shows: 'NONCE-04' } }],
  })
  expect(verdictsOf(await judged(url, replay))).toEqual(['rush fail'])
})

it('of calls with one key, one that was lost is known by the others, so that what follows is judged', async () => {
  const { url } = await serverThat((request, response, n) => {
    if (request.method !== 'POST')
      return json(response, 200, { orders: [], events: [], available: true, price_cents: 1000, currency: 'USD' })
    return n % 2 === 0 ? html(response, 502) : json(response, 201, { public_id: 'ord_1', domain: 'one.example' })
  })
  const call: Step['call'] = { op: 'orders.create', at_once: { calls: 4, share: ['idempotency_key', 'body'] } }
  const steps: Step[] = [
    { id: 'rush', call: { ...call, body: { json: { domain: 'one.example' } } } },
    { id: 'after', call: { op: 'orders.list' }, expect: { accepted: true, shows: 'IDEM-04' } },
  ]
  const fixtures = { sellable: ['one.example', 'two.example'] }
  const { checks } = await judged(url, scenario({ proves: ['IDEM-04'], steps }), { fixtures })
  expect(checks.map(({ verdict, note }) => [verdict, note])).toEqual([['pass', undefined]])
})

it('what is late is waited for, as long as the target file says', async () => {
  const late = scenario({
    proves: ['TXN-01'],
    steps: [
      { id: 'sell', call: { op: 'quotes.create', body: { json: {} } } },
      {
        id: 'listed',
        call: { op: 'transactions.list' },
        expect: { items: 'transactions.items', count: 1, shows: 'TXN-01' },
      },
    ],
  })
  const lateServer = () =>
    serverThat((request, response, n) =>
      json(
        response,
        200,
        request.method === 'POST' ? { quote_id: 'q' } : { transactions: n > 4 ? [{ domain: 'a.example' }] : [] },
      ),
    )
  const credentials = [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['search', 'buy', 'report'] }]
  const dialect = { roles: { 'transactions.items': '/transactions' } }
  const patient = await judged((await lateServer()).url, late, { credentials, dialect, patience: { reports: '20s' } })
  expect(verdictsOf(patient)).toEqual(['listed pass'])
  const hasty = await judged((await lateServer()).url, late, { credentials, dialect, patience: { reports: '0s' } })
  expect(verdictsOf(hasty)).toEqual(['listed fail'])
})

it('a list that takes longer to read than is waited is read once more when the time is over', async () => {
  const { wall, pause } = withoutPauses()
  let looks = 0
  const { url } = await serverThat(async (request, response) => {
    if (!request.url?.includes('/transactions')) return json(response, 200, { quote_id: 'q' })
    // The answer is as old as the request, and took longer than the patience.
    const rows = looks++ > 0 ? [{ domain: 'a.example' }] : []
    await pause(5_000)
    return json(response, 200, { transactions: rows })
  })
  const until = scenario({
    proves: ['TXN-01'],
    steps: [
      {
        id: 'listed',
        call: { op: 'transactions.list', until: '2s' },
        expect: { items: 'transactions.items', count: 1, shows: 'TXN-01' },
      },
    ],
  })
  const credentials = [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['report'] }]
  const more = {
    credentials,
    dialect: { roles: { 'transactions.items': '/transactions' } },
    patience: { reports: '2s' },
  }
  const { scenarios } = await judge(targetAt(url, more), [until], { wall, pause })
  expect(scenarios[0]?.checks.map(({ verdict }) => verdict)).toEqual(['pass'])
})

it.each([1_000, 6_000])(
  'where lists were late, a scenario that runs alone begins when they have had the time to catch up, however long a look takes: %i ms',
  async (lookMs) => {
    const { wall, pause } = withoutPauses()
    const askedAtMs: number[] = []
    const { url } = await serverThat(async (request, response) => {
      if (!request.url?.includes('/transactions')) return json(response, 200, { quote_id: 'q' })
      askedAtMs.push(wall.monotonicMs())
      const rows = askedAtMs.length > 1 ? [{ domain: 'a.example' }] : []
      await pause(lookMs)
      return json(response, 200, { transactions: rows })
    })
    const listed = (more: object) =>
      scenario({
        proves: ['TXN-01'],
        effects: { exclusive: true },
        steps: [
          {
            id: 'listed',
            call: { op: 'transactions.list', ...more },
            expect: { items: 'transactions.items', count: 1, shows: 'TXN-01' },
          },
          { call: { method: 'POST', target: '/sold' } },
        ],
      })
    const credentials = [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['report'] }]
    const more = { credentials, dialect: { roles: { 'transactions.items': '/transactions' } } }
    const { scenarios } = await judge(targetAt(url, more), [listed({ until: '5s' }), listed({ all_pages: true })], {
      wall,
      pause,
    })
    expect(scenarios.flatMap(({ checks }) => checks.map(({ verdict }) => verdict))).toEqual(['pass', 'pass'])
    const [, second = 0, third = 0] = askedAtMs
    // Not as long as the look that did not show it: its pages may have taken that time.
    const waitedMs = third - second - lookMs
    expect(waitedMs).toBeGreaterThanOrEqual(2_000)
    expect(waitedMs).toBeLessThan(2_500)
  },
)

describe('a page that fails at every try', () => {
  const OPEN = scenario({
    proves: ['CHK-01'],
    steps: [
      { id: 'shown', call: { op: 'orders.detail', path: { public_id: 'ord_1' } } },
      { id: 'page', page: { open: '${shown.body.url}' }, expect: { accepted: true, shows: 'CHK-01' } },
    ],
  })

  /** A server whose pages fail, and all the rest as well from then on if it is down. */
  async function failingAtPages(goesDown: boolean): Promise<string> {
    let down = false
    const { url } = await scriptedTarget((request, response) => {
      const isPage = request.url === '/pay'
      down ||= isPage && goesDown
      if (isPage || down) html(response, 503)
      else json(response, 200, { available: true, url: `http://${request.headers.host}/pay` })
    })
    return url
  }

  it('is the target’s fault where it answers an ordinary read', async () => {
    expect(verdictsOf(await judged(await failingAtPages(false), OPEN))).toEqual(['page fail'])
  })

  it('proves nothing where an ordinary read fails as well', async () => {
    expect(verdictsOf(await judged(await failingAtPages(true), OPEN))).toEqual(['page inconclusive'])
  })
})

it('an accepted call with five rows is no failure of the server, though the words for it begin with a 5', async () => {
  const events = Array.from({ length: 5 }, (_, n) => ({ id: `evt_${n}`, type: 'x' }))
  // It accepts nothing else: then no failure of the server would prove anything.
  const { url } = await scriptedTarget((request, response) =>
    request.url?.includes('odd') ? json(response, 200, { events }) : json(response, 403, { code: 'forbidden' }),
  )
  const steps = [
    {
      call: { op: 'events.list' },
      fault: { query: { set: { limit: 'odd' } } },
      expect: { items: 'events.items', count: 0 },
    },
    { id: 'then', call: { op: 'events.list' }, expect: { accepted: true, shows: 'EVT-01' } },
  ]
  const { checks } = await judged(url, scenario({ proves: ['EVT-01'], steps: steps as Scenario['steps'] }))
  expect(checks[0]?.actual).toBe('step 1 expects "the number of events.items is 0" and saw: 5 events.items')
})
