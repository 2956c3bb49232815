import type { WireRequest } from './exchange.ts'

/** The request is not an HTTP message: a fault of the scenario or of the runner, never of the target. */
export class UnsendableRequestError extends Error {
  override name = 'UnsendableRequestError'
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const ENDS_A_LINE = /[\r\n\0]/
const VERBS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Writes a request as bytes: text as UTF-8, names and values as they stand, and Host, Connection and Content-Length
 * where the request has none of its own.
 *
 * @throws UnsendableRequestError if a part would break out of its line.
 */
export function requestBytes(wire: WireRequest, authority: string, connection: 'keep-alive' | 'close'): Buffer {
  refuseBrokenLines(wire)
  const names = new Set(wire.headers.map(([name]) => name.toLowerCase()))
  const lines = [`${wire.method} ${wire.target} HTTP/1.1`]
  if (!names.has('host')) lines.push(`host: ${authority}`)
  if (!names.has('connection')) lines.push(`connection: ${connection}`)
  for (const [name, value] of wire.headers) lines.push(`${name}: ${value}`)
  if (needsLength(wire, names)) lines.push(`content-length: ${wire.body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'utf8')
  return wire.body.length === 0 ? head : Buffer.concat([head, wire.body])
}

/** Whether the request itself asks for the connection to be closed. */
export function asksToClose(wire: WireRequest): boolean {
  return wire.headers.some(([name, value]) => name.toLowerCase() === 'connection' && /\bclose\b/i.test(value))
}

function needsLength(wire: WireRequest, names: ReadonlySet<string>): boolean {
  if (names.has('content-length') || names.has('transfer-encoding')) return false
  return wire.body.length > 0 || VERBS_WITH_BODY.has(wire.method)
}

function refuseBrokenLines(wire: WireRequest): void {
  if (!TOKEN.test(wire.method)) throw new UnsendableRequestError('the method is not an HTTP token')
  if (wire.target === '' || ENDS_A_LINE.test(wire.target))
    throw new UnsendableRequestError('the target is empty or holds a line end')
  for (const [name, value] of wire.headers) {
    if (!TOKEN.test(name))
      throw new UnsendableRequestError(`the header name ${JSON.stringify(name)} is not an HTTP token`)
    if (ENDS_A_LINE.test(value)) throw new UnsendableRequestError(`the value of the header ${name} holds a line end`)
  }
}
