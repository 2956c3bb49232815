import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type WallClock, wallClock } from '../clock/wall-clock.ts'
import type { DialectFile } from '../conformance/target/target.ts'
import { isLoopbackHost } from '../contract/host.ts'
import { RULES } from '../contract/rules.ts'
import { PROGRAM } from '../contract/shell-quote.ts'
import type { Activity } from '../operator/activity.ts'
import { createOperatorApp } from '../operator/app.ts'
import { commandLine } from '../operator/hints.ts'
import { operatorTokenFor } from '../operator/operator-token.ts'
import { reportActivity } from '../operator/report-activity.ts'
import { CONSOLE_FOLDER, packageVersion } from '../package-files.ts'
import { NO_DEFECT_HOOKS } from '../sandbox/app/defect-hooks.ts'
import { type GivenCredential, randomKeys } from '../sandbox/kernel/credentials.ts'
import { boundUrlOf } from '../sandbox/wire/loopback.ts'
import { Worlds } from '../sandbox/worlds/worlds.ts'
import { createDeliveryJudge } from './delivery-judge.ts'
import { createJudge } from './judge.ts'
import { createPageGuard } from './page-guard.ts'
import { createPassThrough, type PassedCall } from './pass-through.ts'
import { warning } from './warn-of.ts'

/** How a proxy is started; every member but the target and its credentials has a default. */
export interface ProxyServerOptions {
  /** Address of the target, without a path. */
  readonly target: string
  /** Of the target: with their secrets the proxy checks signatures. */
  readonly credentials: readonly GivenCredential[]
  readonly port: number
  readonly operatorPort: number
  readonly host: string
  /** Bearer token of the operator port; made up if none is given and other machines may reach it. */
  readonly operatorToken: string | null
  /** Certificates in PEM to trust for the target besides those of Node. */
  readonly ca: string | null
  /** Whether the target gets the Host that the client sent. */
  readonly keepHost: boolean
  /** So many bytes of each body are kept for the log. */
  readonly keepBytes: number
  /** Headers to keep in the log besides the harmless ones. */
  readonly recordHeaders: readonly string[]
  /** Whether a live credential is allowed. */
  readonly live: boolean
  /** What the target file says of the names of the target; null without one. */
  readonly dialect: DialectFile | null
  /** Passes deliveries on to a receiver; null for no port of their own. */
  readonly webhooks: WebhookForwarding | null
  /** A target that is silent for so long before its answer gets a 504. */
  readonly silentMs: number
  readonly program: string
  readonly wall: WallClock
  /** Called with each call; of many in a short time only with some. */
  readonly onActivity: ((activity: Activity) => void) | undefined
}

interface WebhookForwarding {
  readonly port: number
  /** Address of the client's own receiver, without a path: that of each delivery is kept. */
  readonly receiver: string
  /** Secret that the target signs with; null if it is learned from a registration that passes through. */
  readonly secret: string | null
}

export const PROXY_DEFAULTS: Omit<ProxyServerOptions, 'target' | 'credentials'> = {
  port: 4610,
  operatorPort: 4611,
  host: '127.0.0.1',
  operatorToken: null,
  ca: null,
  keepHost: false,
  keepBytes: 1024 * 1024,
  recordHeaders: [],
  live: false,
  dialect: null,
  webhooks: null,
  silentMs: 120_000,
  program: PROGRAM,
  wall: wallClock,
  onActivity: undefined,
}

export interface RunningProxy {
  /** The bound address, for the client. */
  readonly url: string
  readonly operator: { readonly url: string; readonly token: string | null }
  /** Address for deliveries; null without one. */
  readonly webhooksUrl: string | null
  readonly target: string
  /** Whether other machines may reach it. */
  readonly isOpenToNetwork: boolean
  close(): Promise<void>
}

/** An option that cannot be used; `option` is its name. */
export class ProxyOptionError extends Error {
  override name = 'ProxyOptionError'
  readonly option: keyof ProxyServerOptions

  constructor(option: keyof ProxyServerOptions, message: string) {
    super(message)
    this.option = option
  }
}

/**
 * Starts a proxy in front of a target: the composition root, where options become a pass-through, a judge and an operator app.
 * The judge writes into one world of its own, which has the credentials of the target and no inventory.
 *
 * @throws ProxyOptionError; OperatorTokenError; an `EADDRINUSE` error where a port is taken.
 * @example const proxy = await startProxy({ target: 'https://staging.example.test', credentials, port: 0, operatorPort: 0 })
 */
