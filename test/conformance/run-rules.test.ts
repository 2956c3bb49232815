import { describe, expect, it } from 'vitest'
import type { AnswerSeen, Item, RunCall } from '../../src/conformance/format/expectations/kind.ts'
import { judgeRunRule, type RunRuleName } from '../../src/conformance/format/expectations/run-rules.ts'
import { isObject } from '../../src/conformance/http/json-body.ts'
import type { EndpointId } from '../../src/contract/endpoints.ts'

interface Made {
  op?: EndpointId
  method?: string
  target?: string
  body?: unknown
  status?: number
  json?: unknown
  atMs?: number
  realm?: string
  type?: string
}

function call(
  {
    op = 'availability',
    method = 'GET',
    target = '/',
    body,
    status = 200,
    json = {},
    atMs = 0,
    realm = 'main',
    type,
  }: Made,
  index: number,
): RunCall {
  const headers: [string, string][] = [['content-type', type ?? 'application/json']]
  return {
    op,
    method,
    exchange: `s1e${index + 1}`,
    world: '',
    realm,
    isValid: true,
    target,
    body: body === undefined ? '' : JSON.stringify(body),
    answer: { op, status, headers, body: Buffer.from(JSON.stringify(json)), json },
    sentAtMs: atMs,
    recordsAtMs: atMs,
  }
}

/** Judges a rule where each role is at the key of its last word. */
function judged(rule: RunRuleName, of: string[], made: Made[]) {
  const guessed: string[] = []
  const peek = (role: string, { json }: Item) => {
    const value = isObject(json) ? json[role.split('.').at(-1) ?? ''] : undefined
    return value === undefined
      ? { found: false as const, why: 'absent' as const, detail: '', documented: false }
      : { found: true as const, value, at: role }
  }
  const find = (role: string, item: Item) => {
    guessed.push(role)
    return peek(role, item)
  }
  const seen = { peek, find, callsOfRun: () => made.map(call) } as unknown as AnswerSeen
  return { check: judgeRunRule(seen, { rule, of }), guessed }
}

const asked = (domain: string, json: unknown): Made => ({ target: `/availability?domain=${domain}`, json })

describe('a rule about the whole run', () => {
  it('is broken by one answer about something else, where others show the place to be right', () => {
    const right = ['a.test', 'b.test'].map((domain) => asked(domain, { domain }))
    const { check, guessed } = judged(
      'repeats_what_was_sent',
      ['availability'],
      [...right, asked('c.test', { domain: 'd.test' })],
    )
    expect(check).toMatchObject({ verdict: 'fail', certain: true, actual: expect.stringContaining('s1e3') })
    expect(guessed).toEqual([])
  })

  it('rests on the place that the runner has guessed, where nothing else shows it to be right', () => {
    const { check, guessed } = judged(
      'repeats_what_was_sent',
      ['availability'],
      [asked('c.test', { domain: 'd.test' })],
    )
    expect(check).not.toHaveProperty('certain')
    expect(guessed).toEqual(['listing.domain'])
  })

  it('does not ask which of two values of one parameter counts', () => {
    const twice: Made = { target: '/availability?domain=a.test&domain=b.test', json: { domain: 'b.test' } }
    expect(judged('repeats_what_was_sent', ['availability'], [twice]).check).toBeNull()
  })

  it('takes one 500, or one before which nothing else was answered, for a bad moment', () => {
    const failing = (atMs: number): Made => ({ target: '/x', status: 500, atMs })
    const other: Made = { target: '/y', atMs: 1_500 }
    expect(judged('never_crashes', [], [failing(1_000), other]).check).toBeNull()
    expect(judged('never_crashes', [], [failing(1_000), failing(2_000)]).check).toBeNull()
    expect(judged('never_crashes', [], [failing(1_000), other, { target: '/x', atMs: 2_000 }]).check).toBeNull()
    expect(judged('never_crashes', [], [failing(1_000), other, failing(2_000)]).check).toMatchObject({
      verdict: 'fail',
    })
  })

  it('finds what another caller has made, unless the call names it', () => {
    const made: Made = { op: 'orders.create', json: { public_id: 'ord_1' }, realm: 'other' }
    const list = (more: Made): Made => ({ op: 'orders.list', json: { orders: [{ public_id: 'ord_1' }] }, ...more })
    expect(judged('shows_own_only', ['orders.list'], [made, list({ realm: 'other' })]).check).toBeNull()
    expect(judged('shows_own_only', ['orders.list'], [made, list({ target: '/orders?after=ord_1' })]).check).toBeNull()
    expect(judged('shows_own_only', ['orders.list'], [made, list({})]).check).toMatchObject({ verdict: 'fail' })
  })

  it('does not take an entry that is alike in state and time for the same one', () => {
    const made: Made = { op: 'orders.create', json: { public_id: 'ord_1' } }
    const read = (timeline: unknown[], atMs: number, status = 'TRANSFER_IN_PROGRESS'): Made => ({
      op: 'orders.detail',
      atMs,
      json: { public_id: 'ord_1', status, timeline },
    })
    const entry = (detail: string) => ({ status: 'TRANSFER_IN_PROGRESS', at: '2026-01-01T00:00:00Z', detail })
    const of = (...reads: Made[]) => judged('goes_forward', ['orders.detail'], [made, ...reads]).check
    expect(of(read([entry('code')], 1), read([entry('code'), entry('push')], 2))).toBeNull()
    expect(of(read([entry('code')], 1), read([entry('code'), entry('code')], 2))).toMatchObject({ verdict: 'fail' })
    expect(of(read([entry('code')], 1), read([], 2))).toMatchObject({ verdict: 'fail' })
    expect(of(read([entry('code')], 1), read([entry('code')], 2, 'TRANSFER_COMPLETED'))).toMatchObject({
      verdict: 'fail',
    })
  })

  it('leaves it to the clock where most quotes last otherwise', () => {
    let at = 0
    const quote = (seconds: number): Made => ({
      op: 'quotes.create',
      json: { id: `quo_${seconds}_${at++}`, expires_at: new Date(seconds * 1_000).toISOString() },
    })
    expect(judged('expires_in_time', ['quotes.create'], [quote(300), quote(300), quote(600)]).check).toBeNull()
    expect(judged('expires_in_time', ['quotes.create'], [quote(300), quote(600), quote(601)]).check).toMatchObject({
      verdict: 'fail',
      actual: expect.stringContaining('300 s later'),
    })
  })
})
