import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { ProxyServerOptions } from '../../proxy/start-proxy.ts'
import { refuseUnreadable } from '../files.ts'
import { bearerToken, httpAddress, integerBetween, nonEmpty, OPERATOR_TOKEN, port } from '../option-parsers.ts'
import { CliError, type Session, startupError } from '../session.ts'

interface ProxyCommandOptions {
  target?: string
  keyId?: string
  secretEnv?: string
  port: number
  operatorPort: number
  host: string
  operatorToken?: string
  ca?: string
  keepHost?: boolean
  keep: number
  recordHeaders?: string
  webhooks?: number
  receiver?: string
  live?: boolean
  readyJson?: boolean
  quiet?: boolean
}

const MOST_KEPT = 16 * 1024 * 1024

const examples = (program: string) => `
Examples: PARTNER_SECRET=sk_test_... ${program} proxy https://staging.example.test --key-id pk_test_...
          ${program} proxy --target staging.yaml`

export function configure(command: Command, session: Session): void {
  command
    .argument('[url]', 'address of the server to call, without a path')
    .option('--target <file>', 'target file of the runner: address, credentials and names', nonEmpty)
    .option('--key-id <id>', 'key id that your client signs with', nonEmpty)
    .option('--secret-env <name>', 'environment variable with its secret (default: PARTNER_SECRET)', nonEmpty)
    .option('--port <n>', 'port for your client; 0 picks a free one', port, 4610)
    .option('--operator-port <n>', 'port of the operator API; 0 picks a free one', port, 4611)
    .option('--host <address>', 'address to listen on', nonEmpty, '127.0.0.1')
    .option(...OPERATOR_TOKEN, bearerToken)
    .option('--ca <file>', 'certificates in PEM to trust as well', nonEmpty)
    .option('--keep-host', 'pass on the Host header of your client')
    .option('--keep <bytes>', 'how much of each body the log keeps', integerBetween(0, MOST_KEPT), 1024 * 1024)
    .option('--record-headers <names>', 'headers to log besides the harmless ones; commas between them', nonEmpty)
    .option('--webhooks <port>', 'port for deliveries, which go on to --receiver', port)
    .option('--receiver <url>', 'address of your own webhook receiver, without a path', httpAddress)
    .option('--live', 'allow a live key')
    .option('--quiet', 'do not print calls')
    .option('--ready-json', 'print one JSON line when ready, then only errors')
    .addHelpText('after', examples(session.program))
    .action((url: string | undefined, options: ProxyCommandOptions) => proxy(url, options, session))
}

async function proxy(url: string | undefined, options: ProxyCommandOptions, session: Session): Promise<void> {
  const known = await knownTarget(url, options, session)
  // Loaded here, so that --help waits for neither.
  const [{ startProxy }, { activityLine, proxyBanner }] = await Promise.all([
    import('../../proxy/start-proxy.ts'),
    import('../output/serve.ts'),
  ])
  const isQuiet = options.quiet || options.readyJson
  let operatorUrl: string | null = null
  const running = await startProxy({
    ...known,
    ...proxyOptions(options, session),
    onActivity: isQuiet ? undefined : (notice) => session.err(activityLine(notice, session, operatorUrl)),
  }).catch((error: unknown) => {
    throw startupError(error, options, { ...FLAGS_OF_ERRORS, ca: `--ca ${options.ca}` })
  })
  operatorUrl = running.operator.url
  const interrupted = session.interrupted()
  const { target, operator, webhooksUrl: webhooks } = running
  session.out(
    options.readyJson
      ? `${JSON.stringify({ url: running.url, operator, target, webhooks })}\n`
      : proxyBanner(running, session),
  )
  if (!interrupted.aborted) await once(interrupted, 'abort')
  await running.close()
}

/** The target and its credentials, by flags or from a target file. */
async function knownTarget(
  url: string | undefined,
  { target: file, keyId, secretEnv }: ProxyCommandOptions,
  session: Session,
): Promise<Pick<ProxyServerOptions, 'target' | 'credentials' | 'dialect'>> {
  const { namedKey, readTarget } = await import('../run/target.ts')
  if (file !== undefined) {
    if ((url ?? keyId ?? secretEnv) !== undefined)
      throw new CliError('--target names address and credentials; give no URL, --key-id or --secret-env with it')
    const { url: target, credentials, dialect } = readTarget(file, session)
    return { target, credentials, dialect }
  }
  if (url === undefined) throw new CliError('name a target: a URL with --key-id, or --target FILE')
  const main = { name: 'main', ...namedKey({ keyId, secretEnv }, session), scopes: null, partner: 'main' }
  return { target: url, credentials: [main], dialect: null }
}

function proxyOptions(options: ProxyCommandOptions, { env, wall }: Session) {
  const { port, operatorPort, host, operatorToken = null, ca, webhooks, receiver } = options
  if (ca !== undefined) refuseUnreadable(ca, '--ca')
  if ((webhooks === undefined) !== (receiver === undefined))
    throw new CliError('give --webhooks and --receiver together')
  return {
    port,
    operatorPort,
    host: host.toLowerCase(),
    operatorToken,
    wall,
    ca: ca === undefined ? null : readFileSync(ca, 'utf8'),
    keepHost: options.keepHost ?? false,
    keepBytes: options.keep,
    live: options.live ?? false,
    recordHeaders: (options.recordHeaders ?? '').split(',').flatMap((name) => name.trim() || []),
    webhooks:
      webhooks === undefined || receiver === undefined
        ? null
        : { port: webhooks, receiver, secret: env['PARTNER_WEBHOOK_SECRET'] || null },
  }
}

const FLAGS_OF_ERRORS = {
  OperatorTokenError: '--operator-token',
  target: 'the URL of the target',
  webhooks: '--receiver',
  live: '--key-id',
  credentials: 'the credentials of the target',
}
