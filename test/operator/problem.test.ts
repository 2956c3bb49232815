import { expect, test } from 'vitest'
import { ApiError } from '../../src/contract/errors.ts'
import { Problem, problemAnswer } from '../../src/operator/problem.ts'
import { startSandbox } from '../support/sandbox.ts'

test('a refusal of the rules keeps its status, code and sentence', () => {
  const { status, body } = problemAnswer(new ApiError('price_mismatch', 'the price is another'))
  expect([status, JSON.parse(body)]).toEqual([
    422,
    {
      type: 'about:blank',
      title: 'Unprocessable Entity',
      status: 422,
      detail: 'the price is another',
      code: 'price_mismatch',
    },
  ])
})

test('what nobody foresaw is a bland 500 without cause or stack', () => {
  for (const thrown of [
    new Error('sk_sandbox_leak at /home'),
    new TypeError('x'),
    'text',
    null,
    undefined,
    { statusCode: 418 },
  ]) {
    const { status, body } = problemAnswer(thrown)
    expect([status, JSON.parse(body)]).toEqual([
      500,
      {
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
        detail: 'something went wrong inside the sandbox',
      },
    ])
  }
})

test('a problem carries its own members and headers', () => {
  const { headers, body } = problemAnswer(
    new Problem(401, 'who are you', { members: { hint: 'a token' }, headers: { 'www-authenticate': 'Bearer' } }),
  )
  expect([headers, JSON.parse(body)]).toMatchObject([
    { 'www-authenticate': 'Bearer' },
    { status: 401, hint: 'a token' },
  ])
})

test('whatever is malformed has the code of a malformed call', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const world = '/v1/worlds/default'
  for (const [method, path, body] of [
    ['GET', '/v1?x=1', undefined],
    ['GET', `${world}/clock?%zz`, undefined],
    ['GET', `${world}/orders?status=LOST`, undefined],
    ['GET', `${world}/orders?cursor=ord_none`, undefined],
    ['POST', `${world}/reset`, { x: 1 }],
    ['POST', `${world}/clock/advance`, {}],
    ['POST', `${world}/clock/advance`, { by: 'soon' }],
    ['PUT', `${world}/progress`, { settle_every: '1s' }],
    ['PUT', `${world}/delivery-profile`, { delay: 'long' }],
    ['POST', '/v1/worlds', { name: '../up' }],
    ['POST', '/v1/worlds', { clock: '1960-01-01' }],
  ] as const) {
    const { status, json } = await sandbox.operate(method, path, body)
    expect([path, status, json.code]).toEqual([path, 400, 'validation_error'])
  }
  expect(JSON.parse(problemAnswer({ code: 'FST_ERR_BAD_URL', statusCode: 400 }).body).code).toBe('validation_error')
})
