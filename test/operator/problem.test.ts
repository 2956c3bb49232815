import { expect, onTestFinished, test } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { ApiError } from '../../src/contract/errors.ts'
import { createOperatorApp } from '../../src/operator/app.ts'
import { Problem, problemAnswer } from '../../src/operator/problems.ts'
import { SMALL_WORLD, startApi } from '../support/partner-api.ts'
import { sandboxOfFile } from '../support/sandbox.ts'

/** For what is refused. */
const shared = sandboxOfFile({ inventory: 0 })

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

test('the terminal shows what the bland 500 does not', async () => {
  const warnings: (Error & { detail?: string })[] = []
  const listen = (warning: Error) => void warnings.push(warning)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  problemAnswer(new TypeError('no such column'))
  const message = 'an operator call failed: TypeError: no such column'
  await expect.poll(() => warnings).toContainEqual(expect.objectContaining({ name: 'OperatorWarning', message }))
  expect(warnings.at(-1)?.detail).toContain('problem.test.ts')
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
  const sandbox = shared
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

test('a full disk is a 507 that says so, and the next request finds room', async () => {
  const sandbox = await startApi()
  const app = createOperatorApp({
    consoleFolder: '',
    worlds: sandbox.worlds,
    wall: wallClock,
    host: '127.0.0.1',
    token: null,
    apiUrl: () => '',
    version: '0',
    command: (words: string) => words,
    newWorldDefaults: { ...SMALL_WORLD, gaps: {} },
  })
  onTestFinished(() => app.close())
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const { db } = sandbox.worlds.main
  const makeFault = () =>
    fetch(`${url}/v1/worlds/default/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ effect: { code: 'conflict', message: 'm'.repeat(200) } }),
    })
  expect((await makeFault()).status).toBe(201)
  db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`)
  let full = await makeFault()
  for (let i = 0; i < 50 && full.status === 201; i++) full = await makeFault()
  expect(full.status).toBe(507)
  expect(await full.json()).toMatchObject({ detail: 'the disk is full (SQLITE_FULL); free some space and try again' })
  db.pragma('max_page_count = 1000000')
  expect((await makeFault()).status).toBe(201)
})

test('a name that is too long for anything to have it is one that nothing has', async () => {
  const sandbox = shared
  for (const path of ['/v1/worlds/', '/v1/worlds/default/orders/']) {
    const { status, json } = await sandbox.operate('GET', path + 'a'.repeat(3_000))
    expect([status, json.detail]).toEqual([404, 'nothing has a name that long'])
  }
})
