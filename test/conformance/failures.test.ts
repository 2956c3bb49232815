import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import { listening } from '../support/listening.ts'
import { judge, registry, targetOf } from '../support/referee.ts'

const { scenarios } = loadScenarios(['scenarios/errors/internal-error.yaml'], registry)

const BLAND = JSON.stringify({ code: 'internal_error', message: 'try again later' })

/** Another service than ours: its operator lets so many calls fail, and it says what it likes about that. */
async function judged(
  options: { failure?: { status: number; body: string }; works?: boolean; failsFor?: number } = {},
) {
  const { failure = { status: 500, body: BLAND }, works = true, failsFor = 1 } = options
  let failing = 0
  const asked: unknown[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      const isOperator = request.url === '/ops/failures'
      if (isOperator) asked.push(JSON.parse(body))
      const fails = !isOperator && failing-- > 0
      if (isOperator && works) failing = failsFor
      response.writeHead(fails ? failure.status : 200, { 'content-type': 'application/json' })
      response.end(fails ? failure.body : '{"domain":"a.test","available":false}')
    })
  })
  const url = await listening(server)
  const actions = { fail_next: { request: `POST ${url}/ops/failures`, json: { next: '${count}' } } }
  const target = targetOf({ url, keyId: 'pk_test_1', secret: 'sk_test_1' }, { operator: { actions } })
  const result = await judge(target, scenarios)
  const checks = result.scenarios[0]?.checks ?? []
  return {
    asked,
    failed: checks.find(({ step }) => step === 'failed'),
    again: checks.find(({ step }) => step === 'again'),
  }
}

describe('a failure that the operator brings about', () => {
  it('passes where it is bland and the next call is served', async () => {
    const { asked, failed, again } = await judged()
    expect(asked).toEqual([{ next: 1 }])
    expect([failed?.verdict, again?.verdict]).toEqual(['pass', 'pass'])
  })

  it('fails where it is no JSON', async () => {
    const { failed, again } = await judged({ failure: { status: 500, body: 'Internal Server Error' } })
    expect([failed?.verdict, again?.verdict]).toEqual(['fail', 'pass'])
  })

  it('says what of its cause it shows, and not the cause itself', async () => {
    const body = JSON.stringify({ code: 'internal_error', message: 'cannot open /var/lib/orders.db' })
    const { failed } = await judged({ failure: { status: 500, body } })
    expect(failed?.actual).toBe('the answer shows its cause: a path of the machine')
  })

  it('fails where the retry is not served', async () => {
    expect((await judged({ failsFor: 9 })).again?.verdict).toBe('fail')
  })

  it('proves nothing where nothing fails', async () => {
    const { failed } = await judged({ works: false })
    expect(failed).toMatchObject({ verdict: 'inconclusive', note: expect.stringContaining('the target did not fail') })
  })
})
