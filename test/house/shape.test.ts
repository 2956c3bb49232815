import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { IS_FULL } from '../support/size.ts'
import { repoFiles, repoRoot } from './repo.ts'
import { scanImports } from './scan-imports.ts'

/** What serves and what talks to it: counted apart from the runner and its proof. */
const SERVER_SIDE = ['contract', 'clock', 'storage', 'sandbox', 'operator', 'operator-api', 'library', 'cli']

const isCode = (file: string) => /\.tsx?$/.test(file)
const files = repoFiles('src').filter(isCode)
const serverSide = files.filter((file) => SERVER_SIDE.some((room) => file.startsWith(`src/${room}/`)))
const texts = new Map(files.map((file) => [file, readFileSync(join(repoRoot, file), 'utf8')]))
const textOf = (file: string) => texts.get(file) ?? ''
const linesOf = (file: string) => textOf(file).split('\n').length - 1

/** The files that a file names in its imports, those of types included. */
function importsOf(file: string): string[] {
  return scanImports(textOf(file), file.endsWith('x') ? 'tsx' : 'ts')
    .map(({ specifier }) => posix.join(posix.dirname(file), specifier))
    .filter((target) => texts.has(target))
}

/** Groups of files that reach each other by their imports (Tarjan's strongly connected components). */
function circlesAmong(some: readonly string[]): string[][] {
  const imports = new Map(some.map((file) => [file, importsOf(file)]))
  const found: string[][] = []
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const visit = (file: string): number => {
    const own = order.size
    order.set(file, own)
    low.set(file, own)
    stack.push(file)
    for (const next of imports.get(file) ?? []) {
      const reached = order.has(next) ? (stack.includes(next) ? (order.get(next) as number) : own) : visit(next)
      low.set(file, Math.min(low.get(file) as number, reached))
    }
    if (low.get(file) === own) {
      const group = stack.splice(stack.indexOf(file))
      if (group.length > 1) found.push(group.sort())
    }
    return low.get(file) as number
  }
  for (const file of some) if (!order.has(file)) visit(file)
  return found
}

const circles = circlesAmong(files)

/** Folders with the number of files directly in them. */
function folderSizes(some: readonly string[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const file of some) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])
}

/** What may change at module level: it belongs to no world, and a second server in the process may share it. */
const CACHES: readonly string[] = [
  'src/build/bundle.ts LOADED',
  // Data files and what is worked out from them, once.
  'src/sandbox/inventory/draw-listing.ts partsRead',
  'src/sandbox/inventory/draw-listing.ts englishRead',
  'src/sandbox/inventory/lexicon.ts lexiconBuilt',
  'src/sandbox/inventory/lexicon.ts topicsRead',
  'src/sandbox/inventory/word-lists.ts read',
  'src/storage/check-file.ts own',
  // Keys of answers without case, a bounded number of them.
  'src/conformance/http/json-body.ts plainForms',
  // What follows from an object that does not change, for as long as that lives.
  'src/clock/instant.ts days',
  'src/conformance/dialect/place.ts membersByObject',
  'src/operator/explain-refusal.ts explained',
  'src/operator/routes/stream.ts shownOnce',
  'src/sandbox/wire/validation.ts compiled',
  'src/sandbox/wire/wire-names.ts translators',
  // Of a connection or a database, for as long as that is open.
  'src/operator/live.ts open',
  'src/sandbox/app/faults.ts armed',
  // Clients of any server that are hung up on, one after the other.
  'src/operator/live.ts toHangUp',
  // New worlds are copies of a few databases that all servers of a process share.
  'src/sandbox/worlds/templates.ts templates',
  // The runner: what follows from a text or a file, for as long as the process lives.
  'src/conformance/format/expectations/expectation.ts wished',
  'src/conformance/format/values.ts parsed',
  'src/conformance/format/values.ts referred',
  'src/conformance/log/lines.ts validators',
  // A test file has one world, whichever of its modules asks.
  'src/vitest.ts fileWorlds',
  // Broken servers remember what valid ones would not; by their world, so that it goes with it.
  'src/proof/defects/signature/replay.ts knownAtArrival',
]

/** Bindings at module level that can change: `let`, and collections and lists that begin empty. */
function stateIn(file: string): string[] {
  const changing =
    /^(?:export )?(?:let (\w+)|const (\w+)(?::[^=\n]+)? = (?:\[\]|new (?:WeakMap|WeakSet|Map|Set)(?:<.*>)?\(\)))/gm
  return [...textOf(file).matchAll(changing)].map(([, variable, collection]) => `${file} ${variable ?? collection}`)
}

describe('the house', () => {
  it('has no circle of files', () => {
    expect(circles).toEqual([])
  })

  it('has no folder with more than 30 files', () => {
    expect(folderSizes(files).filter(([, count]) => count > 30)).toEqual([])
  })

  it('keeps no state at module level but caches', () => {
    expect(files.flatMap(stateIn).sort()).toEqual([...CACHES].sort())
  })
})

/** Printed at full size, not judged: the size of each room. */
afterAll(() => {
  if (!IS_FULL) return
  const rooms = new Map<string, { files: number; lines: number }>()
  for (const file of files) {
    const room =
      file
        .split('/')
        .slice(1, 3)
        .filter((part) => !isCode(part))
        .join('/') || '(top)'
    const { files: count, lines } = rooms.get(room) ?? { files: 0, lines: 0 }
    rooms.set(room, { files: count + 1, lines: lines + linesOf(file) })
  }
  const rows = [...rooms].map(
    ([room, { files: count, lines }]) => `${String(lines).padStart(7)} ${String(count).padStart(4)}  ${room}`,
  )
  const lines = serverSide.reduce((sum, file) => sum + linesOf(file), 0)
  const naming = (some: readonly string[]) => some.filter((file) => textOf(file).includes("'orders.create'")).length
  process.stdout.write(
    [
      '  lines files room',
      ...rows,
      `server side: ${lines} lines in ${serverSide.length} files; fullest folder ${folderSizes(serverSide)[0]?.join(': ')}`,
      `files that name 'orders.create': ${naming(serverSide)} of the server side, ${naming(files)} in all`,
      `circles of files in all of src: ${circles.length}`,
      '',
    ].join('\n'),
  )
})
