import { expect, it } from 'vitest'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

it('a window of clicks is found by its effect, although ids that are numbers stay in the answer', async () => {
  const target = await scriptedTarget(
    (request, response) => {
      const since = new URL(request.url ?? '/', 'http://target.test').searchParams.get('since')
      const clicks = since !== null && Date.parse(since) > Date.now() ? 0 : 3
      answerJson(response, 200, { totalClicks: clicks, byLink: [{ linkId: 7, clicks }] })
    },
    {
      credentials: [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['report'] }],
      dialect: { roles: { 'clicks.total': '/totalClicks' } },
    },
  )
  const later = scenario({
    proves: ['RPT-01'],
    steps: [
      {
        id: 'later',
        call: { op: 'me.clicks', query: { from: '${now + 1d}' } },
        expect: { accepted: true, roles: { 'clicks.total': 0 }, shows: 'RPT-01' },
      },
    ],
  })
  const { scenarios } = await judge(target, [later])
  expect(scenarios[0]?.checks.map(({ verdict, note }) => [verdict, note])).toEqual([['pass', undefined]])
})
