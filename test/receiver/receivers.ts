import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callAfter } from '../../src/clock/wall-clock.ts'

/** The webhook secret that the receivers of these tests know. */
export const SECRET = 'whsec-of-the-receiver-under-test'

/** An answer: status, and what else stands in it. */
export interface Reply {
  status: number
  headers?: Record<string, string>
  body?: string | Buffer
}

/** A delivery as a receiver has it. */
export interface Came {
  raw: Buffer
  header: string | undefined
  headers: IncomingMessage['headers']
  rawHeaders: string[]
  method: string
  url: string
  /** The how-manieth of its connection. */
  ordinal: number
}

export type Handle = (came: Came) => Reply | Promise<Reply> | 'hang' | 'hang up'

export interface Running {
  url: string
  origin: string
  close(): Promise<void>
}

/** Serves one function over real HTTP on a free port. */
export async function serve(handle: Handle): Promise<Running> {
  const ordinals = new WeakMap<object, number>()
  const server = createServer((request, response) => {
    const ordinal = (ordinals.get(request.socket) ?? 0) + 1
    ordinals.set(request.socket, ordinal)
    response.on('error', () => {})
    void cameOf(request, ordinal)
      .then(async (came) => answer(await handle(came), response))
      // As frameworks do with what is thrown.
      .catch(() => answer({ status: 500, body: 'Internal Server Error' }, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}/hooks`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function cameOf(request: IncomingMessage, ordinal: number): Promise<Came> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { headers, rawHeaders, method = '', url = '' } = request
  const header = headers['x-partner-signature']
  return {
    raw: Buffer.concat(chunks),
    header: header === undefined ? undefined : String(header),
    headers,
    rawHeaders,
    method,
    url,
    ordinal,
  }
}

function answer(reply: Reply | 'hang' | 'hang up', response: ServerResponse): void {
  if (reply === 'hang') return
  if (reply === 'hang up') return void response.destroy()
  response.writeHead(reply.status, reply.headers ?? {}).end(reply.body ?? '')
}

export function hmac(body: Buffer | string, secret = SECRET): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}

/** Verifies as the document says; written apart from src. */
export function isGenuine(raw: Buffer | string, header: string | undefined, secret = SECRET): boolean {
  const wanted = Buffer.from(hmac(raw as Buffer, secret))
  const given = Buffer.from(header ?? '')
  return wanted.length === given.length && timingSafeEqual(wanted, given)
}

// biome-ignore lint/suspicious/noExplicitAny: an event is what came
export function eventOf({ raw }: Came): any {
  return JSON.parse(raw.toString('utf8'))
}

export const OK: Reply = { status: 200 }
export const NO: Reply = { status: 401, body: 'bad signature' }

/** A receiver that is right in all that its one change leaves alone. */
export function valid(then: (came: Came) => Reply | Promise<Reply> = () => OK): Handle {
  return (came) => {
    if (came.method !== 'POST') return { status: 405 }
    return isGenuine(came.raw, came.header) ? then(came) : NO
  }
}

/** Answers after so many milliseconds. */
export function after(delayMs: number, reply: Reply): Promise<Reply> {
  return new Promise((resolve) => void callAfter(delayMs, () => resolve(reply)))
}
