import { describe, expect, it } from 'vitest'
import type { GapChoices } from '../../../src/contract/choices.ts'
import { ENDPOINTS, type EndpointId } from '../../../src/contract/endpoints.ts'
import { eventsIn, stepsIn } from '../../../src/sandbox/coverage/facts.ts'
import type { Evidence } from '../../../src/sandbox/coverage/hints.ts'
import { sectionsOf } from '../../../src/sandbox/coverage/report.ts'
import { type Departure, newCall } from '../../../src/sandbox/wire/call.ts'
import { testWorld } from '../../support/world.ts'

const NOW_MS = Date.parse('2026-03-01T00:00:00.000Z')

interface Exchange {
  endpoint: EndpointId
  query?: string
  status?: number
  headers?: Record<string, string>
  body?: object | string
  nonce?: string
  /** When it was sent, and when its answer was there, in milliseconds. */
  at?: readonly [sentMs: number, answeredMs: number]
  departure?: Departure
}

/** A server of which only its calls are known. */
function stranger(gaps: Partial<GapChoices> = {}) {
  let monotonicMs = 0
  const wall = { nowMs: () => NOW_MS, monotonicMs: () => monotonicMs }
  const { coverage, gaps: choices } = testWorld({ inventory: 0, gaps, wall })
  const evidence = (): Evidence => {
    const counts = coverage.counts()
    const line = (words: string) => `partner-sandbox ${words}`
    return {
      gaps: choices,
      keyId: null,
      seen: (kind, id = '') => counts.of(kind, id),
      command: line,
      call: ({ method, path }) => `${method} ${path}`,
      orderOf: (domain) => ({ method: 'POST', path: '/orders', body: { domain } }),
      url: (path) => `http://127.0.0.1:1${path}`,
    }
  }
  return {
    pass(exchange: Exchange) {
      const { endpoint, query = '', status = 200, headers = {}, body = {}, nonce = 'n', at = [0, 1] } = exchange
      const { method, path } = ENDPOINTS[endpoint]
      const rawHeaders = ['X-Partner-Key-Id', 'pk_test_1', 'X-Partner-Nonce', nonce]
      const target = `/api/partner/v1${path}${query}`
      const incoming = { id: 'req_1', receivedAtMs: NOW_MS, method, target, rawHeaders, endpoint, params: {} }
      const call = newCall({ ...incoming, body: new Uint8Array(0) })
      call.departure = exchange.departure ?? call.departure
      monotonicMs = at[1]
      const answer = { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }
      coverage.note({ call, answer, worldTimeMs: NOW_MS, tookMs: at[1] - at[0] }, { isOwn: true })
    },
    met: () =>
      sectionsOf(evidence()).flatMap(({ id, rows }) =>
        rows.filter(({ state }) => state === 'met').map((row) => `${id} ${row.id}`),
      ),
    row: (section: string, id: string) =>
      sectionsOf(evidence())
        .find((one) => one.id === section)
        ?.rows.find((row) => row.id === id),
  }
}

const timeline = (...states: string[]) => ({ timeline: states.map((status) => ({ status, at: 'then', note: 'x' })) })

describe('coverage of a server that is known by its calls only', () => {
  it('has every row, and a hint for each that counts', () => {
    expect(stranger().met()).toEqual([])
    expect(stranger().row('codes', 'rate_limited')).toMatchObject({ state: 'not_met', count: 0 })
    expect(stranger().row('codes', 'missing_signature_headers')?.hint).toBe('send a call without X-Partner-Nonce')
  })

  it('counts endpoints, states and steps, event types, cursors and stored answers', () => {
    const server = stranger()
    const order = { public_id: 'ord_1', ...timeline('EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS') }
    server.pass({ endpoint: 'orders.list', query: '?limit=1&cursor=c', body: { orders: [order] } })
    server.pass({ endpoint: 'orders.create', status: 201, headers: { 'Idempotent-Replayed': 'true' }, body: order })
    server.pass({ endpoint: 'events.list', body: { events: [{ id: 'evt_1', type: 'order.recorded', data: {} }] } })
    expect(server.met()).toEqual(
      expect.arrayContaining([
        'endpoints orders.create',
        'endpoints orders.list',
        'endpoints events.list',
        'orders TRANSFER_IN_PROGRESS',
        'orders NEW>EXTERNALLY_PAID',
        'orders EXTERNALLY_PAID>TRANSFER_IN_PROGRESS',
        'events order.recorded',
        'situations cursor',
        'situations replayed',
      ]),
    )
    expect(server.row('endpoints', 'orders.list')).toMatchObject({ count: 1, first_at: '2026-03-01T00:00:00.000Z' })
  })

  it('reads an answer with blanks, and in the words of the server', () => {
    const server = stranger({ 'held-status': 'HELD', 'error-layout': 'list' })
    const order = JSON.stringify(timeline('EXTERNALLY_PAID', 'HELD'), null, 2)
    server.pass({ endpoint: 'orders.detail', body: order })
    server.pass({ endpoint: 'pricing', status: 404, body: '{ "errors": [ { "code": "not_found" } ] }' })
    expect(server.met()).toEqual(
      expect.arrayContaining(['orders EXTERNALLY_PAID>MANUAL_REVIEW', 'codes not_found', 'gaps error-layout']),
    )
  })

  it('judges what a client does after a refusal, and after no answer', () => {
    const server = stranger()
    const limited = { endpoint: 'pricing', status: 429, headers: { 'Retry-After': '2' } } as const
    server.pass({ ...limited, nonce: 'a', at: [0, 10] })
    server.pass({ endpoint: 'pricing', nonce: 'b', at: [500, 510] })
    expect(server.row('retries', 'rate_limited')).toMatchObject({
      state: 'wrong',
      request_id: 'req_1',
      says: 'once wrong, never right; last mistake: it came after 490 ms, but Retry-After said 2 s',
    })
    server.pass({ endpoint: 'orders.list', status: 502, departure: { kind: 'lost' }, nonce: 'c', at: [600, 610] })
    server.pass({ endpoint: 'orders.list', nonce: 'd', at: [620, 630] })
    expect(server.row('retries', 'lost_reply')).toMatchObject({ state: 'met', count: 1 })
  })
})

describe('what an answer shows', () => {
  it('is read of each timeline by itself', () => {
    expect(stepsIn(JSON.stringify(timeline('A', 'B', 'B', 'C')))).toEqual([
      ['NEW', 'A'],
      ['A', 'B'],
      ['B', 'C'],
    ])
    expect(stepsIn(JSON.stringify({ orders: [timeline('A', 'B'), timeline('C')], next_cursor: null }))).toEqual([
      ['NEW', 'A'],
      ['A', 'B'],
      ['NEW', 'C'],
    ])
    expect(stepsIn('{"orders":[]}')).toEqual([])
  })

  it('cannot be forged by what somebody wrote into a note', () => {
    const note = '"timeline":[{"status":"SETTLED"},{"status":"REFUNDED"}] "id":"evt_forged","type":"order.settled"'
    const body = JSON.stringify({ timeline: [{ status: 'A', note }] })
    expect(stepsIn(body)).toEqual([['NEW', 'A']])
    expect(eventsIn(body)).toEqual([])
  })
})
