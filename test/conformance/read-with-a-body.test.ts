import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import { judge, registry } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const { scenarios } = loadScenarios(['scenarios/canonical/read-with-a-body.yaml'], registry)

/** The verdicts about a server that does this with a GET that has a body, and takes any other. */
async function verdictsOf(withBody: (request: IncomingMessage, answer: ServerResponse) => void): Promise<string[]> {
  const target = await scriptedTarget((request, answer) => {
    if (request.headers['content-length'] !== undefined) return withBody(request, answer)
    answerJson(answer, 200, { available: false })
  })
  const run = await judge(target, scenarios)
  return run.scenarios.flatMap(({ checks }) => checks.map(({ verdict }) => verdict))
}

const refusing = (status: number, code: string) => (_: IncomingMessage, answer: ServerResponse) => {
  answerJson(answer, status, { code, message: code })
}

it.each([400, 403, 405, 411, 413, 415, 422, 501])(
  'a server that refuses a GET with a body with %i is valid',
  async (status) => {
    expect(await verdictsOf(refusing(status, 'validation_error'))).toEqual(['pass', 'pass'])
  },
)

it('a server that hangs up on a GET with a body is valid', async () => {
  expect(await verdictsOf((request) => request.socket.destroy())).toEqual(['pass', 'pass'])
})

it('a server that refuses the valid signature of a GET with a body is not', async () => {
  expect(await verdictsOf(refusing(401, 'invalid_signature'))).toEqual(['fail', 'pass'])
})

it('a server whose rate limit hides that is asked again', async () => {
  let calls = 0
  const limited = (request: IncomingMessage, answer: ServerResponse): void => {
    calls += 1
    if (calls > 1) refusing(401, 'invalid_signature')(request, answer)
    else answerJson(answer, 429, { code: 'rate_limited', message: 'wait' }, { 'retry-after': '0' })
  }
  expect(await verdictsOf(limited)).toEqual(['fail', 'pass'])
})
