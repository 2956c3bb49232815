import { once } from 'node:events'
import { TargetError } from '../../conformance/engine/run-options.ts'
import { isOpen } from '../../conformance/result/open.ts'
import { loadTarget, type TargetFlags, targetFromFlags } from '../../conformance/target/load-target.ts'
import { liveCredential, type Target } from '../../conformance/target/target.ts'
import { API_ROOT } from '../../contract/endpoints/endpoint.ts'
import { PROGRAM, shellQuote } from '../../contract/shell-quote.ts'
import { IS_BUNDLED } from '../../package-files.ts'
import { ownTarget, withMoreKeys } from '../../proof/self-test/own-target.ts'
import type { OwnRules, RunningServer, ServerOptions } from '../../server.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { refuseUnreadable } from '../files.ts'
import { withOperator } from '../operator/operator-command.ts'
import { givenFlag, typedAgain } from '../option-parsers.ts'
import { filesWithProblems } from '../output/problem-lines.ts'
import { CliError, type Session } from '../session.ts'
import { DEFAULT_VARIABLE, neededSecret, refuseSecretAsKeyId } from '../signing/signer.ts'

/** How a target is named on the command line: by a file, by flags, or as a sandbox of our own. */
export interface TargetOptions {
  target?: string
  self?: boolean
  keyId?: string
  secretEnv?: string
  mode?: Target['mode']
  operatorUrl?: string
  world?: string
  budget?: Partial<Target['budget']>
  liveWrites?: number
  iAcceptOrders?: boolean
}

/** A target to run against, with what has to be closed afterwards. */
export interface OpenedTarget {
  target: Target
  /** The command that runs against it again, ready to be pasted. */
  invocation: string
  /** It is a sandbox of our own, gone after the run. */
  own: boolean
  close(): Promise<void>
}

/** The target that the command line names, and how to open it: a sandbox of our own is started only then. */
export function namedTarget(
  url: string | undefined,
  options: TargetOptions,
  session: Session,
): () => Promise<OpenedTarget> {
  const named = [url, options.target, options.self].filter((way) => way !== undefined).length
  if (named === 0) throw new CliError('name a target: a URL with --key-id, or --target FILE, or --self')
  const taken = url === undefined ? '' : `"${url}" is taken as the URL; `
  if (named > 1) throw new CliError(`${taken}the URL, --target and --self each name a target; give one of them`)
  const given = url === undefined ? givenFlag(options, FLAGS_OF_A_URL) : undefined
  if (given !== undefined) {
    const ofLiveKey = given === givenFlag(options, LIVE_FLAGS)
    const instead = ofLiveKey ? 'with a target file, a live key only reads' : 'write it into the target file'
    throw new CliError(`${given} goes with a URL; ${options.self ? '--self needs none' : instead}`)
  }
  if (options.self)
    return async () => {
      const server = IS_BUNDLED
        ? await serverInThread()
        : await (await import('../../server.ts')).startServer({ ...OWN_SERVER, wall: session.wall }, OWN_RULES)
      // Everything that it is willing to hand out.
      const own = await withMoreKeys(ownTarget(server)).catch(async (error) => {
        // Else its thread would keep the process alive.
        await server.close()
        throw error
      })
      const target = { ...own, ...OWN_RULES }
      return { target, invocation: `${PROGRAM} conform --self`, own: true, close: () => server.close() }
    }
  const opened = url === undefined ? fromFile(options.target ?? '', session) : fromFlags(url, options, session)
  return async () => opened
}

const LIVE_FLAGS = ['liveWrites', 'iAcceptOrders'] as const
const FLAGS_OF_A_URL = ['keyId', 'secretEnv', 'mode', 'operatorUrl', 'world', 'budget', ...LIVE_FLAGS] as const

function fromFile(file: string, session: Session): OpenedTarget {
  return foreign(readTarget(file, session), `--target ${shellQuote(file)}`)
}

function foreign(target: Target, words: string): OpenedTarget {
  return { target, invocation: `${PROGRAM} conform ${words}`, own: false, close: async () => undefined }
}

function fromFlags(url: string, options: TargetOptions, session: Session): OpenedTarget {
  const key = namedKey(options, session)
  refuseIdleFlags(options)
  const { mode, liveWrites } = options
  const operatorToken = session.env['PARTNER_SANDBOX_OPERATOR_TOKEN']
  const target = targetOfFlags({ ...options, ...key, url, ...(operatorToken && { operatorToken }) })
  if (liveCredential(target) && mode !== undefined && mode !== 'read' && liveWrites === undefined) {
    throw new CliError(
      '--mode: a live key may only read, unless --live-writes N and --i-accept-orders are given together',
    )
  }
  return foreign(target, wordsAgain(url, options))
}

