import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An answer of the correct sandbox before it is passed on. */
export interface ValidAnswer {
  status: number
  headers: NodeJS.Dict<string | string[]>
  body: Buffer
}

/** Passes an answer on in its own way; `false` leaves it as it is. */
export type Altering = (
  request: IncomingMessage,
  response: ServerResponse,
  answer: ValidAnswer,
  ordinal: number,
) => boolean

/** A server in front of another that passes calls on as they came, and their answers as `alter` will have them. */
export function startProxy(to: string, alter: Altering): ReturnType<typeof serving> {
  return serving(async (request, response, ordinal) => {
    const answer = await passOn(to, request)
    if (!alter(request, response, answer, ordinal)) plain(response, answer)
  })
}

/** A server on a free port of the loopback. It outlives what its clients do, and hangs up where `answer` fails. */
export async function serving(
  answer: (request: IncomingMessage, response: ServerResponse, ordinal: number) => unknown,
): Promise<{ url: string; close(): Promise<void> }> {
  let requests = 0
  const server = createServer((request, response) => {
    // What the runner has given up on may be gone by the time it is answered.
    response.on('error', () => undefined)
    Promise.resolve(answer(request, response, ++requests)).catch(() => request.socket.destroy())
  })
  server.on('connection', (socket) => socket.on('error', () => undefined))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function passOn(to: string, request: IncomingMessage): Promise<ValidAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(to)
    const { method, url, rawHeaders } = request
    const onward = requestOf({ hostname, port, method, path: url, headers: rawHeaders, agent: false }, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: Buffer.concat(pieces) }),
      )
    })
    onward.on('error', reject)
    request.pipe(onward)
  })
}

/** Passes an answer on as it is. */
export function plain(response: ServerResponse, { status, headers, body }: ValidAnswer): void {
  const { 'transfer-encoding': _chunked, connection: _connection, 'keep-alive': _keepAlive, ...kept } = headers
  response.writeHead(status, { ...kept, 'content-length': body.length }).end(body)
}
