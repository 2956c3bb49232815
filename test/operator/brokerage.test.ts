import { expect, test } from 'vitest'
import {
  CASE_STATES,
  CASE_STEP_NAMES,
  CASE_STEPS,
  type CaseState,
  type CaseStepName,
} from '../../src/contract/case-states.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const CASES = '/v1/worlds/default/brokerage'

const WAY_TO: Record<CaseState, readonly CaseStepName[]> = {
  OPEN: [],
  NEGOTIATING: ['negotiate'],
  DEAL_CLOSED: ['negotiate', 'close-deal'],
  CLOSED_NO_DEAL: ['close-no-deal'],
}

async function caseIn(sandbox: TestSandbox, state: CaseState, as = 'main'): Promise<string> {
  const body = { tier: 'self_serve', buyer_email: 'b@example.test', budget: 1_000 }
  const { json } = await sandbox.call({ path: '/brokerage', body, as })
  for (const step of WAY_TO[state]) {
    expect((await sandbox.operate('POST', `${CASES}/${json.case_id}/${step}`, {})).status).toBe(200)
  }
  return json.case_id
}

const stepsFrom = (state: CaseState) =>
  CASE_STEP_NAMES.filter((name) => (CASE_STEPS[name].from as readonly CaseState[]).includes(state))

test.each(CASE_STATES)(
  '%s allows the steps of the table and refuses every other with 409, its state and its steps',
  async (state) => {
    const sandbox = await startSandbox()
    for (const step of CASE_STEP_NAMES) {
      const caseId = await caseIn(sandbox, state)
      const before = (await sandbox.operate('GET', `${CASES}/${caseId}`)).json
      expect(before).toMatchObject({ status: state, steps: stepsFrom(state) })
      const { status, json } = await sandbox.operate('POST', `${CASES}/${caseId}/${step}`, { reason: 'a test' })
      const after = (await sandbox.operate('GET', `${CASES}/${caseId}`)).json
      if (stepsFrom(state).includes(step)) {
        expect([step, status, json.status]).toEqual([step, 200, CASE_STEPS[step].to])
        expect(json.timeline.at(-1)).toMatchObject({ status: CASE_STEPS[step].to, note: 'a test' })
        expect(json.timeline).toHaveLength(before.timeline.length + 1)
        expect(after).toEqual(json)
      } else {
        expect([step, status, json.state, json.steps]).toEqual([step, 409, state, stepsFrom(state)])
        expect(json).toMatchObject({ code: 'conflict', detail: expect.stringContaining(state) })
        expect(after).toEqual(before)
      }
    }
  },
)

test('the entry of a closed deal names the event that told of it', async () => {
  const sandbox = await startSandbox()
  const caseId = await caseIn(sandbox, 'NEGOTIATING')
  const { json } = await sandbox.operate('POST', `${CASES}/${caseId}/close-deal`, { price_cents: 2_000 })
  const { json: history } = await sandbox.call({ path: '/events' })
  expect(history.events.map((event: { type: string }) => event.type)).toEqual(['brokerage.case_completed'])
  expect(json.timeline.at(-1).event_id).toBe(history.events[0].id)
  expect(history.events[0].data.case).toMatchObject({
    case_id: caseId,
    deal_price_cents: 2_000,
    partner_cut_cents: 200,
  })
  expect((await sandbox.call({ path: '/events', as: 'other-partner' })).json.events).toEqual([])
})

test('a price belongs to a deal and is a positive number of cents; a reason is 1 to 500 characters', async () => {
  const sandbox = await startSandbox()
  const caseId = await caseIn(sandbox, 'OPEN')
  for (const [step, body] of [
    ['negotiate', { price_cents: 5 }],
    ['close-no-deal', { price_cents: 5 }],
    ['close-deal', { price_cents: 0 }],
    ['close-deal', { price_cents: 1.5 }],
    ['close-deal', { price_cents: 1_000_000_000_001 }],
    ['close-deal', { price_cents: '5' }],
    ['close-deal', { price: 5 }],
    ['close-deal', { reason: '' }],
    ['negotiate', { reason: 'x'.repeat(501) }],
  ] as const) {
    expect([step, body, (await sandbox.operate('POST', `${CASES}/${caseId}/${step}`, body)).status]).toEqual([
      step,
      body,
      400,
    ])
  }
  expect((await sandbox.operate('GET', `${CASES}/${caseId}`)).json.status).toBe('OPEN')
})

test('the list spans all partners, with filters and a cursor', async () => {
  const sandbox = await startSandbox()
  const ids = []
  for (const as of ['main', 'other-partner', 'main']) ids.unshift(await caseIn(sandbox, 'OPEN', as))
  await sandbox.operate('POST', `${CASES}/${ids[0]}/negotiate`, {})
  const list = async (query: string) => (await sandbox.operate('GET', CASES + query)).json
  const idsOf = (page: { cases: { case_id: string }[] }) => page.cases.map((found) => found.case_id)
  const all = await list('')
  expect(idsOf(all)).toEqual(ids)
  const other = all.cases[1].partner_id
  expect(other).not.toBe(all.cases[0].partner_id)
  expect(idsOf(await list(`?partner_id=${other}`))).toEqual([ids[1]])
  expect(idsOf(await list('?status=NEGOTIATING'))).toEqual([ids[0]])
  expect(idsOf(await list('?domain=a.test'))).toEqual([])
  expect(idsOf(await list('?from=2099-01-01'))).toEqual([])
  expect(idsOf(await list('?to=2099-01-01'))).toEqual(ids)
  const first = await list('?limit=2')
  expect([idsOf(first), first.next_cursor]).toEqual([ids.slice(0, 2), ids[1]])
  expect(idsOf(await list(`?limit=2&cursor=${first.next_cursor}`))).toEqual([ids[2]])
  expect((await sandbox.operate('GET', `${CASES}?color=red`)).json.detail).toContain('unknown parameter color')
})

test('a deal about a domain that somebody holds by a quote is 409, which names the end of the quote', async () => {
  const sandbox = await startSandbox({ frozen: true })
  const [listing] = await sandbox.forSale(1)
  const body = { tier: 'managed', buyer_email: 'b@example.test', budget: 1_000, domain: listing!.domain }
  const { json: opened } = await sandbox.call({ path: '/brokerage', body })
  const { json: quote } = await sandbox.call({
    path: '/quotes',
    body: { domain: listing!.domain },
    as: 'other-partner',
  })
  const close = () => sandbox.operate('POST', `${CASES}/${opened.case_id}/close-deal`, {})
  const { status, json } = await close()
  expect([status, json.code, json.state, json.steps, json.quote_expires_at]).toEqual([
    409,
    'conflict',
    'OPEN',
    ['negotiate', 'close-no-deal'],
    quote.expires_at,
  ])
  expect(json.detail).toContain(quote.expires_at)
  const order = { domain: listing!.domain, quote_id: quote.quote_id, expected_price: quote.price_cents }
  expect((await sandbox.sell({ as: 'other-partner', order })).status).toBe(201)
  const closed = await close()
  expect([closed.status, closed.json.steps, 'quote_expires_at' in closed.json]).toEqual([200, [], false])
})
