import type { FastifyInstance } from 'fastify'
import { type WallClock, wallClock } from './clock/wall-clock.ts'
import { changedGaps, type GapChoices, variedGaps } from './contract/choices.ts'
import { isLoopback, isLoopbackHost } from './contract/host.ts'
import type { Shard } from './contract/ids.ts'
import { LIMITS } from './contract/limits.ts'
import { RULES, type Rules } from './contract/rules.ts'
import { PROGRAM } from './contract/shell-quote.ts'
import type { Activity } from './operator/activity.ts'
import { commandLine, hintGiver } from './operator/hints.ts'
import { operatorTokenFor } from './operator/operator-token.ts'
import { CONSOLE_FOLDER, packageVersion } from './package-files.ts'
import { NO_DEFECT_HOOKS } from './sandbox/app/defect-hooks.ts'
import { createPartnerApp } from './sandbox/app/server.ts'
import {
  fixedLoopbackKeys,
  type HandedCredential,
  handedCredentials,
  hasFixedSecret,
  randomKeys,
} from './sandbox/kernel/credentials.ts'
import type { World } from './sandbox/kernel/world.ts'
import { createOutbound } from './sandbox/webhooks/address-policy.ts'
import { boundUrlOf } from './sandbox/wire/loopback.ts'
import { Worlds } from './sandbox/worlds/worlds.ts'
import type { ServerOptions } from './server-options.ts'

export type { Activity, HandedCredential, ServerOptions }

export const SERVER_DEFAULTS: ServerOptions = {
  port: 4600,
  operatorPort: 4601,
  host: '127.0.0.1',
  publicUrl: null,
  shard: null,
  operatorToken: null,
  dataDir: null,
  seed: 'sandbox',
  inventory: 500,
  clockMs: null,
  frozen: false,
  rateLimit: LIMITS.rateLimit,
  gaps: {},
  vary: null,
  webhookHosts: null,
  hints: false,
  strict: false,
  program: PROGRAM,
  defect: null,
  wall: wallClock,
  onProgress: undefined,
  onActivity: undefined,
}

export interface RunningServer {
  /** The bound address of the partner API. */
  url: string
  operator: { url: string; token: string | null } | null
  /** Whether it listens where others than this machine may reach it. */
  isOpenToNetwork: boolean
  world: string
  /** Whether the data directory held that world already: options for new worlds then count for others alone. */
  isReopened: boolean
  /** How many worlds there are at the start. */
  worlds: number
  /** The time of the default world at the start. */
  worldTimeMs: number
  shard: Shard
  seed: string
  /** How many listings the default world was made with. */
  inventory: number
  /** Choices of its default world that differ from the default. */
  gaps: Partial<GapChoices>
  credentials: HandedCredential[]
  /** Of a server that others may call: credentials with secrets that every sandbox on loopback has, by world. */
  publicSecrets: { world: string; names: string[] }[]
  /** Worlds of the data directory that cannot be used, and why. */
  problems: { world: string; problem: string }[]
  /** Finishes what is under way, closes both ports and the databases. */
  close(): Promise<void>
}

/** Rules of a sandbox that only its own runner uses. What differs from the document, its report says. */
export interface OwnRules {
  /** How long an attempt to deliver a webhook may take. */
  webhookDeadlineMs?: number
}

/**
 * Starts a sandbox: the composition root, where options become worlds, a partner app and an operator app.
 *
 * @throws StorageError where the data directory cannot be used; WebhookHostsError; OperatorTokenError; an `EADDRINUSE` error where a port is taken.
 * @example const sandbox = await startServer({ port: 0, operatorPort: 0 })
 */
