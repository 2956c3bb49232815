import { existsSync, readFileSync } from 'node:fs'
import { discover } from '../../conformance/discover/discover.ts'
import type { Discovery } from '../../conformance/discover/discovery.ts'
import { pinsOfRun, readPins } from '../../conformance/discover/read-pins.ts'
import { firstTargetText, withDiscovery } from '../../conformance/discover/target-document.ts'
import { idlePins } from '../../conformance/format/pin-problems.ts'
import { loadRequirements } from '../../conformance/format/requirements.ts'
import type { RunResult } from '../../conformance/result/result.ts'
import { parseTarget } from '../../conformance/target/load-target.ts'
import type { Target } from '../../conformance/target/target.ts'
import { parseYaml } from '../../conformance/yaml/read-yaml.ts'
import { packageVersion } from '../../package-files.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import { OWNER_ONLY, replaceText } from '../files.ts'
import { givenFlag } from '../option-parsers.ts'
import { discoveryJson, discoveryText } from '../output/discovery.ts'
import { problemLines, refuseProblems } from '../output/problem-lines.ts'
import { waitAloud } from '../output/progress-line.ts'
import { runProgress } from '../output/run-progress.ts'
import { readLogFile } from '../report/logs.ts'
import { editorLine, schemaFile } from '../scenario/editor-line.ts'
import { CliError, type Session } from '../session.ts'
import { DEFAULT_VARIABLE } from '../signing/signer.ts'
import { loadSelected } from './selection.ts'
import { inOneLine, namedKey, readTarget, type TargetOptions, targetOfFlags } from './target.ts'

interface DiscoverOptions extends Pick<TargetOptions, 'target' | 'keyId' | 'secretEnv'> {
  out?: string
  update?: boolean
  pin?: boolean
  updatePins?: boolean
  from?: string
  continue?: string
  scenarios?: string[]
  json?: boolean
}

/** A target to probe, and the file that what is found is written into. */
interface Named {
  target: Target
  /** Null if no file is written. */
  file: string | null
  /** Its text now, or what it begins with. */
  text: string
}

/** Probes the target of the command line with reads alone, prints what was found, and writes it into a target file. */
export async function discoverTarget(
  url: string | undefined,
  options: DiscoverOptions,
  session: Session,
): Promise<ExitCode> {
  const named = url === undefined ? fromFile(options, session) : fromFlags(url, options, session)
  const writing = givenFlag(options, ['update', 'pin', 'updatePins'])
  if (writing !== undefined && named.file === null)
    throw new CliError(`${writing} writes a target file: name one with --out`)
  if (options.from !== undefined && !options.pin && !options.updatePins)
    throw new CliError('--from needs --pin or --update-pins')
  const discovery = await probe(named, options, session)
  const { update = false, pin = false, updatePins = false } = options
  const { text, changes } = withDiscovery(named.text, discovery, { update, pin, updatePins })
  if (named.file !== null) save(named.file, text, session)
  const wrote = named.file !== null && changes.some(({ what }) => what !== 'kept')
  const report = { discovery, changes, file: named.file, wrote }
  session.out(options.json ? discoveryJson(report) : discoveryText(report, session))
  return EXIT_CODES.ok
}

function fromFile(options: DiscoverOptions, session: Session): Named {
  const { target: file, out } = options
  if (file === undefined) throw new CliError('name a target: a URL with --key-id, or --target FILE')
  const ofUrl = givenFlag(options, ['keyId', 'secretEnv'])
  if (ofUrl !== undefined) throw new CliError(`${ofUrl} goes with a URL; write it into the target file`)
  const target = readTarget(file, session)
  if (out !== undefined && out !== file && existsSync(out))
    throw new CliError(`--out: ${out} exists; complete it with --target ${out}`)
  return { target, file: out ?? file, text: readFileSync(file, 'utf8') }
}

function fromFlags(url: string, options: DiscoverOptions, session: Session): Named {
  const { target, secretEnv = DEFAULT_VARIABLE, out } = options
  if (target !== undefined) throw new CliError('the URL and --target each name a target; give one of them')
  const key = namedKey(options, session)
  if (out !== undefined && existsSync(out)) return completed(out, url, session)
  const text = editorLine(out, schemaFile('target')) + firstTargetText({ url, keyId: key.keyId, secretEnv })
  // What no target file can say is better known before the first call.
  if (out !== undefined) refuseProblems(parseTarget(text, out, session.env).problems)
  return { target: targetOfFlags({ ...key, url, mode: 'read' }), file: out ?? null, text }
}

/** A file that is there keeps what it says, and has to be about the same target. */
function completed(file: string, url: string, session: Session): Named {
  const target = readTarget(file, session, '--out')
  if (target.url !== url.replace(/\/+$/, ''))
    throw new CliError(`--out: ${file} is about ${target.url}, not ${url}; name another file`)
  return { target, file, text: readFileSync(file, 'utf8') }
}

async function probe({ target, file, text }: Named, options: DiscoverOptions, session: Session): Promise<Discovery> {
  const { from, continue: earlier, pin, updatePins } = options
  const registry = loadRequirements()
  const { scenarios } = loadSelected(options.scenarios ? { scenarios: options.scenarios } : {}, registry)
  const { problems, notices } = idlePins(parseYaml(text, options.target ?? file ?? ''), scenarios, registry)
  // Else the command that brings pins up to date would refuse those that are not.
  if (updatePins !== true) refuseProblems(problems)
  session.err(problemLines(updatePins ? [...problems, ...notices] : notices))
  const loggedPins = from === undefined ? null : pinsOfRun(target, runIn(from, '--from', target).observations)
  const logged = earlier === undefined ? [] : runIn(earlier, '--continue', target).exchanges
  const signal = session.interrupted()
  const shared = { target, scenarios, registry, signal, wall: session.wall, toolVersion: packageVersion() }
  // Pins that are there are looked at again, so that drift shows.
  const wantsPins = pin === true || updatePins === true || Object.keys(target.pins).length > 0
  // The bill of a run is not that of reads.
  const progress = runProgress(session, () => '')
  try {
    const reading = discover({ ...shared, logged, onProgress: progress.show })
    const discovery = await waitAloud(session, 'reading the target', reading)
    return wantsPins ? { ...discovery, pins: loggedPins ?? (await readPins(shared)) } : discovery
  } catch (error) {
    if (signal.aborted)
      throw new CliError('interrupted: what was found is lost, and no file was written', EXIT_CODES.notFullyVerified)
    throw inOneLine(error, target, options, session)
  } finally {
    progress.finish()
  }
}

function runIn(file: string, flag: string, target: Target): RunResult {
  const { result } = readLogFile(file, flag)
  if (result.target.url !== target.url)
    throw new CliError(`${flag}: ${file} is the log of a run against ${result.target.url}, not ${target.url}`)
  return result
}

/** Only a file that the runner can read is written. A new file names no secret, but may be given some. */
function save(file: string, text: string, session: Session): void {
  const { problems } = parseTarget(text, file, session.env)
  if (problems.length > 0) throw new Error(`the new target file would be invalid: ${problemLines(problems)}`)
  replaceText(file, null, text, OWNER_ONLY)
}
