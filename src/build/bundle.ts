import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ChunkingContext, type CodeSplittingGroup, type Plugin, rolldown } from 'rolldown'
import { inPackage } from '../package-files.ts'
import { billOfMaterials, bundledPackages, licensesText } from './bundled-packages.ts'
import { bundlePublicTypes } from './public-types.ts'

// The program as people install it: a few files instead of some six hundred, because reading so many takes longer than
// all else that a start does. What one command alone needs is a file of its own, loaded when that command is called.

const SOURCES = inPackage('src')
const FOLDER = inPackage('dist/bundle')
const LICENSES = 'THIRD-PARTY-LICENSES.txt'
const SBOM = 'sbom.cdx.json'
/** The source maps of all files by their names: one file instead of eighty, read only if an error is printed. */
const SOURCE_MAPS = 'source-maps.json'
const TYPES = 'dist/types'
/** Vitest imports and asks for ES modules, so these are as the compiler has written them; what they import is beside them. */
const FOR_VITEST = ['vitest.mjs', 'vitest-global-setup.mjs']
/** Says of which format the files beside it are. */
const FORMAT = 'package.json'

// CommonJS, because ES modules take Node about 20 ms longer to load, a fifth of a short command. Imports find the same names in it.
const ENTRIES = {
  main: 'cli/main.ts',
  index: 'index.ts',
  'test-world': 'library/test-world.ts',
  playwright: 'playwright.ts',
  'node-test': 'node-test.ts',
  jest: 'jest.ts',
  // Files that threads are started from: they lie beside the files that start them, here as in the sources.
  'own-server-thread': 'cli/run/own-server-thread.ts',
  'trial-thread': 'proof/self-test/trial-thread.ts',
}

/** Packages of your project. */
const OPTIONAL = ['vitest', '@playwright/test', '@modelcontextprotocol/server']

/** What is not bundled: those, a native addon, and names for large inventories, which few need. */
const INSTALLED = ['better-sqlite3', '@faker-js/faker', ...OPTIONAL]

/** What Fastify would load if we asked for its schemas, its log or its calls without a network. */
const NEVER_LOADED = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request', 'pino']

// Completion is asked for at each press of the key; files are read by commands of every part.
const isMain = loadedBy('cli/main.ts', 'cli/commands/completion.ts', 'cli/files.ts')
// Those that are called most come with what all commands of the operator need.
const isOperator = loadedBy('cli/operator/group.ts', 'cli/commands/clock.ts', 'cli/commands/request.ts')
const isCommand = loadedBy('cli/commands/sign.ts', 'cli/commands/verify.ts', 'cli/output/problem-lines.ts')
// What their help pages need; the rest is loaded when they run.
const isLongRun = loadedBy(...['conform', 'receiver', 'report'].map((name) => `cli/commands/${name}.ts`))
const isRareOperator = loadedBy(
  ...['audit', 'coverage', 'credential', 'delivery', 'domain', 'event', 'fault', 'gap', 'world'].map(
    (name) => `cli/commands/${name}.ts`,
  ),
)
const isRow = loadedBy('operator-api/operations.ts')
const isServer = loadedBy('cli/commands/serve.ts', 'cli/output/serve.ts', 'server.ts', 'operator/app.ts')
const isRunner = loadedBy('cli/run/conform.ts', 'cli/commands/scenario.ts')

/** With the package that it imports. */
const IS_CONTRACT = /[\\/](?:src[\\/](?:contract|clock)|ipaddr\.js)[\\/]/
const IS_PROOF = /[\\/]src[\\/]proof[\\/]/
const IS_DEFECT = /[\\/]src[\\/]proof[\\/]defects[\\/]/

