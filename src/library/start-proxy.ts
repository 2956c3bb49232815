import type { RunningProxy } from '../proxy/start-proxy.ts'
import {
  anyValue,
  type OptionCheck,
  optionProblems,
  portProblem,
  refuseProblems,
  textProblem,
} from './check-options.ts'
import { openHandle } from './sandbox.ts'
import type { World } from './world.ts'

/** How a proxy is started; `target`, `keyId` and `secret` have no default. */
export interface ProxyOptions {
  /** Address of the server that is called, without a path. */
  target: string
  /** Key id and secret that the client signs with. */
  keyId: string
  secret: string
  /** Port for the client; 0, the default, picks a free one. */
  port?: number
  /** Port of the operator API; 0, the default, picks a free one. */
  operatorPort?: number
  /** Certificates in PEM to trust as well. */
  ca?: string
  /** How many bytes of each body the log keeps; 1 MiB by default. */
  keepBytes?: number
  /** Allows a live key. */
  live?: boolean
}

/** A proxy in front of a server, which explains the calls that pass through it. */
export interface Proxy extends AsyncDisposable, Pick<World, 'requests' | 'coverage' | 'waitForRequest'> {
  /** Address for the client under test. */
  readonly url: string
  readonly operatorUrl: string
  close(): Promise<void>
}

const CHECKS: Record<keyof ProxyOptions, OptionCheck> = {
  target: textProblem,
  keyId: textProblem,
  secret: textProblem,
  port: portProblem,
  operatorPort: portProblem,
  ca: textProblem,
  keepBytes: anyValue,
  live: anyValue,
}

/**
 * Starts a proxy in front of another server. Each call is passed on unchanged, and is in `requests` afterwards: why it was refused,
 * and what else is wrong with it.
 *
 * @throws TypeError for an option that is missing, unknown or cannot be used; an `EADDRINUSE` error if a port is taken.
 * @example
 * const proxy = await startProxy({ target: 'https://staging.example.test', keyId, secret })
 * // point your client at proxy.url
 * const { reason, findings } = await proxy.waitForRequest({ endpoint: 'orders.create' })
 * await proxy.close()
 */
export async function startProxy(given: ProxyOptions): Promise<Proxy> {
  refuseProblems('startProxy', optionProblems(given, CHECKS, ['target', 'keyId', 'secret']))
  const { keyId, secret, ...options } = given
  // Loaded only here, as with a sandbox.
  const { startProxy: start, ProxyOptionError } = await import('../proxy/start-proxy.ts')
  const credentials = [{ name: 'main', keyId, secret, scopes: null, partner: 'main' }]
  const proxy = await start({ port: 0, operatorPort: 0, ...options, credentials }).catch((error: Error) => {
    if (!(error instanceof ProxyOptionError)) throw error
    throw new TypeError(`startProxy: ${error.option}: ${error.message.replace('--live', 'live: true')}`, {
      cause: error,
    })
  })
  try {
    return await handleOn(proxy)
  } catch (error) {
    await proxy.close()
    throw error
  }
}

async function handleOn({ operator, close: stop }: RunningProxy): Promise<Proxy> {
  const { defaultWorld, url, operatorUrl, close } = await openHandle(operator, stop, new Map())
  const { requests, coverage, waitForRequest } = defaultWorld
  return { url, operatorUrl, requests, coverage, waitForRequest, close, [Symbol.asyncDispose]: close }
}
