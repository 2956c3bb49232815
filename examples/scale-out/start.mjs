// Starts two shards with nginx in front, and starts a shard again that has ended:
//   node examples/scale-out/start.mjs [--data FOLDER] [--ports A,B,C,D,E,F]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** As in nginx.conf: the common address of the API and that of operators, then both of each shard. */
const PORTS = [4600, 4601, 4610, 4611, 4620, 4621]
const SHARDS = ['a', 'b']
const PROGRAM = fileURLToPath(new URL('../../bin/partner-sandbox.js', import.meta.url))

const { values } = parseArgs({
  options: { data: { type: 'string', default: '.data/scale-out' }, ports: { type: 'string', default: PORTS.join() } },
})
const data = resolve(values.data)
const ports = values.ports.split(',').map(Number)
const publicUrl = `http://127.0.0.1:${ports[0]}`

const children = new Set()
let isStopping = false

function start(program, args, stdio) {
  const child = spawn(program, args, { stdio, env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` } })
  children.add(child)
  child.once('error', (error) => fail(`${program} cannot be started: ${error.message}`))
  child.once('exit', () => children.delete(child))
  return child
}

/** One process with worlds of its own. It gets the same ports and the same folder each time, so nginx finds it again. */
async function startShard(label, index) {
  const child = start(
    process.execPath,
    [
      ...[PROGRAM, 'serve', '--ready-json', '--shard', label, '--seed', `sandbox-${label}`, '--public-url', publicUrl],
      ...['--port', ports[2 + 2 * index], '--operator-port', ports[3 + 2 * index], '--data', join(data, label)],
    ],
    ['ignore', 'pipe', 'inherit'],
  )
  child.once('exit', (code, signal) => {
    if (!isStopping) console.log(`shard ${label} has ended (${signal ?? `exit code ${code}`})`)
  })
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), once(child, 'exit').then(() => [])])
  if (line === undefined) return isStopping || fail(`shard ${label} could not be started`)
  child.once('exit', () => isStopping || startShard(label, index))
  const { key_id: keyId, secret } = JSON.parse(line).credentials.find(({ name }) => name === 'main')
  console.log(`shard ${label} is process ${child.pid}: PARTNER_KEY_ID=${keyId} PARTNER_SECRET=${secret}`)
}

/** nginx with a copy of nginx.conf, in which the ports are those that were chosen. */
async function startNginx() {
  const folder = join(data, 'nginx')
  mkdirSync(join(folder, 'tmp'), { recursive: true })
  const written = readFileSync(new URL('nginx.conf', import.meta.url), 'utf8')
  const chosen = written.replaceAll(
    /127\.0\.0\.1:(\d+)/g,
    (_, port) => `127.0.0.1:${ports[PORTS.indexOf(Number(port))]}`,
  )
  writeFileSync(join(folder, 'nginx.conf'), chosen)
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr', '-g', 'daemon off; error_log stderr;']
  start('nginx', args, 'inherit').once('exit', () => isStopping || fail('nginx has ended'))
  while (!(await answers(`${publicUrl}/healthz`))) await new Promise((tryAgain) => setTimeout(tryAgain, 50))
}

async function answers(url) {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function stop(code) {
  if (isStopping) return
  isStopping = true
  const ends = [...children].map((child) => child.pid !== undefined && once(child, 'exit'))
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(ends)
  process.exit(code)
}

function fail(message) {
  if (!isStopping) console.error(message)
  return stop(1)
}

process.once('SIGINT', () => stop(0))
process.once('SIGTERM', () => stop(0))
await Promise.all(SHARDS.map(startShard))
await startNginx()
console.log(`ready: ${publicUrl}, for operators http://127.0.0.1:${ports[1]}`)
