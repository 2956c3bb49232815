import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sleep } from '../clock/wall-clock.ts'

/** A server that is no partner API, however often it says 200. */
export interface DegenerateTarget {
  name: string
  answer: Answering
  /** It says yes to calls, so that what asks for a mere yes is shown by it. Nothing at all is shown by the others. */
  saysYes?: true
}

/** @param ordinal which request it is, counting from 1. */
type Answering = (request: IncomingMessage, response: ServerResponse, ordinal: number) => void | Promise<void>

/** How long a call to one of these may take; the slow one takes longer. */
export const DEGENERATE_TIMEOUT_MS = 250

const ANSWERED = 3

export const DEGENERATE_TARGETS: readonly DegenerateTarget[] = [
  { name: 'accepts everything', saysYes: true, answer: (_, response) => json(response, 200, {}) },
  {
    name: 'accepts everything and says nothing',
    saysYes: true,
    answer: (_, response) => void response.writeHead(204).end(),
  },
  { name: 'answers with an empty list', saysYes: true, answer: (_, response) => json(response, 200, []) },
  {
    name: 'refuses everything',
    answer: (_, response) => json(response, 401, { code: 'invalid_signature', message: 'no' }),
  },
  { name: 'finds nothing', answer: (_, response) => json(response, 404, { code: 'not_found', message: 'no' }) },
  {
    name: 'fails at everything',
    answer: (_, response) => json(response, 500, { code: 'internal_error', message: 'no' }),
  },
  { name: 'limits everything', answer: limited },
  { name: 'hangs up', answer: (request) => void request.socket.destroy() },
  { name: 'speaks no HTTP', answer: (request) => void request.socket.end('220 mail.example.test ESMTP\r\n') },
  { name: 'answers in HTML', saysYes: true, answer: html },
  { name: 'redirects to itself', answer: redirected },
  { name: 'is too slow', answer: slow },
  { name: 'hangs up after a while', answer: afterAWhile((request) => void request.socket.destroy()) },
  { name: 'speaks no HTTP after a while', answer: afterAWhile((request) => void request.socket.end('\0\n\n')) },
  { name: 'is too slow after a while', answer: afterAWhile(slow) },
  { name: 'fails after a while', answer: afterAWhile((_, response) => json(response, 503, { message: 'no' })) },
]

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function limited(_: IncomingMessage, response: ServerResponse): void {
  response.setHeader('retry-after', '86400')
  json(response, 429, { code: 'rate_limited', message: 'no' })
}

function html(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><title>Welcome</title><h1>It works</h1>')
}

function redirected(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(302, { location: request.url ?? '/' }).end()
}

/** The first calls are answered, so that the runner does not give up at once. */
function afterAWhile(then: Answering): Answering {
  return (request, response, ordinal) =>
    ordinal > ANSWERED ? then(request, response, ordinal) : json(response, 200, {})
}

async function slow(_: IncomingMessage, response: ServerResponse): Promise<void> {
  await sleep(4 * DEGENERATE_TIMEOUT_MS)
  json(response, 200, {})
}

/** Starts it on a free port of the loopback. */
export async function startDegenerate(target: DegenerateTarget): Promise<{ url: string; close(): Promise<void> }> {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    request.resume()
    // What the runner has given up on may be gone by the time it is answered.
    response.on('error', () => undefined)
    Promise.resolve(target.answer(request, response, requests)).catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => closed(server) }
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
