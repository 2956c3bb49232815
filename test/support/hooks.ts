import { createHmac } from 'node:crypto'
import type { ServerOptions } from '../../src/server.ts'
import { startSandbox, type TestSandbox } from './sandbox.ts'

export const SECRET = 'a-secret-of-the-partner'

/** Registers an endpoint, as a partner does. */
export function register(sandbox: TestSandbox, url: string, more: { as?: string; secret?: string } = {}) {
  return sandbox.call({
    as: more.as ?? 'main',
    method: 'PUT',
    path: '/api/partner/webhooks',
    body: { url, secret: more.secret ?? SECRET },
  })
}

/** A sandbox that tells its partner `main` of everything at this address. */
export async function startTelling(url: string, options: Partial<ServerOptions> = {}): Promise<TestSandbox> {
  const sandbox = await startSandbox(options)
  await register(sandbox, url)
  return sandbox
}

/** What a receiver computes; from the document, not from src. */
export function signatureOf(body: Buffer, secret = SECRET): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}

export interface ShownDelivery {
  delivery_id: string
  event_id: string
  type: string
  partner_id: string
  copy: number
  state: string
  attempt_count: number
  next_attempt_at: string | null
  body: string
  traceparent: string | null
  attempts: {
    cause: string
    at: string
    url: string
    signature: string
    status: number | null
    failure: string | null
    answer: string | null
    took_ms: number
  }[]
}

/** The delivery log, oldest first, each with its attempts. */
export async function deliveriesOf(sandbox: TestSandbox, world = 'default'): Promise<ShownDelivery[]> {
  const { json } = await sandbox.operate('GET', `/v1/worlds/${world}/deliveries?limit=100`)
  const shown = await Promise.all(
    json.deliveries.map(({ delivery_id }: ShownDelivery) =>
      sandbox.operate('GET', `/v1/worlds/${world}/deliveries/${delivery_id}`),
    ),
  )
  return shown.map((answer) => answer.json as ShownDelivery).reverse()
}

export async function advanceBy(sandbox: TestSandbox, by: string, world = 'default') {
  return sandbox.operate('POST', `/v1/worlds/${world}/clock/advance`, { by })
}

/** Waits until no attempt is in flight or due: the least jump there is comes after all that is due already. */
export async function settled(sandbox: TestSandbox): Promise<void> {
  await sandbox.operate('POST', '/v1/worlds/default/clock/advance', {
    to: (await sandbox.operate('GET', '/v1/worlds/default/clock')).json.now,
  })
}
