// What calls of another world wait while one world does heavy work: a read every 4 ms, during each operation in turn.
// node bench/stalls.mjs [--orders=10000] [--listings=10000,100000] [--only=settle,jump] [--data] [--keep=FOLDER]
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { wallClock } from '../dist/clock/wall-clock.js'
import { RULES } from '../dist/contract/rules.js'
import { NO_DEFECT_HOOKS } from '../dist/sandbox/app/defect-hooks.js'
import { findListing } from '../dist/sandbox/inventory/listings.js'
import { randomKeys } from '../dist/sandbox/kernel/credentials.js'
import { bookPayable } from '../dist/sandbox/ledger/ledger.js'
import { recordOrder, takeStep } from '../dist/sandbox/sales/order-steps.js'
import { createWorld } from '../dist/sandbox/worlds/open-world.js'
import { snapshotOf } from '../dist/sandbox/worlds/snapshots.js'
import { wire } from './contestants.mjs'

const { values: flags } = parseArgs({
  options: {
    orders: { type: 'string', default: '10000' },
    listings: { type: 'string', default: '10000,100000' },
    only: { type: 'string' },
    data: { type: 'boolean', default: false },
    keep: { type: 'string' },
  },
})
const ORDERS = Number(flags.orders)
const READ_EVERY_MS = 4
const AT_ONCE = 500
const DAY_MS = 86_400_000
const START_MS = Date.UTC(2026, 0, 1)
const BIN = process.env.SANDBOX_BIN ?? fileURLToPath(new URL('../bin/partner-sandbox.js', import.meta.url))
const temporary = mkdtempSync(join(tmpdir(), 'stalls-'))
const kept = flags.keep ?? temporary

/** A world whose orders all wait: for their automatic steps, or delivered, for a settlement. */
function populated(isDelivered) {
  const options = { seed: 'bench', inventory: 0, clockMs: START_MS, frozen: true, rateLimit: null }
  const progress = isDelivered
    ? {}
    : { progress: { startAfterMs: DAY_MS, completeAfterMs: DAY_MS, settleEveryMs: 7 * DAY_MS } }
  const surroundings = { wall: wallClock, rules: RULES, hooks: NO_DEFECT_HOOKS, publicUrl: () => 'http://127.0.0.1' }
  const world = createWorld('heavy', null, { ...options, ...progress }, randomKeys, surroundings)
  const caller = [...world.credentials.values()].find(({ name }) => name === 'main')
  for (let done = 0; done < ORDERS; done += AT_ONCE) {
    world.commits.commitNow(() => {
      for (let n = done + 1; n <= Math.min(done + AT_ONCE, ORDERS); n++) order(world, caller, n, isDelivered)
    })
  }
  const bytes = snapshotOf(world)
  world.db.close()
  return bytes
}

/** Every second delivered one was collected by the service, and can be paid out. */
function order(world, caller, n, isDelivered) {
  const { domain, priceCents, currency } = findListing(world, `live-site-${n}.test`)
  const buyer = { email: 'buyer@example.test' }
  const made = recordOrder(world, caller, { domain, expectedPriceCents: priceCents, currency, buyer })
  if (!isDelivered) return
  if (n % 2 === 0) hosted(world, made.seq)
  takeStep(world, takeStep(world, made, 'start-transfer', null), 'complete-transfer', null)
  if (n % 2 === 0) bookPayable(world, { orderSeq: made.seq })
}

function hosted({ db }, orderSeq) {
  db.prepare("UPDATE sales SET payment_model = 'hosted_checkout' WHERE order_seq = ?").run(orderSeq)
}

/** The snapshot of a populated world; made once for each size where a folder to keep it in is given. */
function snapshot(isDelivered) {
  mkdirSync(kept, { recursive: true })
  const file = join(kept, `${isDelivered ? 'delivered' : 'waiting'}-${ORDERS}.sqlite`)
  if (!existsSync(file)) writeFileSync(file, populated(isDelivered))
  return readFileSync(file)
}

