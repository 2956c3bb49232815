import { expect, test } from 'vitest'
import { findRole } from '../../src/conformance/dialect/find-role.ts'
import { NAMED_JUDGES } from '../../src/conformance/format/expectations/named-judges.ts'

const refusal = (status: number, json: object, headers: Record<string, string> = {}) => ({
  answer: {
    op: 'refunds.create' as const,
    status,
    headers: Object.entries({ 'content-type': 'application/json', ...headers }),
    body: Buffer.from(JSON.stringify(json)),
    json,
  },
  exchange: 's1e1',
})
const message = 'too late for this'
const type = 'invalid_request_error'
const request_id = 'req_1'
const typed = (more: object) => ({ error: { type, message, ...more } })

test.each([
  ['a reason without a code in the document', 409, typed({}), refusal(400, typed({ code: 'validation_error' })), null],
  ['one that the document names', 404, typed({}), refusal(400, typed({ code: 'validation_error' })), /no code$/],
  [
    'codes in a header',
    404,
    { message, request_id },
    refusal(404, { message, request_id }, { 'x-error-code': 'not_found' }),
    null,
  ],
])('refusals without a code beside others with one: %s', (_name, status, json, other, says) => {
  const without = refusal(status, json)
  const seen = {
    refusalsOfRun: () => [without, other, without],
    find: (role: string, item: never) => findRole({}, role as never, item),
  }
  const check = NAMED_JUDGES.every_refusal_of_run.judge.answer?.(seen as never)
  if (says === null) expect(check).toBeNull()
  else expect(check).toMatchObject({ verdict: 'fail', actual: expect.stringMatching(says) })
})
