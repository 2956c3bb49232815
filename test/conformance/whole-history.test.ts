import { expect, it } from 'vitest'
import { checksThat, judge, scenario } from '../support/referee.ts'
import { type Answering, answerJson, scriptedTarget } from '../support/scripted-target.ts'

const IDS = ['evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5']

/** A history in pages of two whose next_cursor never ends; a second after_id is refused. */
const endless: Answering = ({ url = '/' }, response) => {
  const named = new URL(url, 'http://target.test').searchParams.getAll('after_id')
  const page = IDS.slice(IDS.indexOf(named[0] ?? '') + 1).slice(0, 2)
  const events = page.map((id) => ({ id, type: 'order.recorded', created_at: '2026-01-01T00:00:00Z', data: {} }))
  answerJson(response, named.length > 1 ? 400 : 200, { events, next_cursor: page.at(-1) ?? named[0] })
}

it('a history that goes on naming a cursor ends with its first empty page, and begins behind what the call named', async () => {
  const call = { op: 'events.list', query: { after_id: 'evt_2' }, all_pages: true } as const
  const ids = ['evt_3', 'evt_4', 'evt_5']
  const expectation = { items: 'events.items', count: 3, every: { 'event.id': { one_of: ids } }, shows: 'EVT-01' }
  const steps = [{ id: 'rest', call, expect: expectation }]
  const result = await judge(await scriptedTarget(endless), [scenario({ proves: ['EVT-01'], steps })])
  expect(checksThat(result, 'pass')).toEqual(['test/one rest EVT-01'])
})