async function start() {
  const data = flags.data ? [`--data=${join(temporary, 'worlds')}`] : []
  const child = spawn(
    process.execPath,
    [BIN, 'serve', '--ready-json', '--port=0', '--operator-port=0', '--rate-limit=off', ...data],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let text = ''
  for await (const chunk of child.stdout) {
    text += chunk
    if (text.includes('\n')) break
  }
  const ready = JSON.parse(text.slice(0, text.indexOf('\n')))
  const operator = ready.operator.url
  const [{ key_id: keyId, secret }] = ready.credentials
  return { child, url: ready.url, operator, key: { keyId, secret } }
}

/** Does an operation of the operator API; the answer is counted and not kept, so that this process stays quick. */
function act(server, method, path, { json, bytes, keeps = false } = {}) {
  const { hostname, port } = new URL(server.operator)
  const type = bytes ? 'application/vnd.sqlite3' : 'application/json'
  const body = bytes ?? (json === undefined ? undefined : Buffer.from(JSON.stringify(json)))
  const headers = body ? { 'content-type': type, 'content-length': body.length } : { 'content-type': type }
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers }, (answer) => {
      const parts = []
      answer.on('data', (part) => {
        if (keeps || answer.statusCode >= 400) parts.push(part)
      })
      answer.on('end', () => {
        const text = Buffer.concat(parts)
        if (answer.statusCode >= 400) reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`))
        else resolve(text)
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Reads the first world over and over, one read every 4 ms, each on time even where the one before is not answered yet. */
function reader({ url, key }) {
  const { hostname, port } = new URL(url)
  const took = []
  const begun = []
  const socket = connect(Number(port), hostname)
  socket.setNoDelay(true)
  let rest = ''
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1')
    for (;;) {
      const headEnd = rest.indexOf('\r\n\r\n')
      if (headEnd === -1) return
      const end = headEnd + 4 + Number(/content-length: (\d+)/i.exec(rest)?.[1] ?? 0)
      if (rest.length < end) return
      rest = rest.slice(end)
      took.push(performance.now() - begun.shift())
    }
  })
  const timer = setInterval(() => {
    begun.push(performance.now())
    socket.write(wire({ key, target: '/api/partner/v1/availability?domain=stalls-1.test' }))
  }, READ_EVERY_MS)
  return async () => {
    clearInterval(timer)
    while (begun.length > 0) await new Promise((resolve) => setTimeout(resolve, READ_EVERY_MS))
    socket.destroy()
    return took.sort((a, b) => a - b)
  }
}

async function measured(server, name, work) {
  if (flags.only && !flags.only.split(',').some((word) => name.includes(word))) return
  const stop = reader(server)
  await new Promise((resolve) => setTimeout(resolve, 100))
  const startedMs = performance.now()
  await work()
  const tookMs = performance.now() - startedMs
  const took = await stop()
  const at = (part) => took[Math.min(took.length - 1, Math.floor(took.length * part))]
  const cells = [tookMs, at(0.5), at(0.99), took.at(-1)].map((ms) => ms.toFixed(1).padStart(9))
  console.log(`${name.padEnd(30)}${cells.join('')}   ${took.length}`)
}

const waiting = snapshot(false)
const delivered = snapshot(true)
const server = await start()
const world = (name, rest = '') => `/v1/worlds/${name}${rest}`
const send = (name, bytes) => act(server, 'POST', `/v1/worlds/import?name=${name}`, { bytes })
const run = (name, work) => measured(server, name, work)
try {
  console.log(
    `${'operation'.padEnd(30)}${['work ms', 'p50', 'p99', 'max'].map((cell) => cell.padStart(9)).join('')}   reads`,
  )
  await run('nothing', () => new Promise((resolve) => setTimeout(resolve, 1_000)))
  await run('import', () => send('another', delivered))
  await send('settled', delivered)
  await send('jumping', waiting)
  await run('settlement run', () => act(server, 'POST', world('settled', '/settlement-runs')))
  await run('payout run', () => act(server, 'POST', world('settled', '/payout-runs')))
  await run('jump of a year', () => act(server, 'POST', world('jumping', '/clock/advance'), { json: { by: '365d' } }))
  await run('fork', () => act(server, 'POST', world('settled', '/fork'), { json: { name: 'forked' } }))
  await run('snapshot', () => act(server, 'GET', world('settled', '/snapshot')))
  await run('restore', () => act(server, 'PUT', world('settled', '/snapshot'), { bytes: delivered }))
  await run('reset', () => act(server, 'POST', world('settled', '/reset')))
  await run('delete', () => act(server, 'DELETE', world('jumping')))
  for (const inventory of flags.listings.split(',').filter(Boolean).map(Number)) {
    const json = { name: `of-${inventory}`, inventory, seed: `stalls-${inventory}` }
    await run(`create ${inventory} listings`, () => act(server, 'POST', '/v1/worlds', { json }))
  }
} finally {
  server.child.kill('SIGTERM')
  rmSync(temporary, { recursive: true, force: true })
}
