import type { IncomingMessage, Server } from 'node:http'
import { headerValues } from './call.ts'

/** Names under which a machine reaches itself and nothing else. */
export const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]']

/** What a proxy adds to a request that it passes on. */
const OF_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

/**
 * Whether a request can only come from this machine: the port is bound to loopback alone, the Host is one of the names of
 * loopback letter for letter (a page under a rebound name sends its own), and no proxy passed it on.
 *
 * @param boundTo the address on which the port listens.
 */
export function isFromThisMachine(request: IncomingMessage, boundTo: string): boolean {
  if (boundTo !== '::1' && !boundTo.startsWith('127.')) return false
  if (OF_PROXIES.some((name) => headerValues(request, name).length > 0)) return false
  const [host, ...others] = headerValues(request, 'host')
  return host !== undefined && others.length === 0 && hostsOn(request, LOOPBACK_NAMES).includes(host)
}

/** The Host headers by which these names are called, on the port that the request came in by. */
export function hostsOn({ socket: { localPort } }: IncomingMessage, names: readonly string[]): string[] {
  const withPort = names.map((name) => `${name}:${localPort}`)
  return localPort === 80 ? [...names, ...withPort] : withPort
}

export function boundUrlOf(server: Server, host: string): string {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return `http://${reachableName(host)}:${port}`
}

/** A name under which this machine reaches what listens there; a server on every address is on loopback too. */
function reachableName(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
