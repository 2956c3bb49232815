import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
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

test('clients that do not read are hung up on one in a turn of the event loop', async () => {
  const open: ServerResponse[] = []
  const tells: (() => void)[] = []
  const server = createServer((_request, response) => {
    open.push(response)
    sendLive(server, response, (client) => {
      tells.push(() => client.tell({ event: 'request', data: 'x'.repeat(1_000_000) }))
      return () => {}
    })
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  for (let i = 1; i <= 4; i++) {
    const socket = connect(port, '127.0.0.1').pause()
    onTestFinished(() => void socket.destroy())
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => tells.length).toBe(i)
  }
  const destroyed = () => open.filter((response) => response.destroyed).length
  const seen: number[] = []
  for (let i = 0; i < 30; i++) for (const tell of tells) tell()
  while (destroyed() < 4) {
    seen.push(destroyed())
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(seen).toEqual([0, 1, 2, 3])
})
