import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { SECRET, signatureOf } from '../../support/hooks.ts'
import { startReceiver } from '../../support/receiver.ts'
import { callServed, end, type Served, serve } from '../../support/served.ts'
import { size } from '../../support/size.ts'
import { tempFolder } from '../../support/temp-folder.ts'

async function call(served: Served, method: string, target: string, body?: unknown, key?: string) {
  const answer = await callServed(served, method, target, body === undefined ? body : JSON.stringify(body), key)
  // biome-ignore lint/suspicious/noExplicitAny: answers are judged member by member
  return (await answer.json()) as any
}

async function sellUntilGone(served: Served): Promise<void> {
  try {
    for (let n = 1; ; n++) {
      const domain = `stalls-${randomUUID().slice(0, 4).replaceAll(/\D/g, '') || n}${n}.test`
      const { price_cents, currency } = await call(served, 'GET', `/api/partner/v1/availability?domain=${domain}`)
      const order = { domain, expected_price: price_cents, currency, buyer: { email: 'b@example.test' } }
      await call(served, 'POST', '/api/partner/v1/orders', order, randomUUID())
    }
  } catch {
    // The server is gone.
  }
}

async function history(served: Served): Promise<{ id: string }[]> {
  const events: { id: string }[] = []
  for (let after = ''; ; ) {
    const page = await call(served, 'GET', `/api/partner/v1/events?${after}limit=200`)
    events.push(...page.events)
    if (page.next_cursor === null) return events
    after = `after_id=${page.next_cursor}&`
  }
}

test('killed again and again, the sandbox delivers every event of the history, and nothing that is not in it', async () => {
  const folder = tempFolder()
  // Every third delivery fails, every seventh is cut off.
  const hook = await startReceiver((response, _received, n) => {
    if (n % 7 === 0) response.socket?.destroy()
    else response.writeHead(n % 3 === 0 ? 503 : 200).end()
  })
  for (let cycle = 0; cycle < size(2, 3); cycle++) {
    const served = await serve('--data', folder, '--rate-limit', 'off')
    onTestFinished(() => end(served.child, 'SIGKILL'))
    await call(served, 'PUT', '/api/partner/webhooks', { url: hook.url, secret: SECRET })
    const selling = sellUntilGone(served)
    await hook.has(hook.received.length + 12)
    await end(served.child, 'SIGKILL')
    await selling
  }
  const served = await serve('--data', folder, '--rate-limit', 'off')
  onTestFinished(() => end(served.child, 'SIGKILL'))
  await fetch(`${served.operatorUrl}/v1/worlds/default/clock/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ by: '48h' }),
  })
  const events = await history(served)
  expect(events.length).toBeGreaterThan(12)
  expect(new Set(hook.received.map(({ json }) => json.id))).toEqual(new Set(events.map(({ id }) => id)))
  const texts = new Map(hook.received.map(({ json, text }) => [json.id, text]))
  for (const { json, text, body, headers } of hook.received) {
    expect(text).toBe(texts.get(json.id))
    expect(headers['x-partner-signature']).toBe(signatureOf(body, SECRET))
  }
}, 120_000)
