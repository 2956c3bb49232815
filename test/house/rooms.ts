/**
 * Who may import whom. THE table; nothing else says it.
 *
 * A row speaks for the files its `room` names, and the longest name wins. Names are paths under src:
 * `contract` is a folder with all it holds, `sandbox/*` the files directly in a folder, `server.ts` one file.
 * Files of the same room may always import each other. A type import counts like any other.
 */
export interface Room {
  readonly room: string
  readonly may: readonly string[]
  /** File names that stay closed in the rooms `may` opens; `*` stands for any part of a name. */
  readonly never?: readonly string[]
  /** Rooms open only to the border of this one: its routes and pages. Its rules know nothing of HTTP. */
  readonly borderMay?: readonly string[]
  /** Packages from outside; `node:*` is every module of Node itself. */
  readonly packages: readonly string[]
}

/**
 * The features of the sandbox. Each may use the rules of those to its left, so a cycle cannot form.
 */
export const FEATURES = [
  'events',
  'inventory',
  'ledger',
  'referral',
  'sales',
  'checkout',
  'brokerage',
  'settlement',
  'reports',
  'webhooks',
] as const

/** The files of a feature that meet HTTP. */
export const BORDER = ['routes.ts', '*-page.ts', '*-page.tsx']

/** What a feature keeps to itself: its border and its SQL. What is left are its rules. */
const NOT_RULES = [...BORDER, 'store.ts', 'present.ts']

/**
 * The server side from the ground up: each room may import those before it, so that no arrow goes up and no circle can form.
 */
const FLOORS = [
  'contract',
  'clock',
  'storage',
  'sandbox/commit-queue.ts',
  'sandbox/kernel',
  'page-kit',
  'sandbox/wire',
  ...FEATURES.map((feature) => `sandbox/${feature}`),
  'sandbox/all-routes.ts',
  'sandbox/coverage',
  'sandbox/openapi',
  'sandbox/app',
  'sandbox/worlds',
  'operator',
]

/** The runner from the ground up, by the same rule. It knows targets by the HTTP they speak, not our server. */
const RUNNER_FLOORS = [
  'contract',
  'clock',
  'conformance/result',
  'conformance/yaml',
  'conformance/http',
  'conformance/signing',
  'conformance/format',
  'conformance/target',
  'conformance/dialect',
  'conformance/webhooks',
  'conformance/pages',
  'conformance/context',
  'conformance/judge',
  'conformance/steps',
  'conformance/engine',
  'conformance/discover',
  'conformance/receiver',
  'conformance/log',
  'page-kit',
  'conformance/reports',
]

/** Packages that a room of the runner needs beside Node's own modules. Only a report knows what a result looks like to people. */
const RUNNER_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'conformance/yaml': ['ajv', 'yaml'],
  'conformance/format': ['ajv', 'yaml'],
  'conformance/pages': ['parse5', 'tough-cookie'],
  'conformance/engine': ['yaml'],
  'conformance/discover': ['yaml'],
  'conformance/log': ['ajv'],
  'conformance/reports': ['chalk', 'preact', 'yaml'],
}

function below(room: string, but: readonly string[] = []): string[] {
  return FLOORS.slice(0, FLOORS.indexOf(room)).filter((lower) => !but.includes(lower))
}

const PAGES = ['preact', 'preact-render-to-string']

