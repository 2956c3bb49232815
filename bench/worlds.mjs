import { createHash } from 'node:crypto'
import { wallClock } from '../dist/clock/wall-clock.js'
import { RULES } from '../dist/contract/rules.js'
import { NO_DEFECT_HOOKS } from '../dist/sandbox/app/defect-hooks.js'
import { drawingInventory } from '../dist/sandbox/inventory/generate.js'
import { randomKeys } from '../dist/sandbox/kernel/credentials.js'
import { snapshotOf } from '../dist/sandbox/worlds/snapshots.js'
import { Worlds } from '../dist/sandbox/worlds/worlds.js'
import { openDatabase } from '../dist/storage/db.js'
import { median } from './load.mjs'

const WORLDS = Number(process.env.WORLDS ?? 200)
const RUNS = 50

const options = { seed: 'bench', inventory: 500, clockMs: null, frozen: false, rateLimit: null }
const worlds = new Worlds({
  dataDir: null,
  wall: wallClock,
  rules: RULES,
  hooks: NO_DEFECT_HOOKS,
  publicUrl: () => 'http://127.0.0.1',
  first: options,
  firstKeys: randomKeys,
})
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Median time of some work, in milliseconds. */
async function timed(work) {
  const took = []
  for (let n = 0; n < RUNS; n++) {
    const startedMs = performance.now()
    await work(n)
    took.push(performance.now() - startedMs)
    await turn()
  }
  return median(took)
}

/** What a new world cost before there were templates: its schema, and its listings one by one. */
function drawn() {
  const db = openDatabase(null)
  db.transaction(() => {
    const drawSome = drawingInventory(db, { seed: 'bench', count: 500, nowMs: wallClock.nowMs() })
    while (drawSome());
  })()
  db.close()
}

/** Something to compare with that no change of ours makes faster. */
function hashed() {
  for (let n = 0; n < 1_000; n++) createHash('sha256').update(String(n)).digest()
}

const rival = await timed(drawn)
const unit = await timed(hashed)
const made = await timed((n) => worlds.create(`made-${n}`, options, randomKeys))
const one = worlds.find('made-0')
const forked = await timed((n) => worlds.fork(one, `forked-${n}`))
const saved = await timed(() => snapshotOf(one))
const bytes = snapshotOf(one)
const restored = await timed(() => worlds.restore(one, Buffer.from(bytes)))
const reset = await timed(() => worlds.reset(one))

console.log(`a world of 500 listings, in memory (1,000 SHA-256: ${unit.toFixed(1)} ms)`)
const show = (what, ms) =>
  console.log(
    `  ${what.padEnd(28)}${ms.toFixed(1).padStart(6)} ms  ${(ms / rival).toFixed(2)} of drawing its listings anew`,
  )
show('schema and listings drawn', rival)
show('created', made)
show('forked', forked)
show('snapshot', saved)
show('restored', restored)
show('reset', reset)

for (const { name } of worlds.list()) if (name !== 'default') worlds.delete(name)
const before = process.memoryUsage().rss
const startedMs = performance.now()
for (let n = 0; n < WORLDS; n++) {
  await worlds.create(`world-${n}`, options, randomKeys)
}
const tookMs = performance.now() - startedMs
await new Promise((resolve) => setTimeout(resolve, 1_000))
const { rss } = process.memoryUsage()
const megabytes = (size) => (size / 1024 / 1024).toFixed(0)
console.log(`${WORLDS} worlds of 500 listings on one server`)
console.log(`  made in ${(tookMs / 1_000).toFixed(1)} s, ${(tookMs / WORLDS).toFixed(1)} ms each`)
console.log(`  ${megabytes(rss)} MB resident, ${((rss - before) / WORLDS / 1024).toFixed(0)} kB each`)
const closingMs = performance.now()
worlds.close()
console.log(`  ended in ${(performance.now() - closingMs).toFixed(0)} ms`)
