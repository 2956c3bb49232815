import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sendLive } from '../../src/operator/live.ts'

test('whoever is told something after the end of a stream is not told it, and nothing breaks', async () => {
  const server = createServer((_request, response) =>
    sendLive(server, response, (client) => {
      client.tell({ event: 'request', data: 'before' })
      client.end()
      client.tell({ event: 'request', data: 'after' })
      expect(client.keepsUp()).toBe(false)
      return () => {}
    }),
  )
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const text = await (await fetch(`http://127.0.0.1:${port}/`)).text()
  expect(text).toContain('before')
  expect(text).not.toContain('after')
})
