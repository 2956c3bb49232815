import { type Agent, type ClientRequest, request } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WireRequest } from './exchange.ts'

/** The request is not an HTTP message: a fault of the scenario or of the runner, never of the target. */
export class UnsendableRequestError extends Error {
  override name = 'UnsendableRequestError'
}

/** What carries a request: the connections of an agent, which are kept, or one of its own. */
export type Carrier = { agent: Agent } | { agent?: never; createConnection: () => Duplex }

/** Longest head of an answer, and longest trailers. */
const MAX_HEAD_BYTES = 64 * 1024

const VERBS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Begins a request: text as UTF-8, names and values as they stand, and Host, Connection and Content-Length where the request has
 * none of its own. Its body is still to be sent. Node changes neither a target nor headers that it gets as an array.
 *
 * @throws UnsendableRequestError if a part would break out of its line.
 */
export function startRequest(wire: WireRequest, authority: string, carrier: Carrier): ClientRequest {
  if (wire.target === '') throw new UnsendableRequestError('the target is empty')
  try {
    const started = request({
      ...carrier,
      method: wire.method,
      path: asBytes(wire.target),
      headers: headersOf(wire, authority, carrier.agent ? 'keep-alive' : 'close'),
      maxHeaderSize: MAX_HEAD_BYTES,
    })
    // Else Node drops headers beyond the 2,000th.
    started.maxHeadersCount = 0
    return started
  } catch (error) {
    throw new UnsendableRequestError(error instanceof Error ? error.message : String(error))
  }
}

/** Whether the request itself asks for the connection to be closed. */
export function asksToClose(wire: WireRequest): boolean {
  return wire.headers.some(([name, value]) => name.toLowerCase() === 'connection' && /\bclose\b/i.test(value))
}

/** Names and values in turn. */
function headersOf(wire: WireRequest, authority: string, connection: 'keep-alive' | 'close'): string[] {
  const names = new Set(wire.headers.map(([name]) => name.toLowerCase()))
  const hasLength = names.has('content-length') || names.has('transfer-encoding')
  const needsLength = !hasLength && (wire.body.length > 0 || VERBS_WITH_BODY.has(wire.method))
  return [
    ...(names.has('host') ? [] : ['host', authority]),
    ...(names.has('connection') ? [] : ['connection', connection]),
    ...wire.headers.flatMap(([name, value]) => [name, asBytes(value)]),
    ...(needsLength ? ['content-length', String(wire.body.length)] : []),
  ]
}

/** Text in UTF-8 with a character for each byte, which is how Node writes a head. */
function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