export const ROOMS: readonly Room[] = [
  { room: 'contract', may: [], packages: ['node:crypto', 'ipaddr.js'] },
  // How a page becomes text, for the pages of the server and the runner's report.
  { room: 'page-kit', may: [], packages: ['node:crypto', ...PAGES] },
  { room: 'clock', may: below('clock'), packages: ['node:*'] },
  { room: 'storage', may: ['contract'], packages: ['node:*', 'better-sqlite3'] },
  // The transactions of a world.
  { room: 'sandbox/commit-queue.ts', may: ['clock', 'storage'], packages: [] },
  // What rules need of a world; it knows no HTTP and no feature.
  { room: 'sandbox/kernel', may: below('sandbox/kernel'), packages: ['node:*', '@faker-js/faker'] },
  // How calls and pages are written down, read and answered; it knows no feature.
  { room: 'sandbox/wire', may: below('sandbox/wire'), packages: ['node:*', 'ajv', ...PAGES] },
  // Each uses the rules of those to its left; only its border knows HTTP.
  ...FEATURES.map((feature) => ({
    room: `sandbox/${feature}`,
    may: [...below(`sandbox/${feature}`, ['sandbox/wire']), ...(feature === 'inventory' ? ['package-files.ts'] : [])],
    never: NOT_RULES,
    borderMay: ['sandbox/wire'],
    packages: ['node:*', ...PAGES, ...(feature === 'webhooks' ? ['ipaddr.js'] : [])],
  })),
  {
    room: 'sandbox/all-routes.ts',
    may: ['contract', 'sandbox/wire', ...FEATURES.map((feature) => `sandbox/${feature}/routes.ts`)],
    packages: [],
  },
  // A read model of what a client has met, over calls and over what the features keep.
  { room: 'sandbox/coverage', may: below('sandbox/coverage'), never: NOT_RULES, packages: ['node:*', ...PAGES] },
  // The API as OpenAPI, made from the very schemas that validate; nothing that serves a call reads it.
  {
    room: 'sandbox/openapi',
    may: [...below('sandbox/openapi'), 'package-files.ts'],
    never: NOT_RULES,
    packages: ['node:crypto', 'node:fs', 'preact'],
  },
  // The way of a call: checks, idempotency, faults, the log.
  {
    room: 'sandbox/app',
    may: below('sandbox/app'),
    never: ['store.ts', 'routes.ts', 'present.ts'],
    packages: ['node:*', 'fastify'],
  },
  {
    room: 'sandbox/worlds',
    may: below('sandbox/worlds'),
    never: NOT_RULES,
    packages: ['node:*', 'yaml', '@faker-js/faker'],
  },
  {
    room: 'operator',
    may: [...below('operator', ['storage']), 'operator-api', 'package-files.ts'],
    never: ['store.ts', 'routes.ts'],
    packages: ['node:*', 'fastify', 'ajv'],
  },
  // The operations of the operator API as rows, and the client that asks for them: what the command line and the library know of
  // a sandbox. The handlers stand in operator/routes.
  { room: 'operator-api', may: ['contract', 'clock'], packages: ['node:*'] },
  // The browser's program of the operator port: a client of the operator API and nothing else. What it imports of these two rooms
  // must run in a browser.
  {
    room: 'console',
    may: ['contract', 'operator-api'],
    never: ['client.ts', 'connection.ts'],
    packages: ['preact', 'virtual:operations', 'virtual:verify-snippets'],
  },
  // The script of the reference at /docs: it calls the partner API of the port that served it.
  { room: 'console/docs', may: ['contract', 'console/browser'], packages: ['preact'] },
  // Builds it; never part of it.
  { room: 'console/vite.config.ts', may: ['operator-api'], packages: ['node:*', 'vite'] },
  ...RUNNER_FLOORS.flatMap((room, at) => {
    if (!room.startsWith('conformance/')) return []
    // Requirements, profiles, and what the build has checked lie beside the program.
    const files = ['conformance/format', 'conformance/engine'].includes(room) ? ['package-files.ts'] : []
    return {
      room,
      may: [...RUNNER_FLOORS.slice(0, at), ...files],
      packages: ['node:*', ...(RUNNER_PACKAGES[room] ?? [])],
    }
  }),
  // Servers that are broken on purpose; loaded by `serve --defect` only.
  { room: 'proof/defects', may: ['contract', 'sandbox'], packages: ['node:*', 'fastify'] },
  {
    room: 'server.ts',
    may: [
      'contract',
      'clock',
      'storage',
      'sandbox',
      'operator',
      'proof/defects',
      'server-options.ts',
      'package-files.ts',
    ],
    packages: ['node:*', 'fastify'],
  },
  // Passes calls on to another server and judges copies of them, with the checks, the log and the coverage of the sandbox, and with
  // the runner's ways of reading answers in the words of another server.
  {
    room: 'proxy',
    may: [
      ...['contract', 'clock', 'sandbox', 'operator', 'operator-api', 'package-files.ts'],
      ...['conformance/target', 'conformance/format', 'conformance/http', 'conformance/dialect'],
    ],
    never: ['store.ts', 'routes.ts'],
    packages: ['node:*'],
  },
  // The last step of a build; nothing of the program knows it.
  { room: 'build', may: ['package-files.ts'], packages: ['node:*', 'rolldown', 'rollup', 'rollup-plugin-dts'] },
  // Where the package's own data is, and its version.
  { room: 'package-files.ts', may: [], packages: ['node:*'] },
  // What the library says of a server in its public types: no type of the server's inside may be reached from here.
  { room: 'server-options.ts', may: ['contract', 'clock', 'operator/activity.ts'], packages: [] },
  // The one place that knows defects and runner alike: it plays them against each other.
  {
    room: 'proof/self-test',
    may: ['contract', 'clock', 'server.ts', 'proof/defects', 'conformance', 'package-files.ts'],
    packages: ['node:*'],
  },
  {
    room: 'cli',
    may: [
      'contract',
      'clock',
      'operator-api',
      'server.ts',
      'proxy/start-proxy.ts',
      'proof/self-test',
      'conformance',
      'sandbox/openapi/document.ts',
      'mcp',
      'cli/configuration/config-file.ts',
      'package-files.ts',
    ],
    packages: ['node:*', 'commander', 'chalk', 'yaml'],
  },
  // A configuration file may be a module of the user's.
  {
    room: 'cli/configuration/config-file.ts',
    may: ['cli', 'conformance/yaml'],
    packages: ['node:*', '(computed)'],
  },
  // Tools for coding agents: a client of both ports, and of the command line that it is given.
  {
    room: 'mcp',
    may: ['contract', 'operator-api', 'library', 'sandbox/openapi', 'package-files.ts'],
    never: ['*-page.ts', '*-page.tsx'],
    packages: ['node:*', '@modelcontextprotocol/server'],
  },
  // Handles on a sandbox for people's own test files: clients of the operator API, as the command line is.
  {
    room: 'library',
    may: [
      'contract',
      'clock',
      'operator-api',
      'server.ts',
      'server-options.ts',
      'proxy/start-proxy.ts',
      'package-files.ts',
      'conformance',
    ],
    packages: ['node:*'],
  },
  {
    room: 'index.ts',
    may: ['contract', 'clock', 'operator-api', 'server.ts', 'conformance', 'library'],
    packages: [],
  },
  { room: 'vitest.ts', may: ['library', 'index.ts'], packages: ['vitest'] },
  { room: 'vitest-global-setup.ts', may: ['index.ts'], packages: [] },
  { room: 'playwright.ts', may: ['library', 'index.ts'], packages: ['@playwright/test'] },
  { room: 'node-test.ts', may: ['library', 'index.ts'], packages: ['node:test'] },
  { room: 'jest.ts', may: ['library', 'index.ts'], packages: [] },
]
