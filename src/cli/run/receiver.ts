import { parseDuration } from '../../clock/duration.ts'
import { TargetError } from '../../conformance/engine/run-options.ts'
import { selects } from '../../conformance/engine/schedule.ts'
import { loadRequirements, type RequirementRegistry } from '../../conformance/format/requirements.ts'
import type { Envelope } from '../../conformance/receiver/courier.ts'
import { judgeReceiver, type ReceiverOptions, receiverScenarios } from '../../conformance/receiver/judge-receiver.ts'
import { readOwnEvents } from '../../conformance/receiver/own-events.ts'
import type { RunResult } from '../../conformance/result/result.ts'
import { PROGRAM, shellQuote } from '../../contract/shell-quote.ts'
import { didYouMean, jsonIn } from '../../contract/words.ts'
import { packageVersion, RECEIVER_REQUIREMENTS_FILE } from '../../package-files.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import { readInput } from '../files.ts'
import { typedAgain } from '../option-parsers.ts'
import { receiverBill, runProgress } from '../output/run-progress.ts'
import { CliError, type Session } from '../session.ts'
import { secretFromEnv } from '../signing/signer.ts'
import { exitCodeOf, openReports, prepareReports, type ReportingOptions, wantedReports } from './reports.ts'
import { filterOf, refuseUnmatched, type Selection } from './selection.ts'

/** Judges the receiver of the command line, writes the reports, and says how it ended. */
export async function receiver(url: string, given: ReceiverArguments, session: Session): Promise<ExitCode> {
  const reports = wantedReports(given)
  const registry = loadRequirements(RECEIVER_REQUIREMENTS_FILE)
  const options = receiverOptions(url, given, session)
  refuseEmptySelection(options, registry)
  prepareReports(reports)
  if (options.insecure)
    session.err(
      'warning: --insecure accepts any certificate, so another server could answer in place of the receiver\n',
    )
  const signal = session.interrupted()
  const signing = { program: PROGRAM, secretEnv: { '': given.secretEnv } }
  const words = { invocation: invocationOf(url, given), signing, verbose: given.verbose ?? false }
  const writing = await openReports(reports, words, session)
  const result = await judged({ ...options, registry, signal }, writing, session)
  writing.end(result)
  if (signal.aborted) session.err('interrupted: checks that did not run are missing from the verdict\n')
  return exitCodeOf(result, (given.allowUnverified ?? false) && !signal.aborted)
}

async function judged(
  options: JudgedReceiver & Pick<ReceiverOptions, 'registry'>,
  writing: Awaited<ReturnType<typeof openReports>>,
  session: Session,
): Promise<RunResult> {
  const progress = runProgress(session, (planned) => receiverBill(planned, options.url))
  const shared = { wall: session.wall, toolVersion: packageVersion(), onProgress: progress.show }
  try {
    return await judgeReceiver({ ...options, ...shared, transcript: 'all' })
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    // The next step of a pipeline finds a report that shows that no check ran.
    if (error.result) writing.end(error.result, false)
    const hint = /CERT|SELF_SIGNED/.test(error.message)
      ? '; --insecure accepts any certificate'
      : '; check the address, and that the receiver is running'
    throw new CliError(`${error.message}${hint}`, EXIT_CODES.unreachable)
  } finally {
    progress.finish()
  }
}

/** A run without checks must not look like a run without failures. */
function refuseEmptySelection(options: JudgedReceiver, registry: RequirementRegistry): void {
  const scenarios = receiverScenarios(options)
  for (const id of options.only?.requirements ?? []) {
    if (!registry.requirements.has(id))
      throw new CliError(
        `--requirement: no such requirement for receivers: "${id}"${didYouMean(id, registry.requirements.keys())}`,
      )
    if (!scenarios.some((scenario) => selects({ requirements: [id] }, scenario)))
      throw new CliError(`--requirement: ${id} can only be seen with --effects-url`)
  }
  const ids = scenarios.map(({ id }) => id)
  refuseUnmatched(
    options.only?.scenarios,
    ids,
    (id) => `--only: no scenario is called "${id}"`,
    `; there are ${ids.join(', ')}`,
  )
  if (!scenarios.some((scenario) => selects(options.only, scenario)))
    throw new CliError('no scenario matches --only and --requirement, so no check would run')
}

/** The command line that does the same again, without what narrowed it. */
function invocationOf(url: string, given: ReceiverArguments): string {
  const { secretEnv, header = [], events, effectsUrl, timeout, insecure } = given
  const flags = [
    typedAgain({ secretEnv }),
    ...header.map((one) => typedAgain({ header: one })),
    typedAgain({ events, effectsUrl, timeout, insecure }),
  ]
  return `${PROGRAM} receiver ${shellQuote(url)}${flags.join('')}`
}

