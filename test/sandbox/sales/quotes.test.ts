import { expect, test } from 'vitest'
import { startSandbox } from '../../support/sandbox.ts'

test('a quote is in the currency of the listing, which may be named, and in no other', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const quoted = (currency: string) =>
    sandbox
      .call({ path: '/quotes', body: { domain: 'stalls-1.test', currency } })
      .then(({ status, json }) => [status, json.code ?? json.currency, json.message])
  expect(await quoted('USD')).toEqual([201, 'USD', undefined])
  expect(await quoted('EUR')).toEqual([400, 'validation_error', 'currency must be USD, in which the domain is listed'])
})
