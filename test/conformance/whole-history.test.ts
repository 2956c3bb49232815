import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { listening } from '../support/listening.ts'
import { checksThat, judge, scenario, targetOf } from '../support/referee.ts'

const IDS = ['evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5']

/** A history in pages of two whose next_cursor never ends; a second after_id is refused. */
async function endlessHistory(): Promise<string> {
  const server = createServer((request, response) => {
    const named = new URL(request.url ?? '/', 'http://target.test').searchParams.getAll('after_id')
    const page = IDS.slice(IDS.indexOf(named[0] ?? '') + 1).slice(0, 2)
    const events = page.map((id) => ({ id, type: 'order.recorded', created_at: '2026-01-01T00:00:00Z', data: {} }))
    response.writeHead(named.length > 1 ? 400 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ events, next_cursor: page.at(-1) ?? named[0] }))
  })
  return listening(server)
}

it('a history that goes on naming a cursor ends with its first empty page, and begins behind what the call named', async () => {
  const target = targetOf({ url: await endlessHistory(), keyId: 'pk_test_1', secret: 'sk_test_1' })
  const call = { op: 'events.list', query: { after_id: 'evt_2' }, all_pages: true } as const
  const ids = ['evt_3', 'evt_4', 'evt_5']
  const expectation = { items: 'events.items', count: 3, every: { 'event.id': { one_of: ids } }, shows: 'EVT-01' }
  const steps = [{ id: 'rest', call, expect: expectation }]
  const result = await judge(target, [scenario({ proves: ['EVT-01'], steps })])
  expect(checksThat(result, 'pass')).toEqual(['test/one rest EVT-01'])
})
