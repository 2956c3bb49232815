import { expect, it } from 'vitest'
import type { Expectation } from '../../src/conformance/format/expectations/expectation.ts'
import type { Step } from '../../src/conformance/format/scenario.ts'
import { judge, scenario } from '../support/referee.ts'
import { type Answering, answerJson, scriptedTarget } from '../support/scripted-target.ts'

const IDS = ['evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5']

/** A history in pages of two, and behind its end an empty page. */
const inPagesOfTwo: Answering = ({ url = '/' }, response) => {
  const after = new URL(url, 'http://target.test').searchParams.get('after_id') ?? ''
  const page = IDS.slice(IDS.indexOf(after) + 1).slice(0, 2)
  const events = page.map((id) => ({ id, type: 'order.recorded', created_at: '2026-01-01T00:00:00Z', data: {} }))
  answerJson(response, 200, { events, next_cursor: page.at(-1) ?? after })
}

async function queryShown(step: Omit<Step, 'id'>): Promise<string | undefined> {
  const steps = [{ id: 'rest', ...step }]
  const { scenarios, exchanges } = await judge(await scriptedTarget(inPagesOfTwo), [
    scenario({ proves: ['EVT-01'], steps }),
  ])
  const check = scenarios[0]?.checks[0]
  expect(check?.actual).toContain('number 4 of 5')
  return exchanges.find(({ id }) => id === check?.exchange)?.target.split('?')[1]
}

const WRONG: Expectation = { items: 'events.items', excludes: { 'event.id': 'evt_4' }, shows: 'EVT-01' }

it('a check of a list that was read by pages shows the page that has the item it names', async () => {
  expect(await queryShown({ call: { op: 'events.list', all_pages: true }, expect: WRONG })).toBe('after_id=evt_2')
})

it('a check of the event history shows the page that has the event it names', async () => {
  const { items: _, ...wrong } = WRONG
  const events = { since: 'run_start' as const }
  expect(await queryShown({ events, expect: { ...wrong, excludes: { id: 'evt_4' } } })).toMatch(/^after_id=evt_2(&|$)/)
})