/** As the command line has them. */
interface ReceiverArguments extends Omit<ReportingOptions, 'failOn'>, Pick<Selection, 'only' | 'requirement'> {
  secretEnv: string
  header?: string[]
  events?: string
  effectsUrl?: string
  timeout?: string
  insecure?: boolean
}

/** As the judge takes them. */
type JudgedReceiver = Omit<ReceiverOptions, 'registry' | 'wall' | 'toolVersion'>

/** @throws CliError for what cannot be. */
function receiverOptions(url: string, given: ReceiverArguments, session: Session): JudgedReceiver {
  const { only, requirement, events, effectsUrl, timeout, insecure } = given
  return {
    url: addressOf(url, 'the receiver'),
    secret: secretFromEnv(given.secretEnv, session.env) ?? '',
    headers: (given.header ?? []).map((text) => headerOf(text, session.env)),
    ...filterOf({ ...(only && { only }), ...(requirement && { requirement }) }),
    ...(events === undefined ? {} : { ownEvents: eventsOf(events) }),
    ...(effectsUrl === undefined ? {} : { effectsUrl: effectsAddress(effectsUrl) }),
    ...(timeout === undefined ? {} : { timeoutMs: timeoutOf(timeout) }),
    ...(insecure === undefined ? {} : { insecure }),
  }
}

function addressOf(text: string, whose: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new CliError(`the address of ${whose} must be an http:// or https:// one, e.g. http://localhost:3000/hooks`)
  if (url.username !== '' || url.password !== '')
    throw new CliError(
      `the address of ${whose} contains a user name; give it as --header 'Authorization=\${env:VARIABLE}'`,
    )
  return url.href
}

function effectsAddress(text: string): string {
  const href = addressOf(text, '--effects-url')
  const pointer = decoded(new URL(href).hash.slice(1))
  if (pointer === null || (pointer !== '' && !pointer.startsWith('/')))
    throw new CliError(
      '--effects-url: the part after # must be a JSON pointer, e.g. http://localhost:3000/stats#/events',
    )
  return href
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** The document's limit, and enough more that a late answer differs from none. */
const SHORTEST_TIMEOUT_MS = 6_000
const LONGEST_TIMEOUT_MS = 120_000

function timeoutOf(text: string): number {
  const timeoutMs = parseDuration(text) ?? 0
  if (timeoutMs >= SHORTEST_TIMEOUT_MS && timeoutMs <= LONGEST_TIMEOUT_MS) return timeoutMs
  throw new CliError('--timeout: it must be from 6s to 2m; an answer counts as late after 5 s in any case')
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const REFERENCE = /^\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: a header may not hold them
const UNSENDABLE = /[\u0000-\u0008\u000a-\u001f\u007f]/

/** What a delivery has of its own: another value would make it one that the service never sends. */
const OURS = [
  'x-partner-signature',
  'content-type',
  'content-length',
  'transfer-encoding',
  'connection',
  'host',
  'user-agent',
  'expect',
]
/** Headers that hold a secret. */
const SECRET_NAMES = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key']

function headerOf(text: string, env: Session['env']): { name: string; value: string; isSecret: boolean } {
  const at = text.indexOf('=')
  const name = text.slice(0, Math.max(0, at))
  const literal = text.slice(at + 1)
  if (at < 1 || !TOKEN.test(name)) throw new CliError(`--header: it must be NAME=VALUE or NAME=\${env:VARIABLE}`)
  if (OURS.includes(name.toLowerCase()))
    throw new CliError(`--header: ${name} is part of every delivery and cannot be changed`)
  const variable = REFERENCE.exec(literal)?.[1]
  if (variable === undefined && SECRET_NAMES.includes(name.toLowerCase()))
    throw new CliError(
      `--header: ${name} holds a secret, which the list of processes would show; write ${name}=\${env:VARIABLE}`,
    )
  const value = variable === undefined ? literal : env[variable]
  if (!value)
    throw new CliError(
      `--header: ${variable === undefined ? `${name} has no value` : `the environment has no ${variable}, or it is empty`}`,
    )
  if (UNSENDABLE.test(value)) throw new CliError(`--header: the value of ${name} holds a character that no header can`)
  return { name, value, isSecret: variable !== undefined }
}

const MOST_PROBLEMS = 5

function eventsOf(file: string): Pick<Envelope, 'type' | 'data'>[] {
  const written = jsonIn(readInput(file, '--events').toString('utf8'))
  if (written === undefined) throw new CliError(`--events: ${file} is not JSON`)
  const { events, problems } = readOwnEvents(written)
  if (problems.length === 0) return events
  const more = problems.length > MOST_PROBLEMS ? `; and ${problems.length - MOST_PROBLEMS} more` : ''
  throw new CliError(`--events: ${file}: ${problems.slice(0, MOST_PROBLEMS).join('; ')}${more}`)
}
