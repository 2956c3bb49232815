import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from './partner-api.ts'
import { isSignedWebhook } from './partner-signing.ts'

/** Takes webhooks: believes none that is not signed, takes each event once, and answers before it works. */
export interface WebhookReceiver {
  url: string
  /** Waits for an event of that type; ends the walk with a line where none comes. */
  next(type: string): Promise<Json>
  close(): void
}

export async function receiveWebhooks(secret: string, patienceSeconds = 20): Promise<WebhookReceiver> {
  const seen = new Set<string>()
  const events: Json[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks)
      if (!isSignedWebhook(raw, String(request.headers['x-partner-signature'] ?? ''), secret)) {
        response.writeHead(401).end()
        return
      }
      response.writeHead(200).end()
      const event = JSON.parse(raw.toString('utf8'))
      // Deliveries may repeat, and a copied one verifies for ever: the event's id is what tells them apart.
      if (seen.has(event.id)) return
      seen.add(event.id)
      events.push(event)
      for (const look of waiting) look()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  function next(type: string): Promise<Json> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => giveUpOn(type, patienceSeconds), patienceSeconds * 1000)
      const look = () => {
        const found = events.findIndex((event) => event.type === type)
        if (found < 0) return
        waiting.delete(look)
        clearTimeout(timer)
        resolve(events.splice(found, 1)[0])
      }
      waiting.add(look)
      look()
    })
  }

  return { url: `http://127.0.0.1:${port}/hooks`, next, close: () => server.close() }
}

function giveUpOn(type: string, seconds: number): never {
  console.error(`no webhook of type ${type} came within ${seconds} s; is the clock frozen, or a delivery profile set?`)
  process.exit(1)
}
