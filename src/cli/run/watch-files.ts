import { createHash } from 'node:crypto'
import { type FSWatcher, readdirSync, readFileSync, statSync, watch } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { sleep } from '../../clock/wall-clock.ts'

/** Files whose content may change, and what tells of it. */
export interface WatchedFiles {
  /** The files that changed since the last time, came or went; null once the signal aborts. */
  changed(signal: AbortSignal): Promise<ReadonlySet<string> | null>
  close(): void
}

/** Editors write in several steps. */
const DEBOUNCE_MS = 100

/**
 * Watches single files and every YAML file below folders. Events only tell that something may have happened: what did is
 * found out from the contents, so that it does not matter whether an editor writes a file, or puts another in its place.
 */
export function watchFiles(paths: readonly string[]): WatchedFiles {
  const watchers = new Map<string, FSWatcher>()
  let known = contentsOf(paths)
  let wake: (() => void) | null = null
  let stirred = false
  const stir = () => {
    stirred = true
    wake?.()
  }
  const listen = () => {
    const wanted = new Set(foldersOf(paths))
    for (const [folder, watcher] of watchers)
      if (!wanted.has(folder)) {
        watcher.close()
        watchers.delete(folder)
      }
    for (const folder of wanted) if (!watchers.has(folder)) listenTo(folder, watchers, stir)
  }
  listen()
  return {
    async changed(signal) {
      for (;;) {
        // A signal that has aborted by now tells nobody any more.
        if (!stirred && !signal.aborted)
          await new Promise<void>((resolve) => {
            wake = resolve
            signal.addEventListener('abort', () => resolve(), { once: true })
          })
        wake = null
        if (signal.aborted) return null
        await sleep(DEBOUNCE_MS, signal)
        stirred = false
        listen()
        const now = contentsOf(paths)
        const different = differences(known, now)
        known = now
        if (different.size > 0) return different
      }
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

function listenTo(folder: string, watchers: Map<string, FSWatcher>, stir: () => void): void {
  try {
    const watcher = watch(folder, stir)
    // A folder that goes away is noticed by what was in it.
    watcher.on('error', () => {
      watcher.close()
      watchers.delete(folder)
      stir()
    })
    watchers.set(folder, watcher)
  } catch {
    // It is not there just now; the folder above tells when it comes back.
  }
}

/** The folders of single files, and folders with all below them. */
function foldersOf(paths: readonly string[]): string[] {
  return paths.flatMap((path) =>
    isFolder(path) ? [dirname(resolve(path)), ...below(resolve(path))] : [dirname(resolve(path))],
  )
}

function below(folder: string): string[] {
  const inner = listing(folder).filter((entry) => entry.isDirectory())
  return [folder, ...inner.flatMap(({ name }) => below(join(folder, name)))]
}

function contentsOf(paths: readonly string[]): Map<string, string> {
  const files = paths.flatMap((path) => (isFolder(path) ? below(resolve(path)).flatMap(yamlFilesIn) : [resolve(path)]))
  return new Map(files.flatMap((file) => digestOf(file)))
}

/** Without what editors keep beside a file while it is open. */
function yamlFilesIn(folder: string): string[] {
  return listing(folder)
    .filter(({ name }) => /\.ya?ml$/.test(name) && !name.startsWith('.'))
    .map(({ name }) => join(folder, name))
}

function listing(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function digestOf(file: string): [string, string][] {
  try {
    return [[file, createHash('sha256').update(readFileSync(file)).digest('hex')]]
  } catch {
    return []
  }
}

function differences(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): Set<string> {
  const files = new Set([...before.keys(), ...now.keys()])
  return new Set([...files].filter((file) => before.get(file) !== now.get(file)))
}
