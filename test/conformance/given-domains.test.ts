import { expect, it } from 'vitest'
import type { Step } from '../../src/conformance/format/scenario.ts'
import { judge, scenario } from '../support/referee.ts'
import { type Answering, answerJson, scriptedTarget } from '../support/scripted-target.ts'

const ROOT = '/api/partner/v1'
const EVENT = { id: 'evt_1', type: 'order.recorded', created_at: '2026-01-01T00:00:00Z' }

interface Leftovers {
  /** What search finds. */
  searched?: readonly string[]
  sold?: readonly string[]
  inCases?: readonly string[]
  /** What the event history tells of. */
  told?: readonly string[]
  /** What costs odd cents. */
  odd?: readonly string[]
}

/** A target that an earlier run has been to; its details are asked for by scenarios only. */
function targetWith({ searched = [], sold = [], inCases = [], told = [], odd = [] }: Leftovers) {
  const detailed: string[] = []
  const answers: Record<string, (domain: string) => unknown> = {
    '/availability': (domain) => ({ domain, available: !sold.includes(domain), price_cents: 1000 }),
    '/pricing': (domain) => ({ price_cents: odd.includes(domain) ? 1050 : 1000, floor_cents: 900, currency: 'USD' }),
    '/brokerage/eligibility': (domain) => ({ domain, eligible: !inCases.includes(domain) }),
    '/events': () => ({
      events: told.map((domain) => ({ ...EVENT, id: `evt_${domain}`, data: { order: { domain } } })),
      next_cursor: null,
    }),
    '/domains/search': () => ({ domains: searched.map((domain) => ({ domain })) }),
  }
  const answer: Answering = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
    const path = pathname.replace(ROOT, '')
    const known = answers[path]
    if (known) return answerJson(response, 200, known(searchParams.get('domain') ?? ''))
    detailed.push(path)
    answerJson(response, 404, { code: 'not_found', message: 'no' })
  }
  return { answer, detailed }
}

/** The domain that a scenario is handed first, out of those that the target file names. */
async function handedOut(
  leftovers: Leftovers,
  sellable: string[],
  extra: Step[] = [],
  fixtures: Record<string, unknown> = {},
  dialect: Record<string, unknown> = {},
): Promise<string[]> {
  const { answer, detailed } = targetWith(leftovers)
  const scopes = ['search', 'buy', 'broker', 'webhook']
  const credentials = [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes }]
  const target = await scriptedTarget(answer, { credentials, dialect, fixtures: { sellable, ...fixtures } })
  const call = { op: 'domains.detail', path: { name: '${sellable.domain}' } } as const
  const steps = [...extra, { id: 'handed', call, expect: { refused: 'not_found', shows: 'INV-06' } } as Step]
  // A run with this id goes through a.test, b.test and c.test in this order; others have orders of their own.
  let uuids = 0
  const randomUuid = () => `00000007-0000-4000-8000-${String(uuids++).padStart(12, '0')}`
  await judge(target, [scenario({ proves: ['INV-06'], needs: ['fixture.sellable'], steps })], { randomUuid })
  // Others follow where the runner looks for a control of the refusal.
  return detailed.map((path) => path.replace('/domains/', '')).slice(0, 1)
}

const ELIGIBILITY: Step = { call: { op: 'brokerage.eligibility', query: { domain: '${sellable.domain}' } } }

it('a domain that an earlier run bought is passed over', async () => {
  expect(await handedOut({ sold: ['a.test', 'b.test'] }, ['a.test', 'b.test', 'c.test'])).toEqual(['c.test'])
})

it('a domain that was sold and is available again comes after those that never were', async () => {
  expect(await handedOut({ told: ['a.test'] }, ['a.test', 'b.test'])).toEqual(['b.test'])
  expect(await handedOut({ told: ['a.test'] }, ['a.test'])).toEqual(['a.test'])
})

it('a domain in a case is spared by scenarios about cases, and by no other', async () => {
  const leftovers = { inCases: ['a.test'] }
  expect(await handedOut(leftovers, ['a.test', 'b.test'], [ELIGIBILITY])).toEqual(['b.test'])
  expect(await handedOut(leftovers, ['a.test', 'b.test'])).toEqual(['a.test'])
  expect(await handedOut(leftovers, ['a.test'], [ELIGIBILITY])).toEqual(['a.test'])
})

it('a domain that search finds in a case is spared in the same way', async () => {
  const leftovers = { searched: ['a.test', 'b.test'], inCases: ['a.test'] }
  expect(await handedOut(leftovers, [], [ELIGIBILITY])).toEqual(['b.test'])
  expect(await handedOut(leftovers, [])).toEqual(['a.test'])
  expect(await handedOut({ ...leftovers, searched: ['a.test'] }, [], [ELIGIBILITY])).toEqual(['a.test'])
})

it('what a search has to find by its topic is sold last', async () => {
  const topic = { topic: { query: 'sailing', finds: ['a.test'] } }
  expect(await handedOut({}, ['a.test', 'b.test'], [], topic)).toEqual(['b.test'])
  expect(await handedOut({}, ['a.test'], [], topic)).toEqual(['a.test'])
})

it('a domain that costs odd cents is passed over where prices are sent in whole units', async () => {
  const leftovers = { odd: ['a.test'] }
  expect(await handedOut(leftovers, ['a.test', 'b.test'], [], {}, { price_unit: 'units' })).toEqual(['b.test'])
  expect(await handedOut(leftovers, ['a.test', 'b.test'], [], {}, { price_unit: 'cents' })).toEqual(['a.test'])
})
