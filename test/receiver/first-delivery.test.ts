import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { failures, judge } from './judge.ts'
import { type Came, type Handle, hmac, NO, OK, SECRET } from './receivers.ts'

const expecting = (wanted: (came: Came) => string): Handle => {
  return (came) => (came.header === wanted(came) ? OK : NO)
}

it.each<[string, Handle]>([
  [
    'it accepts an event whose signature is sent with the prefix v1=, as calls have it',
    expecting(({ raw }) => `v1=${hmac(raw)}`),
  ],
  [
    'it accepts an event whose signature is sent in base64',
    expecting(({ raw }) => createHmac('sha256', SECRET).update(raw).digest('base64')),
  ],
  ['it accepts an event whose signature is made with an empty secret', expecting(({ raw }) => hmac(raw, ''))],
  ['it answers 404: is this the address that takes deliveries?', () => ({ status: 404 })],
  [
    'the receiver has another secret, or expects another signature; "npx partner-sandbox verify webhook" explains one',
    expecting(({ raw }) => hmac(raw, 'quite another secret')),
  ],
])('where the first delivery is refused, the report says: %s', async (note, handle) => {
  const result = await judge(handle)
  expect(failures(result)).toEqual([expect.objectContaining({ requirement: 'RECV-01', step: 'first', note })])
  expect(result.scenarios.flatMap(({ checks }) => checks).some(({ verdict }) => verdict === 'pass')).toBe(false)
})

it('nothing but what explains it is sent after that', async () => {
  const { summary } = await judge(() => NO)
  expect(summary.requests).toBe(10)
})
