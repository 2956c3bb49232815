import { expect, it } from 'vitest'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

it('what a target file sends to its operator as a token is in no report', async () => {
  const target = await scriptedTarget((_, response) => answerJson(response, 200, {}), {
    operator: {
      actions: {
        settle: {
          request: 'POST http://127.0.0.1:1/ops?api_key=of-the-address',
          headers: {
            'x-operator': 'let-me-operate',
            'x-resource': 'orders',
            'x-key-of': 'pk_test_1',
            accept: 'application/json',
          },
          json: {
            order: '${public_id}',
            key: 'status',
            author: 'conformance',
            auth: { admin_token: 'of-the-body', pass: 'open-sesame-${public_id}' },
          },
        },
      },
    },
  })
  const steps = [{ operator: { settle: 'ord_1' }, else: ['go_on' as const] }]
  const run = await judge(target, [scenario({ steps })], { transcript: 'all' })
  const asked = run.exchanges.find(({ target: path }) => path.startsWith('/ops'))
  expect(asked).toMatchObject({ target: '/ops?api_key=[secret]' })
  expect(new Map(asked?.requestHeaders).get('x-operator')).toBe('[secret]')
  expect(new Map(asked?.requestHeaders).get('x-resource')).toBe('orders')
  expect(new Map(asked?.requestHeaders).get('x-key-of')).toBe(target.credentials[0]?.keyId)
  expect(asked?.requestBody).toBe(
    '{"order":"ord_1","key":"status","author":"conformance","auth":{"admin_token":"[secret]","pass":"[secret]ord_1"}}',
  )
})