/** A file for each thing that people start; the first that takes a module has it. */
const EARLY: readonly [name: string, isIn: IsIn][] = [
  ['start', (id, graph) => isMain(id, graph) && !isEntry(id, graph)],
  ['rows', (id, graph) => isOperator(id, graph) && (isServer(id, graph) || IS_CONTRACT.test(id))],
  ['operator', isOperator],
  ['more-rows', isRow],
  ['contract', (id) => IS_CONTRACT.test(id)],
  ['command', isCommand],
  ['run', isLongRun],
  ['shared', (id, graph) => isServer(id, graph) && isRunner(id, graph)],
  ['server', isServer],
  ['runner', isRunner],
  ['operator-more', isRareOperator],
  ['pages', (id) => /[\\/](?:node_modules[\\/]preact|src[\\/]page-kit)/.test(id)],
]

/** What takes long to load, and what is there for some people only. Where two need each other, the later one says it all. */
const HEAVY = ['operator', 'contract', 'command', 'run', 'server', 'runner', 'pages', 'optional']

const GROUPS: CodeSplittingGroup[] = [
  ...EARLY,
  ['proof', (id: string, graph: ChunkingContext) => IS_PROOF.test(id) && proofName(id, graph)] as const,
  ['late', (id: string, graph: ChunkingContext) => lateName('late', id, graph)] as const,
].map(([debugName, isIn], at, { length }) => ({
  name: (id, graph) => {
    const is = isIn(id, graph)
    return is === true ? debugName : is || null
  },
  debugName,
  priority: length - at,
}))

/** What is loaded late lies with what else needs the same heavy files, so that no command loads one that it has no need of. */
function lateName(kind: string, id: string, graph: ChunkingContext): string | false {
  if (isEntry(id, graph)) return false
  const needed = partsIn(withImports([id], graph), graph)
  const parts = HEAVY.filter((part) => needed.includes(part))
  const isLoaded = (part: string, at: number) =>
    parts.slice(at + 1).some((later) => partsLoadedBy(later, graph).includes(part))
  return [kind, ...parts.filter((part, at) => !isLoaded(part, at))].join('-')
}

/** All defects together: nothing loads one without the others, whatever each of them needs. */
function proofName(id: string, graph: ChunkingContext): string | false {
  return IS_DEFECT.test(id) ? 'proof-server' : lateName('proof', id, graph)
}

const LOADED = new Map<string, readonly string[]>()

/** The other parts that a part needs before its first line runs. */
function partsLoadedBy(part: string, graph: ChunkingContext): readonly string[] {
  let loaded = LOADED.get(part)
  if (loaded === undefined) {
    const all = withImports(
      Object.values(ENTRIES).map((entry) => join(SOURCES, entry)),
      graph,
      'late too',
    )
    const own = [...all].filter((id) => partOf(id, graph) === part)
    loaded = partsIn(withImports(own, graph), graph).filter((other) => other !== part)
    LOADED.set(part, loaded)
  }
  return loaded
}

function partsIn(ids: ReadonlySet<string>, graph: ChunkingContext): string[] {
  return [...new Set([...ids].flatMap((id) => partOf(id, graph) ?? []))]
}

function partOf(id: string, graph: ChunkingContext): string | undefined {
  if (OPTIONAL.some((name) => id.startsWith(name))) return 'optional'
  return EARLY.find(([, isIn]) => isIn(id, graph))?.[0]
}

function isEntry(id: string, graph: ChunkingContext): boolean {
  return graph.getModuleInfo(id)?.isEntry === true
}

type IsIn = (id: string, graph: ChunkingContext) => boolean

/** Whether a module is among those that these need before their first line runs. */
function loadedBy(...entries: string[]): IsIn {
  let loaded: Set<string> | undefined
  return (id, graph) => {
    loaded ??= withImports(
      entries.map((entry) => join(SOURCES, entry)),
      graph,
    )
    return loaded.has(id)
  }
}

function withImports(entries: readonly string[], graph: ChunkingContext, late?: 'late too'): Set<string> {
  const found = new Set(entries)
  for (const id of found) {
    const { importedIds = [], dynamicallyImportedIds = [] } = graph.getModuleInfo(id) ?? {}
    for (const imported of late ? [...importedIds, ...dynamicallyImportedIds] : importedIds) found.add(imported)
  }
  return found
}

