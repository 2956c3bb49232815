import { expect, test } from 'vitest'
import { sandboxOfFile, startSandbox } from '../support/sandbox.ts'

/** For what is refused, or only read. */
const shared = sandboxOfFile()

const FAULTS = '/v1/worlds/default/faults'

test('a fault is shown with what it matches, does and has done; who is meant may be named or numbered', async () => {
  const sandbox = await startSandbox()
  const main = sandbox.credentials.find(({ name }) => name === 'main')
  const made = await sandbox.operate('POST', FAULTS, {
    match: { endpoint: 'orders.create', key_id: main?.key_id },
    effect: { drop: 'after-commit' },
  })
  expect([made.status, made.json]).toEqual([
    201,
    {
      id: expect.stringMatching(/^flt_[0-9a-z]{16}$/),
      match: { endpoint: 'orders.create', credential: 'main', key_id: main?.key_id, domain: null, public_id: null },
      effect: { kind: 'drop_after_commit', drop: 'after-commit' },
      times: 1,
      probability: 1,
      seed: null,
      hits: 0,
      left: 1,
      last_request_id: null,
    },
  ])
  const byName = await sandbox.operate('POST', FAULTS, { match: { credential: 'main' }, effect: { delay_ms: 5 } })
  expect(byName.json.match.key_id).toBe(main?.key_id)
  expect((await sandbox.operate('GET', FAULTS)).json.faults).toEqual([made.json, byName.json])
})

test.each([
  [{ status: 500 }, { kind: 'status', code: 'internal_error', status: 500 }],
  [
    { status: 429, retry_after: 2 },
    { kind: 'rate_limit', code: 'rate_limited', status: 429, retry_after_seconds: 2 },
  ],
  [{ code: 'rate_limited' }, { kind: 'rate_limit', code: 'rate_limited', retry_after_seconds: 1 }],
  [
    { kind: 'rate_limit', retry_after_seconds: 3 },
    { kind: 'rate_limit', code: 'rate_limited', retry_after_seconds: 3 },
  ],
  [
    { code: 'quote_expired', message: 'too late' },
    { kind: 'status', code: 'quote_expired', message: 'too late' },
  ],
  [{ status: 413 }, { kind: 'status', code: 'validation_error', status: 413 }],
  [{ kind: 'drop_before' }, { kind: 'drop_before', drop: 'before-commit' }],
  [{ kind: 'drop_after_commit' }, { kind: 'drop_after_commit', drop: 'after-commit' }],
  [
    { kind: 'delay', delay_ms: 60_000 },
    { kind: 'delay', delay_ms: 60_000 },
  ],
  [{ garbage: true }, { kind: 'garbage', garbage: 'truncated' }],
  [{ kind: 'garbage' }, { kind: 'garbage', garbage: 'truncated' }],
  [
    { kind: 'garbage', garbage: 'html' },
    { kind: 'garbage', garbage: 'html' },
  ],
])('the effect %j is kept as %j, and can be sent like that again', async (sent, kept) => {
  const sandbox = await startSandbox()
  const made = await sandbox.operate('POST', FAULTS, { effect: sent })
  expect([made.status, made.json.effect]).toEqual([201, kept])
  expect((await sandbox.operate('POST', FAULTS, { effect: made.json.effect })).json.effect).toEqual(kept)
})

test.each([
  [{ effect: {} }, 'effect must be exactly one of'],
  [{}, 'effect is required'],
  [{ effect: { drop: 'after-commit', delay_ms: 5 } }, 'effect must be exactly one of'],
  [{ effect: { kind: 'delay', drop: 'after-commit' } }, 'effect must be exactly one of'],
  [{ effect: { kind: 'drop_before', drop: 'after-commit' } }, 'effect.drop does not go with kind drop_before'],
  [{ effect: { kind: 'rate_limit', code: 'conflict' } }, 'effect.code does not go with kind rate_limit'],
  [{ effect: { kind: 'delay' } }, 'effect.delay_ms is required'],
  [{ effect: { kind: 'status' } }, 'effect.status or effect.code is required'],
  [{ effect: { drop: 'sometimes' } }, 'effect.drop must be one of before-commit, after-commit'],
  [{ effect: { garbage: false } }, 'effect.garbage must not be false'],
  [{ effect: { garbage: 'noise' } }, 'effect.garbage must be'],
  [{ effect: { delay_ms: 60_001 } }, 'effect.delay_ms must be at most 60000'],
  [{ effect: { delay_ms: '5' } }, 'effect.delay_ms must be an integer'],
  [{ effect: { delay_ms: 5, wait: 1 } }, 'unknown field effect.wait'],
  [{ effect: { status: 418 } }, 'no code of the API has it'],
  [{ effect: { status: 422 } }, 'price_mismatch or quote_expired'],
  [{ effect: { status: 404, code: 'conflict' } }, 'effect.status must be 409 for conflict, not 404'],
  [{ effect: { code: 'teapot' } }, 'effect.code must be one of validation_error'],
  [{ effect: { status: 500, message: 'at Server.ts:12' } }, 'effect.message cannot be given for internal_error'],
  [{ effect: { status: 500, retry_after: 1 } }, 'effect.retry_after goes with rate_limited only'],
  [{ effect: { status: 429, retry_after: 1, retry_after_seconds: 1 } }, 'are the same'],
  [{ effect: { code: 'conflict', message: 'two\nlines' } }, 'effect.message must be one line'],
  [{ effect: { status: 500 }, match: { endpoint: 'orders.creat' } }, 'did you mean "orders.create"?'],
  [{ effect: { status: 500 }, match: { endpoint: 'everything' } }, 'there are domains.search, '],
  [{ effect: { status: 500 }, match: { credential: 'maim' } }, 'did you mean "main"?'],
  [{ effect: { status: 500 }, match: { key_id: 'pk_sandbox_0' } }, 'no such credential in this world: "pk_sandbox_0"'],
  [{ effect: { status: 500 }, match: { key_id: 'x', credential: 'main' } }, 'give it or match.key_id'],
  [{ effect: { status: 500 }, match: { domain: 'no name' } }, 'match.domain must be a domain name'],
  [{ effect: { status: 500 }, match: { public_id: 'ord_0' } }, 'no such order: "ord_0"'],
  [{ effect: { status: 500 }, match: { public_id: '7' } }, 'match.public_id'],
  [
    { effect: { status: 500 }, match: { endpoint: 'events.list', domain: 'a.test' } },
    'no call to events.list names one',
  ],
  [{ effect: { status: 500 }, match: { path: '/orders' } }, 'unknown field match.path'],
  [{ effect: { status: 500 }, times: 0 }, 'times must be'],
  [{ effect: { status: 500 }, probability: 0 }, 'probability must be more than 0'],
  [{ effect: { status: 500 }, probability: 1.5 }, 'probability must be at most 1'],
  [{ effect: { status: 500 }, seed: 'x' }, 'seed goes with probability'],
])('refuses %j: %s', async (rule, says) => {
  const sandbox = shared
  const refused = await sandbox.operate('POST', FAULTS, rule)
  expect([refused.status, refused.json.detail]).toEqual([400, expect.stringContaining(says)])
  expect((await sandbox.operate('GET', FAULTS)).json).toEqual({ faults: [] })
})
