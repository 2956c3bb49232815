// What a second shard adds: examples/scale-out under load on one shard, then on both, in turns. Needs nginx and /proc.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cpuMsOf, wire } from './contestants.mjs'
import { load, median } from './load.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 7)
const CALLS = 1_500
const PORTS = [4700, 4701, 4710, 4711, 4720, 4721]
const URL = `http://127.0.0.1:${PORTS[0]}`
const WORDS = ['solar', 'energy', 'coffee', 'travel', 'pet', 'garden', 'health', 'music', 'cloud', 'craft', 'sport']

async function startExample(folder) {
  const program = fileURLToPath(new globalThis.URL('../examples/scale-out/start.mjs', import.meta.url))
  const child = spawn(process.execPath, [program, '--data', folder, '--ports', PORTS.join()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk
    if (text.includes('ready: ')) break
  }
  if (!text.includes('ready: ')) process.exit(1) // The example has said what it lacks.
  const lines = [...text.matchAll(/shard (\w) is process (\d+): PARTNER_KEY_ID=(\S+) PARTNER_SECRET=(\S+)/g)]
  const shards = lines.map(([, label, pid, keyId, secret]) => ({ label, pid: Number(pid), key: { keyId, secret } }))
  return { child, shards }
}

const noLimit = {
  method: 'PUT',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ requests: 0, seconds: 1 }),
}

function nginxPids(folder) {
  const master = readFileSync(join(folder, 'nginx/nginx.pid'), 'utf8').trim()
  return readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ').map(Number)
}

/** Searches with another query each time, so that nothing can be given again. */
function searches(key, round) {
  const target = (n) => `/api/partner/v1/domains/search?q=${WORDS[n % 11]}+${WORDS[(n * 5 + round) % 11]}`
  return Array.from({ length: CALLS }, (_, n) => wire({ key, target: target(n) }))
}

/** Calls a second through nginx, and the CPU time that a call takes of its shard and of nginx, in microseconds. */
async function measured(shards, pids, round) {
  const requests = shards.map(({ key }) => searches(key, round))
  const cpuMs = () => [shards.map(({ pid }) => pid), pids].map((all) => all.reduce((sum, pid) => sum + cpuMsOf(pid), 0))
  const before = cpuMs()
  const rates = await Promise.all(requests.map((own) => load(URL, own, { connections: 16, expect: 200 })))
  const perCall = cpuMs().map((ms, which) => ((ms - before[which]) * 1_000) / (CALLS * shards.length))
  return { rate: rates.reduce((sum, rate) => sum + rate, 0), shardUs: perCall[0], nginxUs: perCall[1] }
}

const folder = mkdtempSync(join(tmpdir(), 'shards-'))
const { child, shards } = await startExample(folder)
for (const { label } of shards)
  await fetch(`http://127.0.0.1:${PORTS[1]}/v1/worlds/${label}.default/rate-limit`, noLimit)
const runs = { one: [], both: [] }
for (let round = 0; round <= ROUNDS; round++) {
  const one = await measured([shards[round % 2]], nginxPids(folder), round)
  const both = await measured(shards, nginxPids(folder), round)
  if (round === 0) continue // Warms up.
  runs.one.push(one)
  runs.both.push(both)
}
const of = (runs_, member) => median(runs_.map((run) => run[member]))
for (const [name, all] of Object.entries(runs)) {
  const rates = all.map(({ rate }) => Math.round(rate)).sort((a, b) => a - b)
  console.log(
    `${name}: ${Math.round(of(all, 'rate'))} calls a second (${rates[0]} to ${rates.at(-1)}), ${Math.round(of(all, 'shardUs'))} us of a shard and ${Math.round(of(all, 'nginxUs'))} us of nginx a call`,
  )
}
console.log(`both to one: ${(of(runs.both, 'rate') / of(runs.one, 'rate')).toFixed(2)} of the calls a second`)
child.kill('SIGTERM')
child.once('exit', () => rmSync(folder, { recursive: true }))
