import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface CuttableLine {
  /** The origin to use instead. */
  url: string
  /** Cuts every connection, and takes no new one. */
  cut(): Promise<void>
  /** Takes connections again. */
  mend(): Promise<void>
}

/** A line to a server that can be cut. The server sees its own name, so that its guard lets the calls in. */
export async function cuttableLine(target: string): Promise<CuttableLine> {
  const { hostname, port: targetPort, host } = new URL(target)
  const serve = () =>
    createServer((incoming, outgoing) => {
      const { origin, ...headers } = incoming.headers
      const own = { ...headers, host, ...(origin !== undefined && { origin: `http://${host}` }) }
      const options = { hostname, port: targetPort, method: incoming.method, path: incoming.url, headers: own }
      const onward = request({ ...options, agent: false }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
        answer.on('error', () => outgoing.destroy())
      })
      onward.on('error', () => outgoing.destroy())
      outgoing.on('close', () => onward.destroy())
      incoming.pipe(onward)
    })
  let server = serve()
  await listenOn(server, 0)
  const { port } = server.address() as AddressInfo
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(async () => {
    if (server.listening) await cut()
  })
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    async mend() {
      server = serve()
      await listenOn(server, port)
    },
  }
}

function listenOn(server: Server, port: number): Promise<void> {
  return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
}
