import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Lets the stacks of errors name lines of the sources and not of the bundle. Node's own `--enable-source-maps` reads every
 * map while the program starts, which takes a tenth longer; this reads one when a stack is first asked for.
 */
export function nameSourceLines(): void {
  const maps = new Map<string, SourceMap | null>()
  Error.prepareStackTrace = (error, calls) => {
    const lines = calls.map((call) => `\n    at ${inSources(String(call), maps)}`)
    return Error.prototype.toString.call(error) + lines.join('')
  }
}

function inSources(call: string, maps: Map<string, SourceMap | null>): string {
  return call.replace(/(file:.*\/dist\/bundle\/[^/]+\.js):(\d+):(\d+)/, (place, file: string, line: string, column) => {
    if (!maps.has(file)) maps.set(file, mapOf(file))
    const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1)
    if (entry === undefined || !('originalSource' in entry)) return place
    const source = fileURLToPath(new URL(entry.originalSource, file))
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  })
}

/** None where it cannot be read: nothing may fail while an error is printed. */
function mapOf(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')))
  } catch {
    return null
  }
}
