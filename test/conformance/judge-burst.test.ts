import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { listening } from '../support/listening.ts'
import { checksThat, judge, scenario, targetOf } from '../support/referee.ts'

/** A server that takes single calls, and so many of those about `rush.test`. */
async function serverTaking(rush: number): Promise<string> {
  let rushed = 0
  const server = createServer((request, response) => {
    const limited = request.url?.includes('rush.test') && ++rushed > rush
    const headers = { 'content-type': 'application/json', 'retry-after': '0' }
    response.writeHead(limited ? 429 : 200, headers).end('{"available":true,"code":"rate_limited","message":"slow"}')
  })
  return listening(server)
}

const BURST = scenario({
  proves: ['AUTH-01'],
  steps: [
    { id: 'sound', call: { op: 'availability', query: { domain: 'one.test' } }, expect: { accepted: true } },
    {
      id: 'rush',
      burst: { lanes: 4, call: { op: 'availability', query: { domain: 'rush.test' } } },
      expect: { among: 'accepted', count: 4, shows: 'AUTH-01' },
    },
  ],
})

async function verdictWhere(rush: number): Promise<string> {
  const url = await serverTaking(rush)
  const result = await judge(targetOf({ url, keyId: 'pk_test_1', secret: 'sk_test_1' }), [BURST])
  return (['pass', 'fail', 'inconclusive'] as const).filter((each) => checksThat(result, each).length > 0).join()
}

it('a burst that is answered 429 throughout shows nothing, whatever was to be accepted', async () => {
  expect(await verdictWhere(0)).toBe('inconclusive')
})

it('a burst of which all is accepted passes', async () => {
  expect(await verdictWhere(1_000)).toBe('pass')
})
