import Database from 'better-sqlite3'
import { wallClock } from '../dist/clock/wall-clock.js'
import { RULES } from '../dist/contract/rules.js'
import { NO_DEFECT_HOOKS } from '../dist/sandbox/app/defect-hooks.js'
import { keepAnswer, useOfKey } from '../dist/sandbox/app/idempotency.js'
import { openSession } from '../dist/sandbox/checkout/sessions.js'
import { findListing } from '../dist/sandbox/inventory/listings.js'
import { randomKeys } from '../dist/sandbox/kernel/credentials.js'
import { recordOrder } from '../dist/sandbox/sales/order-steps.js'
import { issueQuote } from '../dist/sandbox/sales/quotes.js'
import { advance } from '../dist/sandbox/worlds/advance.js'
import { createWorld } from '../dist/sandbox/worlds/open-world.js'
import { median } from './load.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 3)
/** Quotes, checkouts, keys and orders: each of the first three falls due once, each order twice and is then settled. */
const EACH = 20_000
const DAY_MS = 86_400_000
const START_MS = Date.UTC(2026, 0, 1)
const url = 'https://shop.example/'
const buyer = { email: 'buyer@example.test' }

function populatedWorld() {
  const world = createWorld(
    'bench',
    null,
    {
      ...{ seed: 'bench', inventory: 0, clockMs: START_MS, frozen: true, rateLimit: null },
      progress: { startAfterMs: DAY_MS, completeAfterMs: DAY_MS, settleEveryMs: 7 * DAY_MS },
    },
    randomKeys,
    { wall: wallClock, rules: RULES, hooks: NO_DEFECT_HOOKS, publicUrl: () => 'http://127.0.0.1' },
  )
  const caller = [...world.credentials.values()].find(({ name }) => name === 'main')
  for (let n = 1; n <= EACH; n++) world.commits.commitNow(() => fill(world, caller, n))
  return world
}

function fill(world, caller, n) {
  const rawHeaders = ['Idempotency-Key', `key-${n}`]
  const call = { world, credential: caller, rawHeaders, body: new Uint8Array(0) }
  issueQuote(world, caller, { domain: `stalls-${n}.test` })
  openSession(world, caller, { domain: `stalls-${n}.test`, returnUrl: url, cancelUrl: url })
  keepAnswer(world, useOfKey(call), { status: 201, headers: {}, body: '{}' })
  const { domain, priceCents, currency } = findListing(world, `live-site-${n}.test`)
  recordOrder(world, caller, { domain, expectedPriceCents: priceCents, currency, buyer })
}

async function ownJump() {
  const world = populatedWorld()
  const startedMs = performance.now()
  const { counts } = await advance(world, { byMs: 365 * DAY_MS })
  const tookMs = performance.now() - startedMs
  world.db.close()
  return { tookMs, things: Object.values(counts).reduce((sum, count) => sum + count, 0) }
}

/** What a loop written by hand would do: a sorted list of timers, and for each the statements that its thing comes to. */
function plainLoop() {
  const db = new Database(':memory:')
  db.exec(`
    CREATE TABLE things (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL);
    CREATE INDEX things_due ON things (at) WHERE state = 'open';
    CREATE TABLE timeline (thing INTEGER NOT NULL, position INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (thing, position));
    CREATE TABLE events (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, data TEXT NOT NULL);
    CREATE TABLE ledger (seq INTEGER PRIMARY KEY, thing INTEGER NOT NULL, cents INTEGER NOT NULL);
  `)
  const insert = db.prepare("INSERT INTO things VALUES (?, ?, 'open', ?)")
  const timers = []
  db.transaction(() => {
    for (let n = 0; n < EACH * 4; n++) {
      insert.run(n, n < EACH * 3 ? 'simple' : 'order', START_MS + n)
      const steps = n < EACH * 3 ? [0] : [1, 2, 7]
      for (const days of steps) timers.push({ n, atMs: START_MS + n + days * DAY_MS, step: days })
    }
  })()
  return { db, timers: timers.sort((a, b) => a.atMs - b.atMs) }
}

function rivalJump() {
  const { db, timers } = plainLoop()
  const read = db.prepare('SELECT * FROM things WHERE id = ?')
  const end = db.prepare("UPDATE things SET state = 'ended', at = ? WHERE id = ?")
  const note = db.prepare('INSERT INTO timeline VALUES (?, ?, ?)')
  const tell = db.prepare('INSERT INTO events (id, at, data) VALUES (?, ?, ?)')
  const book = db.prepare('INSERT INTO ledger (thing, cents) VALUES (?, ?)')
  const startedMs = performance.now()
  const turn = db.transaction((some) => {
    for (const { n, atMs, step } of some) {
      const { kind } = read.get(n)
      end.run(atMs, n)
      if (kind === 'simple') continue
      note.run(n, step, atMs)
      tell.run(
        `evt_${n}_${step}`,
        atMs,
        JSON.stringify({ order: { public_id: n, domain: `live-site-${n}.test`, step } }),
      )
      if (step === 7) book.run(n, 12_345)
    }
  })
  for (let from = 0; from < timers.length; from += 1_000) turn(timers.slice(from, from + 1_000))
  const tookMs = performance.now() - startedMs
  db.close()
  return { tookMs }
}

const own = []
const rival = []
let things = 0
for (let round = 0; round < ROUNDS; round++) {
  rival.push(rivalJump().tookMs)
  const jump = await ownJump()
  own.push(jump.tookMs)
  things = jump.things
}
const ratio = median(own.map((tookMs, i) => tookMs / rival[i]))
console.log(`a year over ${EACH * 5} due things and ${EACH} settled orders (${things} happenings, events included)`)
console.log(`  plain loop  ${median(rival).toFixed(0).padStart(6)} ms`)
console.log(`  sandbox     ${median(own).toFixed(0).padStart(6)} ms   ${ratio.toFixed(2)} times the plain loop`)
