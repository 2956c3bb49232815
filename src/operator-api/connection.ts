import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import { inspect } from 'node:util'
import { withoutBrackets } from '../contract/host.ts'

export interface HttpRequest {
  method: string
  target: string
  headers: Readonly<Record<string, string>>
  body?: Uint8Array | undefined
  /** How long the other side may be silent; as long as it likes unless given. */
  silentMs?: number | undefined
}

export interface HttpAnswer {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

/** HTTP to one address. Connections are kept for the next request, and do not keep the process alive meanwhile. */
export type Connection = ReturnType<typeof connectTo>

/**
 * @throws TypeError if the address is not an http(s) URL.
 * @example const connection = connectTo('http://127.0.0.1:4601')
 */
export function connectTo(address: string) {
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new TypeError(`${address} is not an http(s) address`)
  const isSecure = url.protocol === 'https:'
  // TLS takes some milliseconds to load, and the operator port of a sandbox speaks plain HTTP.
  const protocol = isSecure ? process.getBuiltinModule('node:https') : http
  const agent = new protocol.Agent({ keepAlive: true })
  const start = ({ method, target, headers, body, silentMs }: HttpRequest, signal?: AbortSignal): ClientRequest => {
    // Before the request is there: without a listener it would end the process when its connection closes.
    if (body !== undefined && !(body instanceof Uint8Array))
      throw new TypeError(`${method} ${target} sends bytes, not ${inspect(body)}: is an await missing?`)
    const length = body === undefined ? {} : { 'content-length': String(body.length) }
    const outgoing = protocol.request({
      host: withoutBrackets(url.hostname),
      port: url.port || (isSecure ? 443 : 80),
      method,
      path: target,
      headers: { host: url.host, ...headers, ...length },
      agent,
      ...(silentMs !== undefined && { timeout: silentMs }),
      ...(signal && { signal }),
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error('it did not answer in time')))
    outgoing.end(body)
    return outgoing
  }
  return {
    /** Rejects with the error of Node if the answer does not arrive whole. */
    exchange: (request: HttpRequest) => whole(start(request)),
    /** Hands over the answer as soon as its head is there. */
    open: (request: HttpRequest, signal?: AbortSignal) => head(start(request, signal)),
    /** Lets go of everything; what is under way ends with an error. */
    close: () => agent.destroy(),
  }
}

function head(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.once('response', resolve)
  })
}

async function whole(outgoing: ClientRequest): Promise<HttpAnswer> {
  const incoming = await head(outgoing)
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: await bodyOf(incoming) }
}

/** The rest of an answer whose head is there. */
export function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => resolve(Buffer.concat(chunks)))
    incoming.on('error', reject)
  })
}
