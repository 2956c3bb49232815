import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import type { Resolve } from './address.ts'

/** Where requests go. */
export interface Origin {
  secure: boolean
  host: string
  port: number
  /** For the Host header: the port only where it is not the scheme's own. */
  authority: string
  /** Any certificate will do. */
  insecure: boolean
  /** Resolves the host where that is a name; absent for the machine's own way. */
  lookup?: LookupFunction
}

/**
 * Reads an origin such as `https://staging.example.test:8443`.
 *
 * @throws TypeError if it is not an http or https address, or has a user, path, query or fragment.
 */
export function parseOrigin(text: string, insecure: boolean): Origin {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new TypeError('the origin is not an http or https address')
  if (url.username !== '' || url.password !== '' || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new TypeError('the origin has more than scheme, host and port')
  }
  const secure = url.protocol === 'https:'
  return {
    secure,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    authority: url.host,
    insecure,
  }
}

/** Begins to open a connection; for https, nothing is written before the certificate was checked. */
export function openConnection({ secure, host, port, insecure, lookup }: Origin): Socket {
  const to = { host, port, ...(lookup && { lookup }) }
  if (!secure) return connectPlain({ ...to, noDelay: true })
  const socket = connectSecure({
    ...to,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: !insecure,
    ...(isIP(host) ? {} : { servername: host }),
  })
  return socket.setNoDelay(true)
}

/** Resolves names as the machine does, and leads only to addresses that may be reached, so that a name cannot change in between. */
export function guardedLookup(mayReach: (address: string) => boolean, resolve: Resolve): LookupFunction {
  return (name, options, done) => {
    resolve(name).then(
      (found) => {
        const refused = found.find(({ address }) => !mayReach(address))
        const [first] = found
        if (refused || !first) done(new Error(`${name} leads to an address that is not opened`), '')
        else if (options.all) done(null, [...found])
        else done(null, first.address, first.family)
      },
      (error) => done(error, ''),
    )
  }
}
