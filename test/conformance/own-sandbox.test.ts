import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { operate } from '../../src/conformance/context/operator.ts'
import { createCaller } from '../../src/conformance/context/run.ts'
import { closeRun, openRun } from '../../src/conformance/engine/open-run.ts'
import type { Target } from '../../src/conformance/target/target.ts'
import { registry, targetOf } from '../support/referee.ts'

const PAYOUT = { method: 'POST', url: 'http://127.0.0.1:9/mine', headers: {} }

/** A caller of a target whose operator is at an address that notes what it is asked. */
async function callerAt(operator: Partial<NonNullable<Target['operator']>>) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const target = {
    ...targetOf({ url, keyId: 'pk_test_1', secret: 'sk_test_1' }),
    operator: { url, token: 'secret-token', world: 'a b', actions: {}, ...operator },
  }
  const run = openRun({ target, scenarios: [], registry, wall: wallClock, toolVersion: '0' }, new Map())
  onTestFinished(async () => {
    await closeRun(run)
    server.close()
  })
  return { asked, run, caller: createCaller(run, 'test', 't') }
}

it('a sandbox of ours stands for the actions of a target file, and those of the file come first', async () => {
  const { asked, run, caller } = await callerAt({ actions: { payout: PAYOUT } })
  expect(await operate(caller, 'hold', { public_id: 'ord_1' })).toMatchObject({ done: true })
  expect(asked).toEqual(['POST /v1/worlds/a%20b/orders/ord_1/hold Bearer secret-token'])
  expect(run.target.operator?.actions.payout).toEqual(PAYOUT)
})

it('an id that a target chose cannot change the address of an operator action', async () => {
  const { asked, caller } = await callerAt({})
  await operate(caller, 'cancel', { public_id: 'ord/../../x?y' })
  expect(asked).toEqual(['POST /v1/worlds/a%20b/orders/ord%2F..%2F..%2Fx%3Fy/cancel Bearer secret-token'])
})

it('an action whose value is missing is not sent, and says which one', async () => {
  const { asked, caller } = await callerAt({})
  expect(await operate(caller, 'pay_checkout', { checkout_url: 'https://a.test' })).toEqual({
    done: false,
    why: 'pay_checkout needs a value for session_id, and the run has none',
    exchange: null,
  })
  expect(asked).toEqual([])
})