/**
 * Modules of Node that a package loads at once, each of which takes longer than all our rows: Commander for commands that are programs
 * of their own, Fastify for servers with TLS or HTTP/2. None of ours is.
 */
const UNUSED_MODULES: Plugin = {
  name: 'unused-modules',
  transform: {
    filter: { id: /[\\/](?:commander[\\/]lib[\\/]command|fastify[\\/]lib[\\/]server)\.js$/ },
    handler: (code) => ({ code: code.replace(/require\('node:(?:child_process|https|http2)'\)/g, 'null'), map: null }),
  },
}

const bundle = await rolldown({
  cwd: SOURCES,
  input: ENTRIES,
  plugins: [UNUSED_MODULES],
  platform: 'node',
  tsconfig: inPackage('tsconfig.json'),
  // Neither this nor `minify` below: they leave out calls whose result is not used, such as decodeURIComponent(text) in a try,
  // but those may throw.
  treeshake: false,
  preserveEntrySignatures: 'allow-extension',
  // A module that one entry imports late, others import at once.
  checks: { ineffectiveDynamicImport: false },
  external: [...INSTALLED, ...NEVER_LOADED].map((name) => new RegExp(`^${name}(/|$)`)),
})
const { output } = await bundle.generate({
  dir: FOLDER,
  format: 'cjs',
  // Without a digest: Node's compile cache goes by names, and would keep one file more after each build.
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  codeSplitting: { groups: GROUPS, includeDependenciesRecursively: false },
  minify: false,
  comments: { legal: true, annotation: false, jsdoc: false },
  sourcemap: 'hidden',
  sourcemapExcludeSources: true,
})
await bundle.close()
const chunks = output.filter((file) => file.type === 'chunk')
mkdirSync(FOLDER, { recursive: true })
// Written at the end by the program that is built here; a build that ends early leaves none of another build.
rmSync(inPackage('dist/scenarios.json'), { force: true })
for (const { fileName, code } of chunks) writeFileSync(join(FOLDER, fileName), code)
const maps = Object.fromEntries(chunks.map(({ fileName, map }) => [fileName, map]))
writeFileSync(join(FOLDER, SOURCE_MAPS), JSON.stringify(maps))
const modules = chunks.flatMap(({ moduleIds }) => moduleIds)
const packages = bundledPackages(modules)
const product = JSON.parse(readFileSync(inPackage('package.json'), 'utf8'))
writeFileSync(join(FOLDER, LICENSES), licensesText(packages))
writeFileSync(join(FOLDER, SBOM), `${JSON.stringify(billOfMaterials(product, packages), null, 2)}\n`)
for (const file of FOR_VITEST) {
  const code = readFileSync(inPackage(`dist/${file.replace('.mjs', '.js')}`), 'utf8').replace(
    /^\/\/# sourceMappingURL=.*/m,
    '',
  )
  writeFileSync(join(FOLDER, file), code.replace(/(['"]\.\/)library\//, '$1'))
}
writeFileSync(join(FOLDER, FORMAT), JSON.stringify({ type: 'commonjs' }))
await bundlePublicTypes(declarationsIn(product.exports), inPackage('dist'), inPackage(TYPES))
// Files of earlier builds go last: a program that runs from the folder may still load one that this build writes again.
const written = new Set([LICENSES, SBOM, SOURCE_MAPS, FORMAT, ...FOR_VITEST, ...chunks.map(({ fileName }) => fileName)])
for (const name of readdirSync(FOLDER)) if (!written.has(name)) rmSync(join(FOLDER, name), { recursive: true })

/** The declarations of the package's exports, by their paths below the folder of the types. */
function declarationsIn(exports: Readonly<Record<string, string | { types: string }>>): string[] {
  return Object.values(exports).flatMap((row) => (typeof row === 'string' ? [] : row.types.slice(`./${TYPES}/`.length)))
}
