import { describe, expect, it } from 'vitest'
import type { Step } from '../../src/conformance/format/scenario.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const STEPS: Step[] = [
  { call: { op: 'events.list' } },
  { id: 'limited', call: { op: 'events.list' }, expect: { refused: 'rate_limited', shows: 'ERR-03' } },
  { id: 'again', call: { after: 'limited' }, expect: { accepted: true, shows: 'ERR-03' } },
]

/** A server that answers the first call of the history, refuses so many with a 429, and answers the others. */
async function retriedAt(options: { refusals: number; retryAfter?: string }) {
  const nonces: unknown[] = []
  const target = await scriptedTarget((request, response) => {
    const isRead = request.url?.includes('/events') === true
    if (isRead) nonces.push(request.headers['x-partner-nonce'])
    const limited = isRead && nonces.length > 1 && nonces.length <= 1 + options.refusals
    if (options.retryAfter !== undefined) response.setHeader('retry-after', options.retryAfter)
    if (limited) answerJson(response, 429, { code: 'rate_limited', message: 'wait' })
    else answerJson(response, 200, { events: [], next_cursor: null })
  })
  const { scenarios } = await judge(target, [scenario({ proves: ['ERR-03'], steps: STEPS })])
  return { again: scenarios[0]?.checks[1], nonces }
}

describe('a retry', () => {
  it('makes the call anew with a nonce of its own once Retry-After has passed', async () => {
    const { again, nonces } = await retriedAt({ refusals: 1, retryAfter: '0' })
    expect(again).toMatchObject({ verdict: 'pass', actual: '200' })
    expect(new Set(nonces).size).toBe(nonces.length)
  })

  it('fails where it is answered 429 again, and is not tried a third time', async () => {
    const { again, nonces } = await retriedAt({ refusals: 9, retryAfter: '0' })
    expect(again).toMatchObject({ verdict: 'fail', actual: '429 rate_limited: wait' })
    expect(nonces).toHaveLength(3)
  })

  it.each([undefined, '-1', 'soon', '1.5', '61', '5000'])(
    'proves nothing after a Retry-After of %s',
    async (retryAfter) => {
      const { again, nonces } = await retriedAt({ refusals: 9, ...(retryAfter === undefined ? {} : { retryAfter }) })
      expect(again).toMatchObject({
        verdict: 'inconclusive',
        actual: expect.stringContaining('no whole seconds up to 60'),
      })
      expect(nonces).toHaveLength(2)
    },
  )
})

it('a burst of writes that only met a limit is sent again', async () => {
  let posts = 0
  const target = await scriptedTarget(
    (request, response) => {
      if (request.method !== 'POST') return answerJson(response, 200, { links: [] })
      posts += 1
      // The first shows which body is taken.
      if (posts > 1 && posts <= 4)
        answerJson(response, 429, { code: 'rate_limited', message: 'wait' }, { 'retry-after': '0' })
      else answerJson(response, 200, { link_id: `lnk_${posts}`, kind: 'generic', url: `https://go.example/${posts}` })
    },
    {
      credentials: [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['refer'] }],
      dialect: { roles: { 'link.id': '/link_id' } },
    },
  )
  const expected = { distinct: 'link.id', among: 'accepted', count: 3, shows: 'LINK-01' } as const
  const steps: Step[] = [{ id: 'burst', call: { op: 'links.create', at_once: 3 }, expect: expected }]
  await judge(target, [scenario({ proves: ['LINK-01'], steps })])
  expect(posts).toBe(7)
})

it('a burst of writes that name no operation is not sent again after a bad moment', async () => {
  let posts = 0
  const target = await scriptedTarget((request, response) => {
    if (request.method !== 'POST') return answerJson(response, 200, { available: true })
    posts += 1
    return answerJson(response, posts === 1 ? 502 : 201, {})
  })
  const call: Step['call'] = { method: 'POST', target: '/api/partner/v1/quotes', at_once: 2 }
  const expected = { among: 'accepted', count: 2, shows: 'QUOTE-01' } as const
  await judge(target, [scenario({ proves: ['QUOTE-01'], steps: [{ id: 'burst', call, expect: expected }] })])
  expect(posts).toBe(2)
})
