import { expect, test } from 'vitest'
import { deliveriesOf, startTelling } from '../support/hooks.ts'
import { answers, startReceiver } from '../support/receiver.ts'
import { startSandbox } from '../support/sandbox.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`
const LOG = '/v1/worlds/default/requests'

test('the log has the trace of a call, and a search finds the call by it', async () => {
  const sandbox = await startSandbox()
  const traced = await sandbox.call({ path: '/orders', headers: { traceparent: TRACEPARENT } })
  await sandbox.call({ path: '/orders', headers: { traceparent: 'not-a-trace' } })
  const { json: all } = await sandbox.operate('GET', LOG)
  expect(all.requests.map(({ trace_id: id }: { trace_id: string | null }) => id)).toEqual([null, TRACE])
  const { json: found } = await sandbox.operate('GET', `${LOG}?q=${TRACE}`)
  expect(found.requests).toMatchObject([{ request_id: traced.headers['x-request-id'], status: 200 }])
})

test('each attempt of a delivery carries the trace of the call that recorded the event, other deliveries carry none', async () => {
  const hook = await startReceiver(answers(503))
  const sandbox = await startTelling(hook.url, { frozen: true })
  await sandbox.sell({ headers: { traceparent: TRACEPARENT } })
  await sandbox.sell()
  await sandbox.operate('POST', '/v1/worlds/default/clock/advance', { by: '15s' })
  const [first, later] = await deliveriesOf(sandbox)
  expect([first?.traceparent, later?.traceparent]).toEqual([TRACEPARENT, null])
  const sent = hook.received.map(({ headers }) => headers['traceparent'])
  expect(sent.toSorted()).toEqual([TRACEPARENT, TRACEPARENT, undefined, undefined])
})
