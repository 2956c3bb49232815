import { expect, test } from 'vitest'
import { diagnosingCall } from '../../../src/contract/diagnosis/diagnose-call.ts'
import { atOnce, inTurns } from '../../../src/contract/diagnosis/run-steps.ts'

function* stepsOf(count: number) {
  for (let i = 0; i < count; i++) yield undefined
  return 'done'
}

/** Each look at it is a millisecond later. */
function ticking() {
  let now = 0
  return () => now++
}

test('work in turns pauses after each slice, and comes to the same as work at once', async () => {
  let pauses = 0
  const pause = async () => void pauses++
  expect(await inTurns(stepsOf(100), { pause, sliceMs: 10, monotonicMs: ticking() })).toBe('done')
  expect(pauses).toBeGreaterThanOrEqual(9)
  expect(atOnce(stepsOf(100))).toBe('done')
})

test('what a pause throws ends the work', async () => {
  const pause = () => Promise.reject(new Error('enough'))
  await expect(inTurns(stepsOf(100), { pause, sliceMs: 10, monotonicMs: ticking() })).rejects.toThrow('enough')
})

test('a signature that nothing explains is searched for in a thousand small steps', () => {
  const headers = {
    'X-Partner-Timestamp': '1767225600',
    'X-Partner-Nonce': 'n',
    'X-Partner-Signature': `v1=${'ab'.repeat(32)}`,
  }
  const call = {
    method: 'GET',
    target: '/orders?b=2&a=1',
    rawHeaders: Object.entries(headers).flat(),
    body: Buffer.alloc(0),
  }
  const steps = diagnosingCall(call, { keyId: 'pk_sandbox_1', secret: 'sk_sandbox_1' })
  let count = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) count++
  expect(step.value?.verdict).toBe('unexplained')
  expect(count).toBeGreaterThan(500)
})
