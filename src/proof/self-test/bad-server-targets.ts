import type { IncomingMessage, ServerResponse } from 'node:http'
import { sleep } from '../../clock/wall-clock.ts'
import { didYouMean, fits } from '../../contract/words.ts'
import { BAD_RESPONSES } from './bad-responses.ts'
import type { Altering } from './correct-proxy.ts'
import { TAMPERINGS } from './tampering-proxy.ts'

/** A server that is not a partner API, however often it says 200, or that hardly any client could use as one. */
export interface BadServer {
  name: string
  /** What it answers alone. */
  answer?: Answering
  /** It is in front of a correct sandbox and alters its answers. */
  alter?: Altering
  /** It says yes to calls, so it shows what a mere yes can show. The others show nothing. */
  saysYes?: true
  /** It is odd but breaks no sentence of the document: only the runner must not break. */
  isOdd?: true
  /** Every few scenarios from this one on are tried with it; all if absent. There are many of these, which have all scenarios between them. */
  part?: number
}

/**
 * @param ordinal which request it is, counting from 1.
 * @param elsewhere address of another server, where nothing may arrive.
 */
type Answering = (
  request: IncomingMessage,
  response: ServerResponse,
  ordinal: number,
  elsewhere: string,
) => void | Promise<void>

/** How long a call to one of these may take; the slow one takes longer. */
export const BAD_SERVER_TIMEOUT_MS = 250

const ANSWERED = 3

const PLAIN: readonly BadServer[] = [
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
  ...[301, 302, 307, 308].map((status) => ({
    name: `redirects elsewhere with ${status}`,
    answer: elsewhereWith(status),
  })),
  { name: 'redirects elsewhere after a while', answer: afterAWhile(elsewhereWith(307)) },
  ...BAD_RESPONSES.map(({ name, commit }) => ({ name, saysYes: true as const, answer: afterAWhile(commit) })),
]

/** All of them: those that answer alone, and those that corrupt the answers of a correct sandbox. */
export const BAD_SERVERS: readonly BadServer[] = [...PLAIN, ...TAMPERINGS]

/** Unknown name of a bad server. */
export class UnknownBadServerError extends RangeError {
  override readonly name = 'UnknownBadServerError'
}

/** @throws UnknownBadServerError */
export function badServerCalled(name: string): BadServer {
  const found = BAD_SERVERS.find((target) => target.name === name)
  if (found) return found
  throw unknown(name)
}

/**
 * Those with a name or a pattern, in which `*` stands for any text.
 *
 * @throws UnknownBadServerError if there is none.
 */
export function findBadServers(pattern: string): BadServer[] {
  const found = BAD_SERVERS.filter(({ name }) => fits(pattern, name))
  if (found.length > 0) return found
  throw unknown(pattern)
}

function unknown(pattern: string): UnknownBadServerError {
  const names = BAD_SERVERS.map(({ name }) => name)
  return new UnknownBadServerError(`unknown bad server "${pattern}"${didYouMean(pattern, names)}`)
}

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
  return (request, response, ordinal, elsewhere) =>
    ordinal > ANSWERED ? then(request, response, ordinal, elsewhere) : json(response, 200, {})
}

function elsewhereWith(status: number): Answering {
  return (request, response, _, elsewhere) =>
    void response.writeHead(status, { location: `${elsewhere}${request.url}` }).end()
}

async function slow(_: IncomingMessage, response: ServerResponse): Promise<void> {
  await sleep(4 * BAD_SERVER_TIMEOUT_MS)
  json(response, 200, {})
}
