import { expect, test } from 'vitest'
import { mayAct } from '../../../src/sandbox/app/magic-call.ts'

test.each([
  'sunharvest.test',
  'STALLS-1.TEST',
  'xn--caf-dma.test',
  'deal-closes-7.test',
  '{"domain":"kiosk.test","expected_price":1}',
])('the quick look spares %s the careful one', (text) => {
  expect(mayAct(text)).toBe(false)
})

test.each([
  'slow-1.test',
  'Error-1.Test',
  'rate-limited-3.test',
  '{"domain":"lost-reply-1.test"}',
  '{"domain":"\\u0065"}',
  'ｅrror-1.test',
])('the quick look lets %s through', (text) => {
  expect(mayAct(text)).toBe(true)
})
