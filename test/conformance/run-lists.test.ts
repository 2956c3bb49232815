import { describe, expect, it } from 'vitest'
import { findRole } from '../../src/conformance/dialect/find-role.ts'
import type { RunCall } from '../../src/conformance/format/expectations/kind.ts'
import { readRun } from '../../src/conformance/format/expectations/run-reading.ts'
import { RUN_RULES } from '../../src/conformance/format/expectations/run-rules.ts'
import type { EndpointId } from '../../src/contract/endpoint-ids.ts'

interface Read {
  op: EndpointId
  json: unknown
  query?: string
}

/** Reads of a run, one a second. */
function run(...reads: Read[]): RunCall[] {
  return reads.map(({ op, json, query = '' }, second) => ({
    op,
    method: 'GET',
    exchange: `x${second}`,
    world: '',
    realm: 'main',
    isValid: true,
    target: `/api/partner/v1/path?${query}`,
    body: '',
    answer: { op, status: 200, headers: [], body: Buffer.from(JSON.stringify(json)), json },
    sentAtMs: 1_000 * second,
    answeredAtMs: 1_000 * second + 10,
    recordsAtMs: Number.NaN,
  }))
}

/** What breaks a rule. */
function broken(rule: keyof typeof RUN_RULES, of: EndpointId[], ...reads: Read[]): string[] {
  const find = (role: Parameters<typeof findRole>[1], item: Parameters<typeof findRole>[2]) => {
    return findRole({}, role, item)
  }
  return RUN_RULES[rule].rule(readRun(run(...reads), find), of).flatMap(({ says }) => says ?? [])
}

describe('filters', () => {
  const listed = (query: string, ...domains: string[]) => ({
    op: 'orders.list' as const,
    query,
    json: { orders: domains.map((domain, at) => ({ public_id: `ord_8f3k1d6w${at}`, domain })) },
  })
  const fitting = [listed('name=a.test', 'a.test', 'A.TEST'), listed('name=b.test', 'b.test')]

  it.each([
    ['a name that no page shows to be a filter', [listed('q=a.test', 'a.test', 'b.test')], 0],
    ['a cursor with a dot', [listed('cursor=a.b', 'a.test'), listed('cursor=c.d', 'b.test')], 0],
    ['a filter that is given twice', [...fitting, listed('name=a.test&name=b.test', 'a.test', 'b.test')], 0],
    ['a value that no domain has', [...fitting, listed(`name=${'a'.repeat(64)}.test`, 'a.test')], 0],
    ['a page with another domain', [...fitting, listed('limit=2&name=a.test', 'a.test', 'b.test')], 1],
  ])('%s', (_, reads, times) => {
    expect(broken('keeps_filters', ['orders.list'], ...reads)).toHaveLength(times)
  })
})

describe('pages of events', () => {
  const page = (query: string, ...ids: string[]) => ({
    op: 'events.list' as const,
    query,
    json: { events: ids.map((id) => ({ id })), next_cursor: null },
  })

  it.each([
    ['as long as was asked', page('limit=2', 'evt_1', 'evt_2'), 0],
    ['longer than was asked', page('limit=2', 'evt_1', 'evt_2', 'evt_3'), 1],
    ['of a size of none', page('limit=0', 'evt_1'), 0],
    ['behind an event', page('after_id=evt_1', 'evt_2'), 0],
    ['that begins with the event itself', page('after_id=evt_1', 'evt_1', 'evt_2'), 1],
  ])('%s', (_, read, times) => {
    expect(broken('pages_as_asked', [], read)).toHaveLength(times)
  })

  it('no page has an event twice, and two pages may', () => {
    const rule = (...pages: Read[]) => broken('repeats_no_row', ['events.list'], ...pages)
    expect(rule(page('', 'evt_1'), page('', 'evt_1'))).toEqual([])
    expect(rule(page('', 'evt_1', 'evt_2', 'evt_1'))).toEqual(['evt_1 is twice among 3 events.items'])
  })
})