/** The credential that flags name. @throws CliError */
export function namedKey(
  { keyId, secretEnv }: { keyId?: string | undefined; secretEnv?: string | undefined },
  { env }: Session,
): { keyId: string; secret: string } {
  if (keyId === undefined) throw new CliError('--key-id is missing: the key id of the credential to sign with')
  refuseSecretAsKeyId(keyId)
  const secret = neededSecret(secretEnv, env)
  // A secret that was pasted with what stood around it is refused by every target, which cannot say why.
  if (/^[\s"']|[\s"']$/.test(secret))
    throw new CliError(
      `${secretEnv ?? DEFAULT_VARIABLE} begins or ends with white space or a quote; a secret has neither`,
    )
  return { keyId, secret }
}

/** What would be without effect was meant otherwise. */
function refuseIdleFlags({ operatorUrl, world, mode, liveWrites, iAcceptOrders }: TargetOptions): void {
  if (world !== undefined && operatorUrl === undefined)
    throw new CliError('--world needs --operator-url: it is the world of that operator')
  if (operatorUrl !== undefined && (mode === undefined || mode === 'read'))
    throw new CliError('--operator-url needs --mode operator')
  // Real money is spent only by who has said so twice.
  if ((liveWrites !== undefined) !== (iAcceptOrders === true))
    throw new CliError('give --live-writes N and --i-accept-orders together')
}

/**
 * @param flag the option that named the file.
 * @throws CliError if the file cannot be read; FilesWithProblems if it does not describe a target.
 */
export function readTarget(file: string, session: Session, flag = '--target'): Target {
  refuseUnreadable(file, flag)
  const { target, problems } = loadTarget(file, session.env)
  if (!target) throw filesWithProblems(problems)
  return target
}

/** @throws CliError where the URL cannot be that of a target. */
export function targetOfFlags(flags: TargetFlags): Target {
  try {
    return targetFromFlags(flags)
  } catch (error) {
    const hint = /\.ya?ml$/.test(flags.url) ? '; a target file is named with --target' : ''
    if (error instanceof RangeError) throw new CliError(`the URL of the target: ${error.message}${hint}`)
    throw error
  }
}

/** What the run may spend is said again, what it may cost in money is not. */
function wordsAgain(url: string, { keyId, secretEnv, mode, operatorUrl, world, budget }: TargetOptions): string {
  const { perSecond, ...counts } = budget ?? {}
  const limits = Object.entries({ ...counts, per_second: perSecond }).filter(([, limit]) => limit !== undefined)
  const spends = limits.map(([name, limit]) => `${name}=${limit}`).join(',') || undefined
  return shellQuote(url) + typedAgain({ keyId, secretEnv, mode, operatorUrl, world, budget: spends })
}

/** On free ports, in memory. The run is quick enough to meet a rate limit, and would have to wait for nothing. */
const OWN_SERVER = { port: 0, operatorPort: 0, rateLimit: null } as const satisfies Partial<ServerOptions>

/** A run would wait for seconds to see that a delivery takes too long. */
const OWN_RULES = { webhookDeadlineMs: 2_000 } as const satisfies OwnRules

async function serverInThread(): Promise<RunningServer> {
  const { Worker } = await import('node:worker_threads')
  const workerData = { options: OWN_SERVER, rules: OWN_RULES }
  const worker = new Worker(new URL('./own-server-thread.js', import.meta.url), { workerData })
  const [facts] = (await once(worker, 'message')) as [Omit<RunningServer, 'close'>]
  return {
    ...facts,
    async close() {
      const gone = once(worker, 'exit')
      worker.postMessage('close')
      await gone
    },
  }
}

/** Takes the world of a sandbox of our own back to its start; its keys stay. */
export async function renewWorld({ operator }: Target): Promise<void> {
  if (!operator?.url) throw new Error('a sandbox of our own has an operator')
  const { url, token, world } = operator
  await withOperator({ url, token }, (client) => client.call('worlds.reset', { w: world }))
}

/** What kept the run from judging anything, as an error of the command line. */
export function inOneLine(
  error: unknown,
  { told }: Target,
  { secretEnv = DEFAULT_VARIABLE }: Pick<TargetOptions, 'secretEnv'>,
  { program }: Session,
): unknown {
  // A run puts this into its report; what reads before a run has none.
  if (isOpen(error, 'not_run'))
    return new CliError(`the target cannot be read now: ${error.message}`, EXIT_CODES.unreachable)
  if (!(error instanceof TargetError)) return error
  const { kind, message } = error
  const isInFile = told === 'in a file'
  if (kind === 'unreachable')
    return new CliError(`${message}; check the address, and that the target is running`, EXIT_CODES.unreachable)
  if (kind === 'address')
    return new CliError(
      `${message}, so nothing was judged; is this the address of the API (scheme, host and port; ${API_ROOT} is added)?`,
    )
  if (kind === 'credential') {
    const where = isInFile ? 'the credential main of the target file' : `--key-id and ${secretEnv}`
    return new CliError(`${message}. Check ${where}; "${program} sign" shows the string that a call signs`)
  }
  const [address, world] = isInFile ? ['operator.url', 'operator.world'] : ['--operator-url', '--world']
  if (kind === 'no-operator') return new CliError(`${message}; check ${address}`, EXIT_CODES.unreachable)
  return new CliError(`${message}; check ${address}, ${world} and the operator token`)
}
