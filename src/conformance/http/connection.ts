import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { callAfter } from '../../clock/wall-clock.ts'
import type { Resolve } from './address.ts'
import type { BrokenReason } from './exchange.ts'

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

export interface Failure {
  reason: BrokenReason
  message: string
}

export type Connected = { socket: Socket } | { failure: Failure }

/** Opens a connection; for https, nothing is written before the certificate was checked. */
export function connect(origin: Origin, deadline: Deadline): Promise<Connected> {
  return new Promise((resolve) => {
    const socket = origin.secure
      ? openSecure(origin)
      : connectPlain({ host: origin.host, port: origin.port, noDelay: true, ...lookupOf(origin) })
    const settle = (result: Connected) => {
      deadline.off(cut)
      socket.off('error', failed)
      if ('failure' in result) socket.on('error', ignore).destroy()
      resolve(result)
    }
    const cut = () => settle({ failure: cutFailure(deadline) })
    const failed = (error: NodeJS.ErrnoException) =>
      settle({ failure: { reason: 'unreachable', message: `no connection: ${error.code ?? error.message}` } })
    socket.once(origin.secure ? 'secureConnect' : 'connect', () => settle({ socket }))
    socket.once('error', failed)
    deadline.on(cut)
  })
}

function openSecure(origin: Origin): Socket {
  const socket = connectSecure({
    host: origin.host,
    port: origin.port,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: !origin.insecure,
    ...lookupOf(origin),
    ...(isIP(origin.host) ? {} : { servername: origin.host }),
  })
  return socket.setNoDelay(true)
}

function lookupOf({ lookup }: Origin): { lookup?: LookupFunction } {
  return lookup ? { lookup } : {}
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

export function ignore(): void {
  // A socket that was given up may still report how it ended.
}

/**
 * The end of one request's time: a total deadline, not an idle timer that a dripping target could keep alive. Each request has one,
 * and an AbortSignal takes longer to make than the request to write.
 */
export interface Deadline {
  /** Why it is over, as a sentence; null while it is not. */
  readonly reason: string | null
  /** Called once it is over, at once if it is already. */
  on(cut: () => void): void
  off(cut: () => void): void
  /** To be called when the request is over. */
  release(): void
}

/** @param stop whose abort ends it early. */
export function startDeadline(timeoutMs: number, stop?: AbortSignal): Deadline {
  const listeners = new Set<() => void>()
  let reason: string | null = null
  const end = (why: string): void => {
    if (reason !== null) return
    reason = why
    for (const cut of [...listeners]) cut()
  }
  const stopped = (): void => end('the run was stopped')
  const alarm = callAfter(timeoutMs, () => end(`no complete answer within ${timeoutMs} ms`))
  if (stop?.aborted) stopped()
  else stop?.addEventListener('abort', stopped)
  return {
    get reason() {
      return reason
    },
    on(cut) {
      if (reason !== null) cut()
      else listeners.add(cut)
    },
    off: (cut) => listeners.delete(cut),
    release() {
      alarm.cancel()
      stop?.removeEventListener('abort', stopped)
    },
  }
}

/** What a cut-off request reports: which limit it was. */
export function cutFailure({ reason }: Deadline): Failure {
  return { reason: 'timeout', message: String(reason) }
}