export async function startServer(chosen: Partial<ServerOptions> = {}, own: OwnRules = {}): Promise<RunningServer> {
  const asked = { ...SERVER_DEFAULTS, ...chosen }
  const options = { ...asked, gaps: { ...(asked.vary !== null && variedGaps(asked.vary)), ...asked.gaps } }
  const { rules, hooks } = await brokenBy(options.defect)
  const loopback = isLoopbackHost(options.host)
  const token = operatorTokenFor({
    host: options.host,
    given: options.operatorToken,
    hasPort: options.operatorPort !== null,
  })
  // Known once the port is bound, and no call can ask for it earlier.
  let boundUrl = ''
  let operatorUrl: string | null = null
  const outbound = createOutbound({
    // Off loopback, any caller with a key could send requests to what listens on this machine alone.
    hosts: options.webhookHosts ?? (loopback ? 'loopback' : 'public'),
    isOpen: false,
  })
  const worlds = new Worlds({
    dataDir: options.dataDir,
    wall: options.wall,
    rules: withOwn(rules, own),
    hooks,
    publicUrl: () => options.publicUrl ?? boundUrl,
    outbound,
    shard: options.shard,
    operatorToken: token,
    first: { ...options, hints: options.hints && !options.strict },
    firstKeys: isForOthers(options) ? randomKeys : fixedLoopbackKeys,
  })
  const opened: FastifyInstance[] = []
  const activity = options.onActivity && (await activityReporter(options.onActivity, worlds, options.wall))
  const close = async () => {
    activity?.end()
    worlds.stopMaking()
    const deliverers = worlds.list().map(({ deliverer }) => deliverer.stop())
    await Promise.all([...opened.map((app) => app.close()), ...deliverers])
    worlds.close()
  }
  try {
    if (activity) worlds.watchAll(activity.report)
    const command = (words: string) => operatorUrl && commandLine(options, words, operatorUrl)
    const hints = options.strict ? null : hintGiver({ worlds, wall: options.wall, command })
    boundUrl = await listen(createPartnerApp(worlds, options.wall, hints), options.port, options.host, opened)
    // A client that was led to one shard by its world finds all of them under the common address only.
    const url = options.shard === null ? boundUrl : (options.publicUrl ?? boundUrl)
    const operator =
      options.operatorPort === null ? null : await startOperator({ ...options, token, url }, worlds, opened)
    operatorUrl = operator?.url ?? null
    outbound.policy.operatorPort = operator && Number(new URL(operator.url).port || 80)
    outbound.isOpen = true
    for (const { deliverer } of worlds.list()) deliverer.wake()
    const { main } = worlds
    return {
      url: boundUrl,
      operator,
      isOpenToNetwork: !loopback,
      world: main.name,
      isReopened: worlds.isMainReopened,
      worlds: worlds.list().length,
      worldTimeMs: main.clock.nowMs(),
      shard: options.shard,
      seed: main.chance.seed,
      inventory: main.settings.inventory,
      gaps: changedGaps(main.gaps),
      credentials: handedCredentials(main),
      publicSecrets: isForOthers(options) ? worlds.list().flatMap(withPublicSecrets) : [],
      problems: [...worlds.unusable].map(([world, problem]) => ({ world, problem })),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Loads the modules that a start does not wait for, all of them before they are needed. Node remembers an import that failed,
 * so without this a server that has once run out of file descriptors would miss the module until it is started again.
 */
export async function loadLazyModules(): Promise<void> {
  await Promise.all([
    import('./sandbox/app/page-handlers.ts'),
    import('./operator/explain-refusal.ts'),
    import('./operator/present-logged-call.ts'),
    import('./sandbox/coverage/report.ts'),
    import('./sandbox/coverage/sheet-page.tsx'),
  ])
}

async function startOperator(
  options: ServerOptions & { token: string | null; url: string },
  worlds: Worlds,
  opened: FastifyInstance[],
): Promise<{ url: string; token: string | null }> {
  const { createOperatorApp } = await import('./operator/app.ts')
  let url = ''
  const app = createOperatorApp({
    worlds,
    wall: options.wall,
    host: options.host,
    token: options.token,
    apiUrl: () => options.url,
    version: packageVersion(),
    command: (words) => commandLine(options, words, url),
    consoleFolder: CONSOLE_FOLDER,
    newWorldDefaults: {
      seed: options.seed,
      inventory: options.inventory,
      rateLimit: options.rateLimit,
      gaps: options.gaps,
    },
  })
  url = await listen(app, options.operatorPort as number, options.host, opened)
  return { url, token: options.token }
}

async function activityReporter(onActivity: (activity: Activity) => void, worlds: Worlds, wall: WallClock) {
  const { reportActivity } = await import('./operator/report-activity.ts')
  return reportActivity(onActivity, worlds, wall)
}

/** The correct rules, or those of a defect; its module is loaded only when one is asked for. */
async function brokenBy(defect: string | null) {
  if (defect === null) return { rules: RULES, hooks: NO_DEFECT_HOOKS }
  const { brokenRules } = await import('./proof/defects/index.ts')
  return brokenRules(defect)
}

function withOwn(rules: Rules, { webhookDeadlineMs }: OwnRules): Rules {
  if (webhookDeadlineMs === undefined) return rules
  return { ...rules, webhooks: { ...rules.webhooks, deadlineMs: webhookDeadlineMs } }
}

async function listen(app: FastifyInstance, port: number, host: string, opened: FastifyInstance[]): Promise<string> {
  opened.push(app)
  await app.listen({ port, host })
  return boundUrlOf(app.server, host)
}

function withPublicSecrets(world: World): RunningServer['publicSecrets'] {
  const names = [...world.credentials.values()].filter(hasFixedSecret).map(({ name }) => name)
  return names.length === 0 ? [] : [{ world: world.name, names }]
}

/** Whether others than this machine are meant to call: its own network, or a proxy that serves them. */
function isForOthers({ host, publicUrl, shard }: ServerOptions): boolean {
  return !isLoopbackHost(host) || shard !== null || (publicUrl !== null && !isLoopback(publicUrl))
}
