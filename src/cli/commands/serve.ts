import { once } from 'node:events'
import { type Command, Option } from 'commander'
import { DEFAULT_GAPS, GAP_IDS, type GapChoices, variedGaps } from '../../contract/choices.ts'
import { PROGRAM } from '../../contract/shell-quote.ts'
import { firstFew } from '../../contract/words.ts'
import type { RunningServer, ServerOptions } from '../../server.ts'
import {
  bearerToken,
  httpAddress,
  instantMs,
  integerBetween,
  nonEmpty,
  OPERATOR_TOKEN,
  port,
  rateLimit,
  shardLabel,
} from '../option-parsers.ts'
import { type Session, startupError } from '../session.ts'

/** Some flags are called as the options of the server are. */
interface ServeOptions
  extends Partial<
    Pick<
      ServerOptions,
      'publicUrl' | 'shard' | 'operatorToken' | 'frozen' | 'vary' | 'webhookHosts' | 'strict' | 'defect'
    >
  > {
  port: number
  operatorPort: number
  host: string
  operator: boolean
  data?: string
  seed: string
  inventory: number
  clock?: number
  rateLimit: NonNullable<ServerOptions['rateLimit']> | 'off'
  gaps?: string
  readyJson?: boolean
  quiet?: boolean
}

export function configure(command: Command, session: Session): void {
  command
    .option('--port <n>', 'port of the partner API; 0 picks a free one', port, 4600)
    .option('--operator-port <n>', 'port of the operator API; 0 picks a free one', port, 4601)
    .option('--host <address>', 'address to listen on', nonEmpty, '127.0.0.1')
    .option('--public-url <url>', 'address to use in links to its pages (default: the bound one)', httpAddress)
    .option(
      '--shard <label>',
      'label of this server among several behind one address, in its key ids, world names and page addresses (env: PARTNER_SANDBOX_SHARD)',
      shardLabel,
    )
    .option('--no-operator', 'do not open the operator port')
    .option(...OPERATOR_TOKEN, bearerToken)
    .option('--data <dir>', 'keep one database file per world in this folder (default: in memory)', nonEmpty)
    .option('--seed <text>', 'seed of all generated data', nonEmpty, 'sandbox')
    .option('--inventory <n>', 'number of generated listings', integerBetween(0, 10_000_000), 500)
    .option('--clock <iso>', "start time of the default world's clock (default: now)", instantMs)
    .option('--frozen', "stop the default world's clock until you move it")
    .addOption(
      new Option('--rate-limit <calls/seconds>', 'limit per credential, or "off"')
        .argParser(rateLimit)
        .default({ requests: 1000, seconds: 10 }, '1000/10'),
    )
    .option('--gaps <file>', 'choices for open points: a YAML or JSON file of ids and values (see gap list)', nonEmpty)
    .option('--vary <seed>', 'draw the other open points at random from this seed', nonEmpty)
    .option(
      '--webhook-hosts <list>',
      'where webhooks may be sent: loopback, private, public, any, host names, addresses, networks; commas between them (default: loopback, or public if --host is not)',
      nonEmpty,
    )
    .option('--strict', 'answer refused calls as the API document says, without `hint`')
    .option('--defect <id>', 'start with a known defect (see selftest --list)')
    .option('--quiet', 'do not print calls and deliveries')
    .option('--ready-json', 'print one JSON line when ready, then only errors')
    .action((options: ServeOptions) => {
      return serve(options, session, (name) => command.getOptionValueSource(name))
    })
}

/** @param sourceOf where the value of an option came from, as commander names it. */
async function serve(options: ServeOptions, session: Session, sourceOf: (name: string) => unknown): Promise<void> {
  // Loaded here, so that --help waits for neither.
  const [{ startServer, loadLazyModules }, { activityLine, banner, generationProgress, readyLine }] = await Promise.all(
    [import('../../server.ts'), import('../output/serve.ts')],
  )
  const progress = generationProgress(session)
  const gaps = options.gaps === undefined ? {} : (await import('../operator/gaps-file.ts')).readGapsFile(options.gaps)
  const isQuiet = options.quiet || options.readyJson
  let operatorUrl: string | null = null
  const server = await startServer({
    ...serverOptions(options, session),
    gaps,
    onProgress: progress.show,
    onActivity: isQuiet ? undefined : (notice) => session.err(activityLine(notice, session, operatorUrl)),
  }).catch((error: unknown) => {
    throw startupError(error, options, FLAGS_OF_ERRORS)
  })
  operatorUrl = server.operator?.url ?? null
  const interrupted = session.interrupted() // Not earlier: making a large inventory must yield to the first Ctrl-C.
  progress.finish()
  for (const { world, problem } of server.problems) {
    session.err(`warning: ${options.data}/${world}.sqlite cannot be used and stays as it is: ${problem}\n`)
    if (world === server.world)
      session.err(
        `warning: the world ${world} starts empty, and in memory only; move its file away to have a new one kept\n`,
      )
  }
  // A clock has gone on since, so that none is the one that a file wants for new worlds.
  const refused = [
    ...(['seed', 'inventory'] as const).filter(
      (name) => sourceOf(name) !== 'default' && server[name] !== options[name],
    ),
    ...['clock', 'frozen'].filter((name) => sourceOf(name) === 'cli'),
  ].map((name) => `--${name}`)
  if (server.isReopened && refused.length > 0) {
    const areFor = refused.length === 1 ? 'is for new worlds' : 'are for new worlds'
    session.err(`note: ${options.data} already holds this world; ${refused.join(', ')} ${areFor}\n`)
  }
  for (const { world, names } of server.publicSecrets) {
    session.err(
      `warning: the world ${world} has secrets that everyone knows, those of a sandbox on loopback: ${firstFew(names, 3).join(', ')}. Give each a new one with "credential rotate", or start with another --data folder\n`,
    )
  }
  if (!hasWhatWasChosen({ ...(options.vary && variedGaps(options.vary)), ...gaps }, server)) {
    session.err(
      `note: ${options.data} already holds this world, with its choices; --gaps and --vary are for new worlds\n`,
    )
  }
  session.out(options.readyJson ? readyLine(server) : banner(server, session, options))
  await loadLazyModules().catch(({ message }: Error) => {
    session.err(`warning: not all parts of the sandbox can be used: ${message}\n`)
  })
  if (!interrupted.aborted) await once(interrupted, 'abort')
  await server.close()
}

/** Whether the default world has the choices that were asked for; one from a file has its own. */
function hasWhatWasChosen(wanted: Partial<GapChoices>, { gaps }: RunningServer): boolean {
  const had: Partial<GapChoices> = gaps
  return GAP_IDS.every((id) => wanted[id] === undefined || wanted[id] === (had[id] ?? DEFAULT_GAPS[id]))
}

function serverOptions(options: ServeOptions, { wall }: Session): Partial<ServerOptions> {
  const {
    operator,
    operatorPort,
    data,
    clock,
    rateLimit,
    gaps: _file,
    readyJson: _ready,
    quiet: _quiet,
    ...same
  } = options
  return {
    ...same,
    operatorPort: operator ? operatorPort : null,
    host: options.host.toLowerCase(),
    dataDir: data ?? null,
    clockMs: clock ?? null,
    rateLimit: rateLimit === 'off' ? null : rateLimit,
    hints: true,
    program: PROGRAM,
    wall,
  }
}

const FLAGS_OF_ERRORS: Readonly<Record<string, string>> = {
  StorageError: '--data',
  OperatorTokenError: '--operator-token',
  WebhookHostsError: '--webhook-hosts',
  UnknownDefectError: '--defect',
}
