import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { redactedValue } from '../../src/contract/redact.ts'
import { answerJson } from '../../src/operator/app.ts'
import type { Redactor } from '../../src/sandbox/worlds/redact.ts'

const clean = (value: string) => value.replaceAll('hunter2', '[redacted]')
const redact: Redactor = {
  text: clean,
  bytes: (value) => value,
  all: <Value>(value: Value, kept?: string) => redactedValue(value, clean, kept) as Value,
}

const ROW = {
  id: 'a"b\u2028',
  cents: 12,
  none: null,
  left: undefined,
  hunter2: ['x hunter2', true, [], {}],
  secret: 'hunter2',
}

test('an answer with one long row, and with one of thousands of members, is the JSON of it', async () => {
  const names = Array.from({ length: 9_000 }, (_, n) => `name ${n}`)
  const body = [{ list: names, by: Object.fromEntries(names.map((name) => [name, [name, undefined]])) }]
  expect(await text(answerJson(body, redact) as Readable)).toBe(JSON.stringify(body))
})

test.each([1, 10_000])('an answer with %d rows is the JSON of all of it, without secrets', async (count) => {
  const body = { rows: Array.from({ length: count }, () => ROW), next_cursor: null }
  const json = answerJson(body, redact, 'secret')
  expect(json instanceof Readable).toBe(count > 1)
  const written = typeof json === 'string' ? json : await text(json)
  expect(written).toBe(JSON.stringify(redact.all(body, 'secret')))
  expect(written).toContain('"secret":"hunter2"')
})
