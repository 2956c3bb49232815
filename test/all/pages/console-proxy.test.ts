import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { startProxy } from '../../../src/proxy/start-proxy.ts'
import { openConsole } from '../../support/console.ts'
import { listening } from '../../support/listening.ts'

it('the console of a proxy has the views that follow from calls, and says what the others need', async () => {
  const refusal = JSON.stringify({ error: { code: 'missing_signature_headers', message: 'no' } })
  const target = await listening(
    createServer((_request, response) => response.writeHead(401, { 'content-type': 'application/json' }).end(refusal)),
  )
  const credentials = [
    { name: 'main', keyId: 'pk_test_1', secret: 'sk_test_abcdefghijklmno', scopes: null, partner: 'main' },
  ]
  const proxy = await startProxy({ target, credentials, port: 0, operatorPort: 0 })
  onTestFinished(proxy.close)
  await fetch(`${proxy.url}/api/partner/v1/orders`, { headers: { 'X-Partner-Key-Id': 'pk_test_1' } })
  const page = await openConsole({ operator: proxy.operator })
  const links = page.getByRole('navigation', { name: 'Console' }).getByRole('listitem')
  await page.getByRole('heading', { name: 'Refused calls' }).waitFor()
  await expect.poll(async () => links.allInnerTexts()).toEqual(['Overview', 'Requests', 'Coverage'])
  await page.getByText('401').first().waitFor()
  expect(await page.getByRole('region', { name: 'Clock' }).count()).toBe(0)
  await page.goto(`${proxy.operator.url}/w/default/orders`)
  await page.getByText('Orders needs a sandbox').waitFor()
  await page.goto(`${proxy.operator.url}/w/default/coverage`)
  await page.getByText('After a refusal').first().waitFor()
})
