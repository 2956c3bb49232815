import { readFileSync } from 'node:fs'
import type { SourceMap } from 'node:module'
import { basename, join, sep } from 'node:path'
import { wallClock } from '../clock/wall-clock.ts'
import { PROGRAM } from '../contract/shell-quote.ts'
import { packageVersion } from '../package-files.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { runCli } from './run-cli.ts'
import type { Session } from './session.ts'

/** Where this file is, with all files of the bundle. */
const FOLDER = import.meta.dirname + sep

nameSourceLines()

const readerGone = new AbortController()
const isOnPath =
  basename(process.argv[1] ?? 'partner-sandbox') === 'partner-sandbox' && process.env['npm_command'] === undefined

const session: Session = {
  out: (text) => process.stdout.write(text),
  err: (text) => messages().write(text),
  outIsTerminal: process.stdout.isTTY === true,
  // Node opens a stream that is first asked for, and most commands ask for no other than the output.
  get errIsTerminal() {
    return process.stderr.isTTY === true
  },
  get askLine() {
    return process.stdin.isTTY && process.stderr.isTTY ? askAtTerminal : undefined
  },
  columns: process.stdout.columns ?? 80,
  env: process.env,
  wall: wallClock,
  // What a person types to call this program from any folder: its name if the shell finds it, else npx.
  program: isOnPath ? 'partner-sandbox' : PROGRAM,
  interrupted: abortOnSignal,
  readerGone: readerGone.signal,
  exitWith: () => undefined,
}

// A reader that closes early (`... | head -1`) is not an error. A full disk is one, and it ends the program.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    process.stderr.write(`error: standard output cannot be written (${error.code ?? error.message})\n`)
    process.exit(EXIT_CODES.usage)
  }
  readerGone.abort()
})

// The only place that sets the exit code.
void runCli(process.argv.slice(2), packageVersion(), session).then((code) => {
  process.exitCode = code
})

/** A stream whose reader has gone ends nothing: a server serves on, and there is no place left to say so. */
function messages(): NodeJS.WriteStream {
  const { stderr } = process
  if (stderr.listenerCount('error') === 0) stderr.on('error', () => undefined)
  return stderr
}

/** Loaded only by a run that asks. */
async function askAtTerminal(question: string, signal?: AbortSignal): Promise<string | null> {
  const { askLine } = await import('./run/ask-person.ts')
  return askLine(question, signal)
}

/** The first signal asks the command to finish; with its listener gone, the second one ends the process at once. */
function abortOnSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  function stop() {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, stop)
    controller.abort()
  }
  return controller.signal
}

/**
 * Lets the stacks of errors name lines of the sources and not of the bundle. Node's own `--enable-source-maps` reads every
 * map while the program starts, which takes a tenth longer; this reads them when a stack is first asked for.
 */
function nameSourceLines(): void {
  let mapOf: MapOfFile | undefined
  Error.prepareStackTrace = (error, calls) => {
    const start = Error.prototype.toString.call(error)
    // Node asks for the stack of each stream that is ended early, and does not print it.
    if (error.name === 'AbortError') return start
    const maps = mapOf ?? readSourceMaps()
    mapOf = maps
    return start + calls.map((call) => `\n    at ${inSources(String(call), maps)}`).join('')
  }
}

/** The source map of a file of the bundle, by its name. */
type MapOfFile = (name: string) => SourceMap | undefined

function inSources(call: string, mapOf: MapOfFile): string {
  const from = call.lastIndexOf(FOLDER)
  if (from < 0) return call
  const [place = '', name = '', line, column] = /^([^:]+):(\d+):(\d+)/.exec(call.slice(from + FOLDER.length)) ?? []
  const entry = mapOf(name)?.findEntry(Number(line) - 1, Number(column) - 1)
  if (entry === undefined || !('originalSource' in entry)) return call
  const source = `${join(FOLDER, entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  return call.replace(FOLDER + place, source)
}

/** None where they cannot be read: nothing may fail while an error is printed. */
function readSourceMaps(): MapOfFile {
  try {
    const { SourceMap } = process.getBuiltinModule('node:module')
    const written = JSON.parse(readFileSync(join(FOLDER, 'source-maps.json'), 'utf8'))
    const read = new Map<string, SourceMap>()
    return (name) => {
      if (!read.has(name) && written[name]) read.set(name, new SourceMap(written[name]))
      return read.get(name)
    }
  } catch {
    return () => undefined
  }
}
