import { expect, onTestFinished, test } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { ApiError } from '../../src/contract/errors.ts'
import { createOperatorApp } from '../../src/operator/app.ts'
import { operatorOpenApi } from '../../src/operator/openapi.ts'
import { PROBLEM_CODES, Problem, problemAnswer, unreadProblem } from '../../src/operator/problems.ts'
import type { Operation } from '../../src/operator-api/operation.ts'
import { OPERATION_IDS, operationOf } from '../../src/operator-api/operations.ts'
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
        code: 'internal_error',
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
    new Problem(401, 'stranger', 'who are you', {
      members: { hint: 'a token' },
      headers: { 'www-authenticate': 'Bearer' },
    }),
  )
  expect([headers, JSON.parse(body)]).toMatchObject([
    { 'www-authenticate': 'Bearer' },
    { status: 401, code: 'stranger', hint: 'a token' },
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

test('what is not there, not allowed or not possible now says so in a code of its own', async () => {
  const sandbox = shared
  const world = '/v1/worlds/default'
  for (const [method, path, body, status, code] of [
    ['GET', '/v1/nowhere', undefined, 404, 'no_endpoint'],
    ['GET', '/v1/worlds/nowhere/clock', undefined, 404, 'no_world'],
    ['GET', `${world}/orders/ord_none`, undefined, 404, 'no_order'],
    ['GET', `${world}/brokerage/brk_none`, undefined, 404, 'no_case'],
    ['GET', `${world}/requests/req_none`, undefined, 404, 'not_logged'],
    ['PATCH', `${world}/credentials/pk_none`, {}, 404, 'no_credential'],
    ['DELETE', `${world}/credentials/pk_none`, undefined, 404, 'no_credential'],
    ['POST', `${world}/credentials/pk_none/rotate`, {}, 404, 'no_credential'],
    ['POST', '/v1/worlds', { name: 'default' }, 409, 'world_name_taken'],
    ['DELETE', world, undefined, 409, 'main_world_stays'],
    ['PUT', `${world}/snapshot`, {}, 415, 'no_snapshot_sent'],
    ['PUT', `${world}/rules`, Buffer.alloc(1024 * 1024 + 1, ' '), 413, 'body_too_large'],
    // Codes that a partner would get.
    ['PUT', `${world}/clock`, { now: '2020-01-01T00:00:00Z' }, 409, 'conflict'],
    ['POST', `${world}/domains`, { domain: 'one.test', price_cents: 1, floor_price_cents: 2 }, 400, 'validation_error'],
  ] as const) {
    const answer = await sandbox.operate(method, path, body)
    expect([method, path, answer.status, answer.json.code]).toEqual([method, path, status, code])
  }
})

/** Those that take a call without query and body. */
const ABOUT_ONE = OPERATION_IDS.map((id): Operation & { id: string } => ({ id, ...operationOf(id) })).filter((row) => {
  const isAskedForMore = [row.query, row.body].some(
    (schema) => (schema?.json['required'] as string[] | undefined)?.length,
  )
  return row.path.includes('{') && !row.takes && !isAskedForMore
})

test.each(ABOUT_ONE)('$id is 404 for a world or a thing that is not there', async ({ method, path }) => {
  const inWorlds = [path.replace('{w}', 'nowhere'), path.replace('{w}', 'default')].filter(
    (target, n) => n === 0 || target.includes('{'),
  )
  for (const target of inWorlds) {
    const body = method === 'GET' || method === 'DELETE' ? undefined : {}
    const { status } = await shared.operate(method, target.replace(/\{\w+\}/, 'none'), body)
    expect([target, status]).toEqual([target, 404])
  }
})

test('every code that an answer may have is documented once, and 400 has one', () => {
  expect(new Set(PROBLEM_CODES).size).toBe(PROBLEM_CODES.length)
  for (const code of PROBLEM_CODES) expect(code).toMatch(/^[a-z]+(?:_[a-z0-9]+)*$/)
  expect(PROBLEM_CODES).not.toContain('no_body')
  expect(operatorOpenApi({ version: '0' }).components.schemas.Problem).toMatchObject({
    required: expect.arrayContaining(['code']),
    properties: { code: { enum: PROBLEM_CODES } },
  })
})

test.each([
  [405, 'not_a_proxy'],
  [408, 'request_timeout'],
  [417, 'unknown_expectation'],
  [431, 'headers_too_large'],
  [400, 'validation_error'],
])('what never became a call and is refused with %i has the code %s', (status, code) => {
  const answer = problemAnswer(unreadProblem(status, 'why'))
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([status, { status, detail: 'why', code }])
})

test.each([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 413, 'body_too_large', 'the body is larger than 1 MiB'],
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    415,
    'validation_error',
    'the Content-Type must be application/json; of a snapshot application/vnd.sqlite3, of a CSV file text/csv',
  ],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 400, 'validation_error', 'the body does not have the announced length'],
  ['FST_ERR_MAX_PARAM_LENGTH', 404, 'name_too_long', 'nothing has a name that long'],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', 400, 'validation_error', 'the request cannot be read'],
])('%s of the framework is a %i with the code %s', (thrown, status, code, detail) => {
  const answer = problemAnswer({ code: thrown, statusCode: 400 })
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([status, { status, code, detail }])
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
  expect(await full.json()).toMatchObject({
    code: 'storage',
    detail: 'the disk is full (SQLITE_FULL); free some space and try again',
  })
  db.pragma('max_page_count = 1000000')
  expect((await makeFault()).status).toBe(201)
})

test('a name that is too long for anything to have it is one that nothing has', async () => {
  const sandbox = shared
  for (const path of ['/v1/worlds/', '/v1/worlds/default/orders/']) {
    const { status, json } = await sandbox.operate('GET', path + 'a'.repeat(3_000))
    expect([status, json.code, json.detail]).toEqual([404, 'name_too_long', 'nothing has a name that long'])
  }
})
