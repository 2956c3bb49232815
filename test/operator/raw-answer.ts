import { connect } from 'node:net'

/** An answer as its bytes tell it. */
export interface RawAnswer {
  status: number
  head: string
  body: string
}

/** Sends bytes that no HTTP client would, and reads until the connection is closed. */
export function rawAnswer(origin: string, lines: readonly string[], body = ''): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('close', () => {
      const [head = '', ...rest] = text.split('\r\n\r\n')
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body: rest.join('\r\n\r\n') })
    })
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
  })
}
