import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { sleep } from '../../clock/wall-clock.ts'

/** Editors write in several steps: a change counts as soon as one look finds what the look before it found. */
const LOOK_EVERY_MS = 300

/**
 * Watches single files and every YAML file below folders, by looking at them again and again: that notices every way in which
 * an editor writes a file, on every file system, and costs a few milliseconds.
 *
 * @returns what waits for files that changed since the last call, came or went; it returns null once the signal aborts.
 * @example const changed = await watchFiles(['scenarios'])(signal)
 */
export function watchFiles(paths: readonly string[]): (signal: AbortSignal) => Promise<ReadonlySet<string> | null> {
  let [known, last, isChanging] = [contentsOf(paths), statesOf(paths), false]
  return async (signal) => {
    for (;;) {
      await sleep(LOOK_EVERY_MS, signal)
      if (signal.aborted) return null
      const now = statesOf(paths)
      const isCalm = now === last
      if (isCalm && isChanging) {
        const contents = contentsOf(paths)
        const files = [...new Set([...known.keys(), ...contents.keys()])]
        const changed = new Set(files.filter((file) => known.get(file) !== contents.get(file)))
        known = contents
        isChanging = false
        if (changed.size > 0) return changed
      }
      isChanging ||= !isCalm
      last = now
    }
  }
}

function contentsOf(paths: readonly string[]): Map<string, string> {
  return new Map(
    filesAt(paths).flatMap((file) => orNothing((): [string, string][] => [[file, readFileSync(file, 'utf8')]])),
  )
}

/** Changes whenever a file may have. */
function statesOf(paths: readonly string[]): string {
  const states = filesAt(paths).flatMap((file) => {
    const { mtimeMs, size, ino } = statSync(file, { throwIfNoEntry: false }) ?? {}
    return [file, mtimeMs, size, ino]
  })
  return JSON.stringify(states)
}

/** Without what editors keep beside a file while it is open. */
function filesAt(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [resolve(path)]
    const names = orNothing(() => readdirSync(path, { recursive: true, encoding: 'utf8' }))
    return names
      .filter((name) => /\.ya?ml$/.test(name) && !basename(name).startsWith('.'))
      .map((name) => join(resolve(path), name))
  })
}

/** A file or folder may go away between two looks at it. */
function orNothing<Item>(read: () => Item[]): Item[] {
  try {
    return read()
  } catch {
    return []
  }
}
