// How much code some things go through, on the files of dist that are not bundled. Usage: node bench/walk.mjs [--stack] [--functions] [--json]
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { wire } from './contestants.mjs'
import { load } from './load.mjs'

const { values: flags } = parseArgs({
  options: {
    stack: { type: 'boolean', default: false },
    functions: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const DIST = fileURLToPath(new URL('../dist/', import.meta.url))
const ROOT = '/api/partner/v1'
const SCENARIO = 'orders/recorded'

const coverage = new Session()
coverage.connect()
await coverage.post('Profiler.enable')
await coverage.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/** The stacks of ours at each SQL statement since the last look, outermost function first. */
let stacks = []
watchStatements()

/** Notes the stack of each statement that better-sqlite3 runs, those of its own transactions too. */
function watchStatements() {
  Error.stackTraceLimit = Number.POSITIVE_INFINITY
  const Statement = new Database(':memory:').prepare('SELECT 1').constructor
  const watched = [
    [Statement.prototype, ['run', 'get', 'all', 'iterate']],
    [Database.prototype, ['exec']],
  ]
  for (const [prototype, names] of watched) {
    for (const name of names) {
      const original = prototype[name]
      prototype[name] = function watchedStatement(...args) {
        stacks.push(ownFrames())
        return original.apply(this, args)
      }
    }
  }
}

/** The functions of ours that wait for the one that runs; what an async function has left is on no stack. */
function ownFrames() {
  const usual = Error.prepareStackTrace
  Error.prepareStackTrace = (_error, calls) => calls
  const calls = new Error().stack
  Error.prepareStackTrace = usual
  return calls
    .filter((call) => !call.isAsync() && isOurs(call.getFileName()))
    .map((call) => ({ file: fileOf(call.getFileName()), name: call.getFunctionName() ?? '(anonymous)' }))
    .reverse()
}

function isOurs(url) {
  return url?.startsWith('file:') === true && fileURLToPath(url).startsWith(DIST)
}

function fileOf(url) {
  return relative(DIST, fileURLToPath(url))
}

/**
 * What a piece of work goes through.
 *
 * @param {string[]} within folders that count; all of dist unless given
 */
async function walked(work, within = ['']) {
  await coverage.post('Profiler.takePreciseCoverage')
  stacks = []
  await work()
  const seen = stacks
  stacks = []
  const { result } = await coverage.post('Profiler.takePreciseCoverage')
  const called = result
    .filter(({ url }) => isOurs(url) && within.some((folder) => fileOf(url).startsWith(folder)))
    .map(({ url, functions }) => ({ file: fileOf(url), functions: functions.filter(isCalled) }))
    .filter(({ functions }) => functions.length > 0)
  return { called, stacks: seen }
}

/** A module's own code is a function too, of no name and from the very beginning. */
function isCalled({ ranges: [{ count, startOffset }] }) {
  return count > 0 && startOffset > 0
}

function figuresOf({ called, stacks }) {
  const depths = stacks.map((stack) => stack.length)
  const folders = new Set(called.map(({ file }) => dirname(file)))
  return {
    files: called.length,
    functions: called.reduce(
      (sum, { functions }) => sum + functions.filter(({ functionName }) => functionName).length,
      0,
    ),
    folders: folders.size,
    statements: stacks.length,
    framesOnAverage: depths.length === 0 ? null : depths.reduce((sum, depth) => sum + depth, 0) / depths.length,
    framesAtMost: depths.length === 0 ? null : Math.max(...depths),
    folderChanges: depths.length === 0 ? null : changesIn(deepest(stacks).map(({ file }) => dirname(file))),
  }
}

function deepest(stacks) {
  return stacks.reduce((one, other) => (other.length > one.length ? other : one), [])
}

function changesIn(folders) {
  return folders.slice(1).filter((folder, at) => folder !== folders[at]).length
}

const buyer = { email: 'buyer@example.test', name: 'A Buyer', country: 'DE' }

/** Signs a call beforehand; what is called then sends it, and reads the answer. */
function signed(server, method, target, body, headers) {
  const { key_id: keyId, secret } = server.credentials[0]
  const request = wire({ key: { keyId, secret }, method, target, headers, ...(body && { body: JSON.stringify(body) }) })
  const answer = []
  return async (expect = 200) => {
    await load(server.url, [request], { connections: 1, expect, heard: (bytes) => answer.push(bytes) })
    return JSON.parse(answer[0])
  }
}

async function signedOrder(server, domain) {
  const { buy_now_price_cents, currency } = await signed(server, 'GET', `${ROOT}/pricing?domain=${domain}`)()
  const body = { domain, expected_price: buy_now_price_cents, currency, buyer }
  return signed(server, 'POST', `${ROOT}/orders`, body, { 'Idempotency-Key': domain })
}

/** Walks after two calls of the same kind: what is loaded late or prepared once is no part of a walk. */
async function warm(prepare, ...sent) {
  for (let n = 0; n < 2; n++) await (await prepare(`stalls-${++names}.test`))(...sent)
  const work = await prepare(`stalls-${++names}.test`)
  // Calls of before are counted for coverage a second after the first of them.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  return walked(() => work(...sent))
}
let names = 0

/** A sandbox in this process. */
async function walksOfSandbox() {
  const { startServer } = await import('../dist/server.js')
  const server = await startServer({ port: 0, operatorPort: 0 })
  try {
    const { domains: listed } = await signed(server, 'GET', `${ROOT}/domains/search?q=solar`)()
    return {
      'signed GET /availability': await warm(() =>
        signed(server, 'GET', `${ROOT}/availability?domain=${listed[names % listed.length].domain}`),
      ),
      'the same of a magic name, which is drawn and listed when it is first named': await warm((domain) =>
        signed(server, 'GET', `${ROOT}/availability?domain=${domain}`),
      ),
      'signed GET /orders': await warm(() => signed(server, 'GET', `${ROOT}/orders?limit=${++names}`)),
      'signed POST /orders': await warm((domain) => signedOrder(server, domain), 201),
      'clock advance with a due webhook': await walkOfJump(server),
    }
  } finally {
    await server.close()
  }
}

/** The receiver fails at first, so that a second attempt is due a while later. */
async function walkOfJump(server) {
  let isFailing = true
  let attempts = 0
  const receiver = createServer((request, response) => {
    attempts += 1
    response.statusCode = isFailing ? 500 : 200
    request.resume().on('end', () => response.end())
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const hook = { url: `http://127.0.0.1:${receiver.address().port}/`, secret: 'whsec_of_the_walk_0000' }
  await signed(server, 'PUT', '/api/partner/webhooks', hook)()
  const failedAttempt = async (domain) => {
    isFailing = true
    attempts = 0
    await (await signedOrder(server, domain))(201)
    while (attempts === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    // Until its outcome is written.
    await new Promise((resolve) => setTimeout(resolve, 100))
    isFailing = false
    return advanceAnHour(server)
  }
  try {
    return await warm(failedAttempt)
  } finally {
    receiver.close()
  }
}

function advanceAnHour(server) {
  const head = 'POST /v1/worlds/default/clock/advance HTTP/1.1\r\nContent-Type: application/json\r\n'
  const body = JSON.stringify({ by: '1h' })
  const request = Buffer.from(
    `${head}Host: ${new URL(server.operator.url).host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  return () => load(server.operator.url, [request], { connections: 1, expect: 200 })
}

/** From the start of the program to the file of its report; the sandbox that it starts beside itself is not counted. */
async function walkOfScenario() {
  const folder = mkdtempSync(join(tmpdir(), 'partner-sandbox-walk-'))
  const report = join(folder, 'junit.xml')
  try {
    const walk = await walked(async () => {
      const { runCli } = await import('../dist/cli/run-cli.js')
      const { wallClock } = await import('../dist/clock/wall-clock.js')
      const args = ['conform', '--self', '--only', SCENARIO, '--reporter', `junit=${report}`, '--selected']
      const code = await runCli(args, '0.0.0', sessionOf(wallClock))
      if (code !== 0) throw new Error(`conform ended with ${code}`)
    }, ['cli', 'conformance'])
    if (!readFileSync(report, 'utf8').includes('<testcase')) throw new Error('the report has no test case')
    return { ...walk, stacks: [] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function sessionOf(wall) {
  return {
    ...{ out: () => true, err: (text) => process.stderr.write(text), outIsTerminal: false, errIsTerminal: false },
    ...{ columns: 80, env: {}, wall, program: 'partner-sandbox', exitWith: () => undefined },
    interrupted: () => new AbortController().signal,
  }
}

function tableOf(rows) {
  const heads = [
    ...['walk', 'files, functions', 'folders', 'SQL statements'],
    ...['our frames at SQL, on average', 'at most', 'folder changes on the deepest stack'],
  ]
  const lines = Object.entries(rows).map(([name, row]) => {
    const average = row.framesOnAverage?.toFixed(1)
    const cells = [name, `${row.files}, ${row.functions}`, row.folders, row.statements]
    return [...cells, average ?? '-', row.framesAtMost ?? '-', row.folderChanges ?? '-']
  })
  return [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const walks = { ...(await walksOfSandbox()), [`scenario ${SCENARIO} to its JUnit line`]: await walkOfScenario() }
const rows = Object.fromEntries(Object.entries(walks).map(([name, walk]) => [name, figuresOf(walk)]))
if (flags.json) {
  console.log(JSON.stringify(rows, null, 2))
} else {
  console.log(tableOf(rows))
  for (const [name, { stacks }] of Object.entries(flags.stack ? walks : {})) {
    if (stacks.length === 0) continue
    console.log(`\n${name}, the deepest stack:`)
    for (const { file, name: of } of deepest(stacks)) console.log(`  ${file}  ${of}`)
  }
  for (const [name, { called }] of Object.entries(flags.functions ? walks : {})) {
    console.log(`\n${name}, each file with its functions:`)
    for (const { file, functions } of called) {
      const names = functions.map(({ functionName }) => functionName).filter((functionName) => functionName !== '')
      console.log(`  ${file} (${names.length}): ${names.join(' ')}`)
    }
  }
}
