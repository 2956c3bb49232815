import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { sleep } from '../../clock/wall-clock.ts'

const LOOK_EVERY_MS = 300

/**
 * Watches single files and every YAML file below folders, by reading them again and again: that notices every way in which
 * an editor writes a file, on every file system, and costs a few milliseconds.
 *
 * @returns what waits for files that changed since the last call, came or went; it returns null once the signal aborts.
 */
export function watchFiles(paths: readonly string[]): (signal: AbortSignal) => Promise<ReadonlySet<string> | null> {
  let known = contentsOf(paths)
  return async (signal) => {
    for (let last = known; ; ) {
      await sleep(LOOK_EVERY_MS, signal)
      if (signal.aborted) return null
      const now = contentsOf(paths)
      const changed = differences(known, now)
      // Editors write in several steps: a change counts as soon as two looks find the same.
      const isCalm = differences(last, now).size === 0
      last = now
      if (changed.size === 0 || !isCalm) continue
      known = now
      return changed
    }
  }
}

type Contents = ReadonlyMap<string, string>

function contentsOf(paths: readonly string[]): Contents {
  const files = paths.flatMap((path) => orNothing(() => filesAt(path)))
  return new Map(files.flatMap((file) => orNothing((): [string, string][] => [[file, readFileSync(file, 'utf8')]])))
}

/** Without what editors keep beside a file while it is open. */
function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [resolve(path)]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name) && !basename(name).startsWith('.'))
    .map((name) => join(resolve(path), name))
}

/** A file or folder may go away between two looks at it. */
function orNothing<Item>(read: () => Item[]): Item[] {
  try {
    return read()
  } catch {
    return []
  }
}

function differences(before: Contents, after: Contents): Set<string> {
  const files = [...before.keys(), ...after.keys()]
  return new Set(files.filter((file) => before.get(file) !== after.get(file)))
}
