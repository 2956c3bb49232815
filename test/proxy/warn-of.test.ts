import { once } from 'node:events'
import { expect, it } from 'vitest'
import { warning } from '../../src/proxy/warn-of.ts'

it('a failure of the judge is a warning that quotes nothing of the call', async () => {
  const warned = once(process, 'warning')
  warning(() => JSON.parse('sk_test_of_the_client'))(null)
  const [{ message }] = (await warned) as [Error]
  expect(message).toMatch(/^a call could not be judged: SyntaxError\n {4}at /)
  expect(message).not.toContain('sk_test')
})
