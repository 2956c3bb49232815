import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopbackHost, withoutBrackets } from '../contract/host.ts'
import { headerValues } from '../sandbox/wire/call.ts'

/** Endings of names that are not for sale, so that no page on the internet has one (RFC 6761, 6762 and 8375; `internal` besides). */
const PRIVATE_NAME = /^[^.]+$|\.(?:localhost|local|internal|test|example|invalid|home\.arpa)$/

/**
 * Keeps web pages out: a page in a browser of this machine reaches what its loopback reaches, and through a proxy the target.
 *
 * @param host the address on which the proxy listens. Beyond loopback it may have any name.
 * @returns gives the reason why a call is not passed on; null for a call that may come from a program.
 */
export function createPageGuard({
  host,
  target,
}: {
  host: string
  target: URL
}): (incoming: IncomingMessage) => string | null {
  const isOwn = (name: string) => isLoopbackHost(name) || name === target.hostname
  return (incoming) => {
    const called = headerValues(incoming, 'host').map((value) => hostnameIn(`http://${value}`))
    if (
      isLoopbackHost(host) &&
      !called.every((name) => isOwn(name) || isIP(withoutBrackets(name)) > 0 || PRIVATE_NAME.test(name))
    )
      return `the Host must be ${target.host}, or a name that only this network knows`
    const pages = headerValues(incoming, 'origin').map(hostnameIn)
    const isForeign = headerValues(incoming, 'sec-fetch-site').some((value) => value.includes('cross-site'))
    return isForeign || !pages.every(isOwn) ? 'it was made by a web page of another site' : null
  }
}

function hostnameIn(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : ''
}
