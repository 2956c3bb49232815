import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { wallClock } from '../dist/clock/wall-clock.js'
import { runConformance } from '../dist/conformance/engine/run.js'
import { loadScenarios } from '../dist/conformance/format/load-scenarios.js'
import { loadRequirements } from '../dist/conformance/format/requirements.js'
import { signRequest } from '../dist/index.js'
import { packageVersion, SCENARIOS_DIRECTORY } from '../dist/package-files.js'
import { ownTarget } from '../dist/proof/self-test/own-target.js'
import { startServer } from '../dist/server.js'
import { median } from './load.mjs'

const RUNS = Number(process.env.RUNS ?? 5)
const AT_ONCE = 24

const registry = loadRequirements()
const { scenarios } = loadScenarios(SCENARIOS_DIRECTORY, registry)

/** CPU time of this process, server and client alike, in milliseconds. */
async function cpuOf(work) {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { ms: (user + system) / 1_000, result }
}

async function withSandbox(work) {
  const server = await startServer({ port: 0, operatorPort: 0, rateLimit: null })
  try {
    return await work(server)
  } finally {
    await server.close()
  }
}

/** The whole suite: CPU for each of its requests. */
async function suite(server) {
  const { ms, result } = await cpuOf(() =>
    runConformance({
      ...{ target: ownTarget(server), scenarios, registry, wall: wallClock, toolVersion: packageVersion() },
      ownsTarget: true,
    }),
  )
  if (result.verdict !== 'conforming') console.log(`  (the sandbox is ${result.verdict})`)
  return { ms, requests: result.summary.requests, wallMs: result.durationMs }
}

/** As many signed reads, each signed anew, from so many loops. */
async function bareLoop(server, count) {
  const { key_id: keyId, secret } = server.credentials.find(({ name }) => name === 'main')
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  let left = count
  const lane = async () => {
    while (left-- > 0) await read(server.url, agent, { keyId, secret })
  }
  const { ms } = await cpuOf(() => Promise.all(Array.from({ length: AT_ONCE }, lane)))
  agent.destroy()
  return ms
}

function read(url, agent, key) {
  const path = '/api/partner/v1/availability?domain=stalls-1.test'
  const call = { method: 'GET', target: path, timestampSeconds: Math.floor(Date.now() / 1_000), nonce: randomUUID() }
  const { headers } = signRequest(key, call)
  return new Promise((resolve, reject) => {
    request(`${url}${path}`, { agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece) => (text += piece))
      response.on('end', () =>
        response.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(`${response.statusCode} ${text}`)),
      )
    })
      .on('error', reject)
      .end()
  })
}

const perRequest = []
const ratios = []
for (let run = 0; run <= RUNS; run++) {
  const judged = await withSandbox(suite)
  const looped = await withSandbox((server) => bareLoop(server, judged.requests))
  // The first round warms both up.
  if (run === 0) console.log(`the whole suite against a fresh sandbox, cold: ${judged.ms.toFixed(0)} ms of CPU`)
  if (run === 0) continue
  perRequest.push(judged)
  ratios.push(judged.ms / looped)
}
const of = (pick) => median(perRequest.map(pick)).toFixed(0)
console.log(`  warm          ${of(({ ms }) => ms)} ms of CPU, ${of(({ wallMs }) => wallMs)} ms of waiting and working`)
console.log(
  `  a request     ${median(ratios).toFixed(2)} times the CPU of one in a bare loop of ${of(({ requests }) => requests)} signed reads`,
)

const bin = fileURLToPath(new URL('../bin/partner-sandbox.js', import.meta.url))
function timed(args) {
  const startedMs = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' })
  if (status !== 0) throw new Error(`exit code ${status}`)
  return performance.now() - startedMs
}
const starts = Array.from({ length: RUNS }, () => ({
  node: timed(['-e', '0']),
  help: timed([bin, 'conform', '--help']),
}))
const startRatio = median(starts.map(({ node, help }) => help / node))
console.log(`conform --help  ${startRatio.toFixed(2)} times the start of Node with nothing to do`)

const loads = Array.from({ length: RUNS }, () => ({ known: loadMs(false), afresh: loadMs(true) }))
function loadMs(afresh) {
  const startedMs = performance.now()
  loadScenarios(SCENARIOS_DIRECTORY, registry, ...(afresh ? [new Map()] : []))
  return performance.now() - startedMs
}
const loadRatio = median(loads.map(({ known, afresh }) => known / afresh))
console.log(
  `loading ${scenarios.length} scenarios that the build has checked takes ${loadRatio.toFixed(2)} of the time of parsing and linting them`,
)