export async function startProxy(
  chosen: Partial<ProxyServerOptions> & Pick<ProxyServerOptions, 'target' | 'credentials'>,
): Promise<RunningProxy> {
  const options: ProxyServerOptions = { ...PROXY_DEFAULTS, ...chosen }
  const { host, wall, webhooks, keepBytes, silentMs } = options
  const target = originOf('target', options.target)
  refuseLive(options)
  refuseOddKeys(options)
  refuseOddCertificates(options)
  const token = operatorTokenFor({ host, given: options.operatorToken, hasPort: true })
  // Known once the ports are bound, and no call can ask for them earlier.
  let url = ''
  let operatorUrl = ''
  const worlds = new Worlds({
    dataDir: null,
    wall,
    rules: RULES,
    hooks: NO_DEFECT_HOOKS,
    publicUrl: () => url,
    operatorToken: token,
    first: { seed: 'proxy', inventory: 0, clockMs: null, frozen: false, rateLimit: null, given: options.credentials },
    firstKeys: randomKeys,
  })
  const activity = options.onActivity && reportActivity(options.onActivity, worlds, wall)
  if (activity) worlds.watchAll(activity.report)
  const open: { close(): Promise<void> }[] = []
  const close = async () => {
    activity?.end()
    await Promise.all(open.map((server) => server.close()))
    worlds.close()
  }
  const passing = { ...options, keepBytes, silentMs, wall }
  const judge = createJudge({
    worlds,
    wall,
    dialect: options.dialect,
    recordHeaders: options.recordHeaders.map((name) => name.toLowerCase()),
  })
  const deliveries = createDeliveryJudge({ worlds, secret: webhooks?.secret ?? null })
  try {
    const onFinished = warning((passed: PassedCall) => {
      deliveries.learn(passed)
      judge(passed)
    })
    const refusal = createPageGuard({ host, target })
    url = await listen(createPassThrough({ ...passing, target, refusal, onFinished }), options.port, host, open)
    const webhooksUrl = webhooks && (await openWebhooks(webhooks))
    const app = createOperatorApp({
      worlds,
      wall,
      host,
      token,
      proxy: { target: target.origin },
      apiUrl: () => url,
      version: packageVersion(),
      command: (words) => commandLine(options, words, operatorUrl),
      consoleFolder: CONSOLE_FOLDER,
      newWorldDefaults: { seed: 'proxy', inventory: 0, rateLimit: null, gaps: {} },
    })
    open.push({ close: () => app.close() })
    await app.listen({ port: options.operatorPort, host })
    operatorUrl = boundUrlOf(app.server, host)
    refuseItself('target', options.target, [url, operatorUrl])
    if (webhooksUrl) refuseItself('webhooks', webhooks.receiver, [webhooksUrl])
    const operator = { url: operatorUrl, token }
    return { url, operator, webhooksUrl, target: target.origin, isOpenToNetwork: !isLoopbackHost(host), close }
  } catch (error) {
    await close()
    throw error
  }

  function openWebhooks({ port, receiver }: WebhookForwarding): Promise<string> {
    // Deliveries come through tunnels of any name.
    const toReceiver = { ...passing, ca: null, target: originOf('webhooks', receiver), refusal: () => null }
    return listen(createPassThrough({ ...toReceiver, onFinished: warning(deliveries.judge) }), port, host, open)
  }
}

/** Nothing else listens on the ports of the proxy once it has bound them. */
function refuseItself(option: 'target' | 'webhooks', address: string, own: readonly string[]): void {
  const target = new URL(address)
  const isIt = own
    .map((url) => new URL(url))
    .some((url) => {
      const hosts = [url.hostname, target.hostname]
      const isLocal = hosts.includes('localhost') && hosts.every(isLoopbackHost)
      return portOf(url) === portOf(target) && (url.hostname === target.hostname || isLocal)
    })
  if (isIt) throw new ProxyOptionError(option, `${address} is an address of this proxy itself`)
}

/** A URL leaves out the port that its scheme has anyway. */
function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80')
}

/** @throws ProxyOptionError for an address with a path, which no signature would cover rightly. */
function originOf(option: 'target' | 'webhooks', address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ProxyOptionError(option, `must be an http or https URL, not ${JSON.stringify(address)}`)
  }
  if (url.username !== '' || url.password !== '')
    throw new ProxyOptionError(option, 'must be an address without user and password; headers pass unchanged')
  if (url.pathname !== '/' || url.search !== '') {
    throw new ProxyOptionError(option, `must be an address without a path, such as ${url.origin}; paths pass unchanged`)
  }
  return url
}

const CERTIFICATE = /-----BEGIN [\w ]*CERTIFICATE-----.*?-----END [\w ]*CERTIFICATE-----/gs

/** Node says nothing of a text without certificates, nor of one that it cannot read. */
function refuseOddCertificates({ ca }: ProxyServerOptions): void {
  if (ca === null) return
  const certificates = ca.match(CERTIFICATE) ?? []
  if (certificates.length === 0) throw new ProxyOptionError('ca', 'no certificate in PEM is in it')
  certificates.forEach((text, at) => {
    try {
      new X509Certificate(text)
    } catch {
      throw new ProxyOptionError('ca', `certificate ${at + 1} of ${certificates.length} cannot be read`)
    }
  })
}

/** The world of the proxy has credentials of the documented forms (CRED-01). */
function refuseOddKeys({ credentials }: ProxyServerOptions): void {
  for (const { name, keyId, secret } of credentials) {
    if (keyId.startsWith('pk_') && secret.startsWith('sk_')) continue
    throw new ProxyOptionError('credentials', `the key id of ${name} has to begin with pk_, and its secret with sk_`)
  }
}

/** The word, however it is set off: `pk_live_1`, `PK-LIVE-1`; not `delivery`. */
const LIVE = /(?:^|[^a-z])live(?:[^a-z]|$)/i

function refuseLive({ credentials, live }: ProxyServerOptions): void {
  const found = credentials.find(({ keyId, secret }) => LIVE.test(keyId) || /^sk[^a-z0-9]live/i.test(secret))
  if (live || found === undefined) return
  throw new ProxyOptionError('live', `${found.keyId} is a live key; pass --live if its calls may go through the proxy`)
}

async function listen(server: Server, port: number, host: string, open: { close(): Promise<void> }[]): Promise<string> {
  open.push({
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  })
  server.listen(port, host)
  await once(server, 'listening')
  return boundUrlOf(server, host)
}
